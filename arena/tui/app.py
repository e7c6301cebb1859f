"""The terminal application: its stack of screens, themes, commands, and control of the terminal."""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import ModalScreen, Screen
from textual.worker import WorkerFailed

from arena.base.errors import UsageError
from arena.tui.drawing.theme import DARK, LIGHT, SEATS
from arena.tui.driver import terminal_driver
from arena.tui.printable import Printable
from arena.tui.screens.palette import Palette
from arena.tui.services.background import BackgroundThread
from arena.tui.state.intents import Intent, OpenScreen
from arena.tui.state.plain import ascii_only
from arena.tui.terminal import PixelScreen, pixel_screen

Opener = Callable[[Intent], AbstractContextManager[Screen[Any]]]
"""Make the screen that an intent asks for; `UsageError` if there is none."""

KEYS_IN_ASCII = {"↵": "enter", "␣": "space", "↑": "up", "↓": "down"}


@runtime_checkable
class Notifier(Protocol):
    """A screen with a line for news."""

    def say(self, text: str, tone: Any = "plain") -> None:
        """Show one line of news."""


class ArenaApp(App[None]):
    """Application with a stack of screens; its return code is the exit status.

    Args:
        screen: the first screen.
        opener: makes the screens that other screens ask for; None if none can be opened.
        pixel_screen: the graphics of the terminal; None if it shows characters alone.

    """

    CSS_PATH = "arena.tcss"
    TITLE = "arena"
    ALLOW_SELECT = False  # the mouse plays moves
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave(0)", show=False),
        Binding("ctrl+c", "leave(130)", priority=True, show=False),
        Binding("ctrl+z", "suspend_process", priority=True, show=False),
    ]

    def __init__(self, screen: Screen[Any], opener: Opener | None = None, pixel_screen: PixelScreen | None = None):
        self.ascii = ascii_only()
        """True if the terminal may be sent ASCII only."""
        super().__init__()
        self._filters.append(Printable())
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self._first_screen, self._opener, self.pixel_screen = screen, opener, pixel_screen
        self._opening = False

    def on_mount(self) -> None:
        """Show the first screen."""
        self.push_screen(self._first_screen)

    def get_key_display(self, binding: Binding) -> str:
        """Return the symbol of a key, or a word where the terminal lacks the symbol."""
        display = super().get_key_display(binding)
        return KEYS_IN_ASCII.get(display, display) if self.ascii else display

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the colours of the seats, `$seat-0` and on, for themes that define none."""
        dark = self.current_theme.dark
        return {f"seat-{seat}": colour for seat, colour in enumerate(SEATS[dark])} | {
            "good": "ansi_green" if self.current_theme.ansi else SEATS[dark][2],
            "bad": "ansi_red" if self.current_theme.ansi else SEATS[dark][1],
        }

    def get_driver_class(self) -> type[Driver]:
        """Return this system's driver, made safe for terminals that close or know only ASCII."""
        return terminal_driver(super().get_driver_class(), self.ascii)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Yield the commands of the palette: everything that has a key here, by its description."""
        offered = {"command_palette"}
        for active in screen.active_bindings.values():
            binding = active.binding
            action = binding.action.removeprefix("app.")
            if binding.tooltip and action not in offered:  # a letter and its capital do the same
                offered.add(action)
                title = binding.tooltip[:1].upper() + binding.tooltip[1:]
                help_text = f"{binding.description} ({self.get_key_display(binding)})"
                yield SystemCommand(title, help_text, partial(self._act, binding.action, active.node))
        yield SystemCommand("Quit", "leave the arena (ctrl+c)", partial(self.action_leave, 0))
        yield SystemCommand("Save a picture of the screen", "as SVG", self.deliver_screenshot)

    def action_command_palette(self) -> None:
        """Show the command palette unless it is open already."""
        if self.use_command_palette and not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    async def _act(self, action: str, node: Any) -> None:
        await self.run_action(action, node)

    def on_open_screen(self, message: OpenScreen) -> None:
        """Show the screen of an intent on top of this one; one that cannot be opened is reported as news.

        It is loaded in a background thread, since agents may take seconds.
        """
        if self._opener is not None and not self._opening:
            self._opening = True
            self._news(f"opening: arena {shlex.join(message.intent.words)} …")
            self.run_worker(self._show(self._opener, message), name="open")

    async def _show(self, opener: Opener, message: OpenScreen) -> None:
        """Show the screen of an intent until it is left, then release its resources (agents, a store)."""
        thread = BackgroundThread()
        try:
            manager = opener(message.intent)
            shown = await thread.run(manager.__enter__)
        except UsageError as error:
            if message.answer is not None:
                await message.answer(str(error))
            else:
                self._news(str(error), "refusal")
            return
        finally:
            self._opening = False
            thread.close()
        try:
            self._news("")
            if message.answer is not None:
                await message.answer("")
            await self.push_screen_wait(shown)
        finally:
            manager.__exit__(None, None, None)

    def _news(self, text: str, tone: str = "plain") -> None:
        if isinstance(self.screen, Notifier):
            self.screen.say(text, tone)

    async def action_back(self) -> None:
        """Leave this screen for the one below; leave the application from the last."""
        below = [screen for screen in self.screen_stack[1:] if not isinstance(screen, ModalScreen)]
        if len(below) > 1:
            self.screen.dismiss()
        else:
            self.action_leave(0)

    def action_toggle_theme(self) -> None:
        """Switch between the light and the dark theme."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    @property
    def fault(self) -> Exception | None:
        """The exception that ended the application, raised by a screen or by its background work; else None."""
        raised = self._exception.error if isinstance(self._exception, WorkerFailed) else self._exception
        return raised if isinstance(raised, Exception) else None

    def _fatal_error(self) -> None:
        """Exit without textual's error page: `launch` raises the error to its caller."""
        self._close_messages_no_wait()

    def action_leave(self, status: int) -> None:
        """Exit with this status."""
        self.exit(return_code=status)


def require_terminal() -> None:
    """Raise `UsageError` if there is neither a terminal to take over nor a browser in its place."""
    if "TEXTUAL_DRIVER" in os.environ:  # served to a browser: `arena serve`
        return
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output"), (sys.stderr, "error output")):
        if stream is None or not stream.isatty():
            raise UsageError(f"this needs a terminal, and standard {name} is not one")


def launch(screen: Screen[Any], opener: Opener | None = None) -> int:
    """Take over the terminal with a screen until the user leaves; return the exit status, 130 after Ctrl-C.

    Raise `UsageError` if there is no terminal. Errors of screens are raised after the terminal has been restored.
    """
    require_terminal()
    terminal = None if ascii_only() or os.environ.get("NO_COLOR") else pixel_screen()
    app = ArenaApp(screen, opener, terminal)
    asyncio.run(_run(app))
    if terminal is not None:
        print(end=terminal.graphics.farewell(), flush=True)
    if app.fault is not None:
        raise app.fault
    return app.return_code or 0


async def _run(app: ArenaApp) -> None:
    """Run the application; SIGTERM and SIGHUP leave through it too, so that the terminal is restored."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows has none of this
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, app.action_leave, 128 + number)
    await app.run_async()
