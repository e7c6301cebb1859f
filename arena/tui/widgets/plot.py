"""Curves in a panel."""

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from arena.tui.drawing.plotting import NAMES, Curve, plot

LOOKS = {"axis": "$text-muted", "band": "$foreground 45%"}
MINIMUM_LEGEND = 4
"""Minimum lines of a plot with a legend."""


class Plot(Widget):
    """Draws its `curves` in its whole area, with a legend above if there are several.

    Args:
        title: title of its frame.
        low: lower end of the y axis; None to fit the values.
        high: upper end of the y axis; None to fit the values.
        empty: text shown while there is nothing to draw.

    """

    DEFAULT_CLASSES = "panel"

    curves: reactive[Sequence[Curve]] = reactive((), always_update=True)

    def __init__(
        self,
        title: str,
        low: float | None = None,
        high: float | None = None,
        empty: str = "no figures yet",
        id: str | None = None,
    ):
        super().__init__(id=id)
        self.border_title = Content(title)
        self.low, self.high, self._empty = low, high, empty

    def render(self) -> Content:
        """Return the drawing in the colours of the theme."""
        width, height = self.content_size
        curves = [curve for curve in self.curves if curve.points]
        if not curves or width < 12 or height < 3:
            return Content.styled(self._empty, "$text-muted")
        legend = len(curves) > 1 and height >= MINIMUM_LEGEND
        lines = plot(curves, width, height - legend, self.low, self.high)
        drawn = [Content.assemble(*((text, LOOKS.get(look, f"${look}")) for text, look in line)) for line in lines]
        if legend:
            names = ((f"{NAMES[i % 26]} {curve.name}  ", f"${curve.look}") for i, curve in enumerate(curves))
            drawn.insert(0, Content.assemble(*names))
        return Content("\n").join(drawn)
