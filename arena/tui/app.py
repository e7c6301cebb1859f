"""The terminal application: themes, quitting, and taking over the terminal."""

import asyncio
import contextlib
import signal
import sys
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from arena.errors import UsageError

SEAT_COLOURS = {
    True: ("#56b4e9", "#e69f00", "#2fc497", "#e296c0"),
    False: ("#0072b2", "#c25400", "#007a59", "#a8437e"),
}
"""Colour of each seat on a dark (True) and on a light theme: the Okabe-Ito hues, at the lightness that reads well."""


class ArenaApp(App[None]):
    """Shows one screen; its return code is the exit status."""

    CSS_PATH = "arena.tcss"
    TITLE = "arena"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # the mouse plays moves
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave(0)", show=False),
        Binding("ctrl+c", "leave(130)", priority=True, show=False),
    ]

    def __init__(self, screen: Screen[Any]):
        super().__init__()
        self._first = screen

    def on_mount(self) -> None:
        """Show the screen."""
        self.push_screen(self._first)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours of the seats, `$seat-0` and on."""
        return {f"seat-{seat}": colour for seat, colour in enumerate(SEAT_COLOURS[self.current_theme.dark])}

    def action_toggle_theme(self) -> None:
        """Between light and dark."""
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    def action_leave(self, status: int) -> None:
        """Leave with this exit status."""
        self.exit(return_code=status)


def launch(screen: Screen[Any]) -> int:
    """Take over the terminal with a screen until the person leaves; returns the exit status, 130 after Ctrl-C.

    Raises `UsageError` where there is no terminal.
    """
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output"), (sys.stderr, "error output")):
        if stream is None or not stream.isatty():
            raise UsageError(f"this needs a terminal, and standard {name} is not one")
    app = ArenaApp(screen)
    asyncio.run(_run(app))
    return app.return_code or 0


async def _run(app: ArenaApp) -> None:
    """Run the application; a polite end from outside, too, goes through it, and leaves the terminal clean."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows has none of this
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, app.action_leave, 128 + number)
    await app.run_async()
