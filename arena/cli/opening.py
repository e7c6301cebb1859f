"""Screens of commands: making one from an intent or a command line, and showing it in the terminal."""

import importlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from arena.base.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from textual.screen import Screen

    from arena.tui.state.intents import Intent


@runtime_checkable
class HasScreen(Protocol):
    """The module of a command that shows a screen."""

    def screen(self, options: Any) -> AbstractContextManager["Screen[Any]"]:
        """Return the screen that the options describe."""


@runtime_checkable
class Opened(HasScreen, Protocol):
    """The module of a command whose screen others open."""

    def options_of(self, intent: Any) -> Any:
        """Return the options that an intent stands for."""


def screen_of(intent: "Intent") -> AbstractContextManager["Screen[Any]"]:
    """Return the screen that another screen asks for; `UsageError` if there is none."""
    module = importlib.import_module(f"arena.cli.{intent.command}")
    if not isinstance(module, Opened):
        raise UsageError(f"arena {intent.command} is opened by no screen")
    return module.screen(module.options_of(intent))


@contextmanager
def screen_of_command(words: Sequence[str]) -> Iterator["Screen[Any]"]:
    """Yield the screen that `arena WORDS` would show, and release its resources at the end.

    Raises `UsageError` if the words are wrong or the command has no screen.
    """
    from arena.cli.main import COMMANDS
    from arena.cli.reading import options_type, read_options

    command, *arguments = words
    if command not in COMMANDS:
        raise UnknownNameError("command", command, COMMANDS)
    module = importlib.import_module(f"arena.cli.{command.replace('-', '_')}")
    if not isinstance(module, HasScreen):
        raise UsageError(f"arena {command} shows no screen")
    with module.screen(read_options(options_type(module, arguments), f"arena {command}", arguments)) as screen:
        yield screen


def show(screen: AbstractContextManager["Screen[Any]"]) -> int:
    """Show a command's screen in the terminal until the user leaves; return the exit status."""
    from arena.tui.app import launch

    with screen as opened:
        return launch(opened, screen_of)
