"""From the words of a command to its screen, and taking over the terminal with one that opens others."""

import importlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from arena.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from textual.screen import Screen


@contextmanager
def screen_of(words: Sequence[str]) -> Iterator["Screen[Any]"]:
    """The screen of a command, as `arena WORDS` would show it; what it holds is given back at the end.

    Raises `UsageError` if the words are wrong, or the command has no screen.
    """
    from arena.cli.main import COMMANDS
    from arena.cli.reading import read_options

    command, *arguments = words
    if command not in COMMANDS:
        raise UnknownNameError("command", command, COMMANDS)
    module = importlib.import_module(f"arena.cli.{command.replace('-', '_')}")
    if not hasattr(module, "screen"):
        raise UsageError(f"arena {command} shows no screen")
    options_type = module.options_for(arguments) if hasattr(module, "options_for") else module.Options
    with module.screen(read_options(options_type, f"arena {command}", arguments)) as shown:
        yield shown


def show(screen: AbstractContextManager["Screen[Any]"]) -> int:
    """Take over the terminal with a command's screen until the person leaves; returns the exit status."""
    from arena.tui.app import launch

    with screen as shown:
        return launch(shown, screen_of)
