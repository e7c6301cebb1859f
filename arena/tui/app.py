"""The terminal application: its screens one above the other, themes, commands, and taking over the terminal."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import ModalScreen, Screen
from textual.worker import WorkerFailed

from arena.errors import UsageError
from arena.tui.driver import terminal_driver
from arena.tui.theme import DARK, LIGHT, SEATS, ascii_only
from arena.tui.thinker import Thinker

Opener = Callable[[Sequence[str]], AbstractContextManager[Screen[Any]]]
"""From the words of a command line (`["watch", "connect_four", ...]`) to its screen; `UsageError` if they are wrong."""

KEYS_IN_ASCII = {"↵": "enter", "␣": "space", "↑": "up", "↓": "down"}


@runtime_checkable
class Says(Protocol):
    """A screen with a line for news."""

    def say(self, text: str, tone: Any = "plain") -> None:
        """Put one line of news there."""


class ArenaApp(App[None]):
    """Shows a screen, and others on top of it; its return code is the exit status.

    Args:
        screen: the first one.
        opener: makes the screens of commands, for screens that `open` others.

    """

    CSS_PATH = "arena.tcss"
    TITLE = "arena"
    ALLOW_SELECT = False  # the mouse plays moves
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave(0)", show=False),
        Binding("ctrl+c", "leave(130)", priority=True, show=False),
    ]

    def __init__(self, screen: Screen[Any], opener: Opener | None = None):
        self.ascii = ascii_only()
        """Whether the terminal is sent nothing but ASCII."""
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self._first, self._opener = screen, opener
        self._opening = False

    def on_mount(self) -> None:
        """Show the screen."""
        self.push_screen(self._first)

    def get_key_display(self, binding: Binding) -> str:
        """The sign of a key; a word where the terminal has no such sign."""
        display = super().get_key_display(binding)
        return KEYS_IN_ASCII.get(display, display) if self.ascii else display

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours of the seats, `$seat-0` and on, for themes that are not ours."""
        dark = self.current_theme.dark
        return {f"seat-{seat}": colour for seat, colour in enumerate(SEATS[dark])} | {
            "good": "ansi_green" if self.current_theme.ansi else SEATS[dark][2],
            "bad": "ansi_red" if self.current_theme.ansi else SEATS[dark][1],
        }

    def get_driver_class(self) -> type[Driver]:
        """The driver of this system, for terminals that go away, and those that know no more than ASCII."""
        return terminal_driver(super().get_driver_class(), self.ascii)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the command palette offers: everything that has a key here, by what it does."""
        offered = {"command_palette"}
        for active in screen.active_bindings.values():
            binding = active.binding
            action = binding.action.removeprefix("app.")
            if binding.tooltip and action not in offered:  # a letter and its capital do the same
                offered.add(action)
                title = binding.tooltip[:1].upper() + binding.tooltip[1:]
                help_text = f"{binding.description} ({self.get_key_display(binding)})"
                yield SystemCommand(title, help_text, partial(self._act, binding.action, active.node))
        yield SystemCommand("Quit", "leave the arena (ctrl+q)", partial(self.action_leave, 0))
        yield SystemCommand("Save a picture of the screen", "as SVG", self.deliver_screenshot)

    async def _act(self, action: str, node: Any) -> None:
        await self.run_action(action, node)

    def open(self, words: Sequence[str]) -> None:
        """Show the screen of a command on top of this one; what is wrong with it is said on this one.

        The command is made ready in a thread: agents may take seconds to load.
        """
        if self._opener is not None and not self._opening:
            self._opening = True
            self._news(f"opening: arena {' '.join(words)} …")
            self.run_worker(self._show(self._opener, list(words)), name="open")

    async def _show(self, opener: Opener, words: Sequence[str]) -> None:
        """Show a command's screen until it is left; what it holds (agents, a store) is given back then."""
        thread = Thinker()
        try:
            manager = opener(words)
            shown = await thread.run(manager.__enter__)
        except UsageError as error:
            self._news(str(error), "refusal")
            return
        finally:
            self._opening = False
            thread.close()
        try:
            self._news("")
            await self.push_screen_wait(shown)
        finally:
            manager.__exit__(None, None, None)

    def _news(self, text: str, tone: str = "plain") -> None:
        if isinstance(self.screen, Says):
            self.screen.say(text, tone)

    def action_open(self, words: str) -> None:
        """Show the screen of a command, its words divided by spaces."""
        self.open(words.split())

    async def action_back(self) -> None:
        """Leave this screen for the one below; the last one for the shell."""
        below = [screen for screen in self.screen_stack[1:] if not isinstance(screen, ModalScreen)]
        if len(below) > 1:
            self.screen.dismiss()
        else:
            self.action_leave(0)

    def action_toggle_theme(self) -> None:
        """Between light and dark."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    @property
    def fault(self) -> Exception | None:
        """What a screen, or the work that it had begun, has raised; it ends the application."""
        raised = self._exception.error if isinstance(self._exception, WorkerFailed) else self._exception
        return raised if isinstance(raised, Exception) else None

    def _fatal_error(self) -> None:
        """Leave; whoever has launched this says why, in place of textual's page."""
        self._close_messages_no_wait()

    def action_leave(self, status: int) -> None:
        """Leave with this exit status."""
        self.exit(return_code=status)


def require_terminal() -> None:
    """`UsageError` where there is no terminal to take over, and no browser that stands for one."""
    if "TEXTUAL_DRIVER" in os.environ:  # served to a browser: `arena serve`
        return
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output"), (sys.stderr, "error output")):
        if stream is None or not stream.isatty():
            raise UsageError(f"this needs a terminal, and standard {name} is not one")


def launch(screen: Screen[Any], opener: Opener | None = None) -> int:
    """Take over the terminal with a screen until the person leaves; returns the exit status, 130 after Ctrl-C.

    Raises `UsageError` where there is no terminal, and, with the terminal as it was before, what a screen raised.
    """
    require_terminal()
    app = ArenaApp(screen, opener)
    asyncio.run(_run(app))
    if app.fault is not None:
        raise app.fault
    return app.return_code or 0


async def _run(app: ArenaApp) -> None:
    """Run the application; a polite end from outside, too, goes through it, and leaves the terminal clean."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows has none of this
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, app.action_leave, 128 + number)
    await app.run_async()
