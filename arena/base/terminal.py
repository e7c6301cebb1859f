"""The console that tables and lines are printed on: what others wrote reaches the terminal as text, never as orders."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arena.base.text import printable_lines


def make_console(stderr: bool = False, width: int | None = None) -> Console:
    """Return a console on which brackets are no markup, names of emoji no signs, and control characters are shown."""
    return _PlainConsole(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


class _PlainConsole(Console):
    """Shows whatever cannot be printed as its escape, but for the ends of lines and what rich itself orders."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text == "\n" or text.isprintable() else Segment(printable_lines(text), style)
