"""The console for tables and lines: text from others never reaches the terminal as control sequences."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arena.base.text import printable_lines


def make_console(stderr: bool = False, width: int | None = None) -> Console:
    """Return a console without markup and emoji codes, on which control characters are printed as escapes."""
    return _PlainConsole(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


class _PlainConsole(Console):
    """Prints unprintable characters as escapes, except for line ends and rich's own control codes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text == "\n" or text.isprintable() else Segment(printable_lines(text), style)
