"""Payoffs between players, as a table of numbers on colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from textual.color import Color
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from arena.tui.state.words import ending

CELL, LABEL = 6, 18
"""Columns of a cell, and maximum columns of a row's name."""


@dataclass(frozen=True, eq=False)
class Payoffs:
    """Points a game, 0 to 1, of the row's player against the column's."""

    names: Sequence[str] = ()
    scores: NDArray[np.float64] | None = None
    """Points [N, N]; NaN where two never met."""


class HeatMap(Widget):
    """Shows as many rows and columns as fit, starting with the first names; row `at` stays visible.

    More than a half has the colour of the first seat, less that of the second, stronger with the distance from a half.
    """

    DEFAULT_CLASSES = "panel"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"heat-map--more", "heat-map--less", "heat-map--muted"}
    BORDER_TITLE = "payoff (row against column)"

    payoffs: reactive[Payoffs] = reactive(Payoffs())
    at: reactive[int] = reactive(0)
    """Index of the highlighted name."""

    empty = "nobody has been measured yet"
    """Text shown where nobody has played another."""

    def render(self) -> Content:
        """Return a line of names, and one for each row."""
        names, scores = self.payoffs.names, self.payoffs.scores
        width, height = self.content_size
        if scores is None or not names or width < CELL * 3:
            return Content.styled(self.empty, "$text-muted")
        label = min(LABEL, max(map(len, names)), max(width // 3, 4))
        columns = range(min((width - label - 1) // CELL, len(names)))
        first = max(0, min(self.at - (height - 2) // 2, len(names) - (height - 1)))
        muted = self.get_visual_style("heat-map--muted")
        head = " " * (label + 1) + "".join(f"{_short(names[column]):>{CELL - 1}} " for column in columns)
        lines = [Content.styled(head, muted)]
        for row in range(first, min(first + height - 1, len(names))):
            name = ending(names[row], label)
            parts: list[tuple[str, Style]] = [(f"{name:<{label}} ", self._name_style(row))]
            parts += [self._cell(float(scores[row, column]), row == column) for column in columns]
            lines.append(Content.assemble(*parts))
        return Content("\n").join(lines)

    def _name_style(self, row: int) -> Style:
        return Style(reverse=True) if row == self.at else Style()

    def _cell(self, score: float, itself: bool) -> tuple[str, Style]:
        """Return the number of a cell, on its colour."""
        if itself or np.isnan(score):
            return f"{'·' if itself else '–':>{CELL - 1}} ", self.get_visual_style("heat-map--muted")
        text = f"{score:.2f}".removeprefix("0") if score < 1 else "1.0"
        base = self.get_visual_style("heat-map--more" if score >= 0.5 else "heat-map--less")
        if base.foreground is None or base.background is None:
            return f"{text:>{CELL - 1}} ", Style()
        behind: Color = base.background.blend(base.foreground, 0.1 + 1.2 * abs(score - 0.5))
        return f"{text:>{CELL - 1}} ", Style(background=behind, foreground=behind.get_contrast_text(1.0))


def _short(name: str) -> str:
    """Return a name in the width of a cell: its first letter and its end."""
    return name if len(name) < CELL else name[0] + name[2 - CELL :]
