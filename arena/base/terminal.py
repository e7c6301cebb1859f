"""The console for tables and lines: text from others never reaches the terminal as control sequences."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arena.base.text import printable_lines


def make_console(stderr: bool = False, width: int | None = None) -> Console:
    """Return a console without markup and emoji codes, on which control characters are printed as escapes."""
    return _PlainConsole(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


@contextmanager
def suspendable(console: Console) -> Iterator[None]:
    """Give a shell its cursor back while Ctrl-Z suspends a command that hides it, as progress bars do."""
    if not console.is_terminal or threading.current_thread() is not threading.main_thread():
        yield
        return

    def suspend(number: int, frame: FrameType | None) -> None:
        console.show_cursor(True)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # returns when the command is continued
        signal.signal(signal.SIGTSTP, suspend)
        console.show_cursor(False)

    before = signal.signal(signal.SIGTSTP, suspend)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


class _PlainConsole(Console):
    """Prints unprintable characters as escapes, except for line ends and rich's own control codes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text == "\n" or text.isprintable() else Segment(printable_lines(text), style)
