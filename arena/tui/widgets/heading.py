"""The top line: the trail of screens, and the status."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize
from textual.widgets import Static

WIDE_GAP, NARROW_GAP = "    ", "  "
SHORTEST = 8
"""Columns that a part of a status keeps where it is cut."""


class Heading(Horizontal):
    """A trail on the left (`arena › watch › connect_four`), the status on the right."""

    def __init__(self, *places: str):
        super().__init__()
        self._trail = " › ".join(("arena", *places))
        self._status: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """Yield two texts that share the line."""
        yield Static(self._trail, id="trail", markup=False)
        yield Static("", id="status", markup=False)

    def on_resize(self, event: Resize) -> None:
        """Fit the status into the new width."""
        self.say(*self._status)

    def say(self, *status: str) -> None:
        """Show the parts of a status."""
        self._status = tuple(filter(None, status))
        line = self.query_one("#status", Static)
        line.update(fitted(self._status, line.content_size.width), layout=False)


def fitted(parts: Sequence[str], width: int) -> str:
    """Return the parts in one line: closer together where it is narrow, then with the longest one cut.

    >>> fitted(("game 1 of 10", "● to move"), 80)
    'game 1 of 10    ● to move'
    >>> fitted(("the team earns 0 a game", "paused"), 20)
    'the team ea…  paused'
    """
    line = WIDE_GAP.join(parts)
    if width <= 0 or cell_len(line) <= width:  # before the first layout there is no width
        return line
    over = cell_len(NARROW_GAP.join(parts)) - width
    longest = max(parts, key=cell_len)
    if over > 0 and cell_len(longest) - over >= SHORTEST:
        cut = set_cell_size(longest, cell_len(longest) - over - 1).rstrip() + "…"
        parts = [cut if part is longest else part for part in parts]
    return NARROW_GAP.join(parts)
