"""`arena serve`: the screens of the terminal in a browser."""

import shlex
import sys
from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.config import require_between
from arena.errors import UsageError


@dataclass(frozen=True)
class Options:
    """Serve the screens on a page for the browser: the home screen, or that of a command.

    Everybody who opens the page gets a screen of their own, which runs here, as you, with your files. The page is bound
    to this machine unless --host says otherwise: beyond it there is no password, and no encryption.
    """

    command: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="COMMAND", help_behavior_hint="(home)")] = ""
    """What is served, in quotes: "play connect_four mcts:400 --seat 2"."""
    host: str = "127.0.0.1"
    """Address that it is bound to; 127.0.0.1 is this machine alone, 0.0.0.0 all that can reach it."""
    port: int = 8000
    """Port that it is bound to."""

    def __post_init__(self) -> None:
        require_between(self, 1, 65535, "port")


def run(options: Options) -> int:
    """Serve until Ctrl-C; returns the exit status."""
    words = shlex.split(options.command)
    if words:
        from arena.cli.opening import screen_of

        with screen_of(words):  # here its mistakes can be told before anybody has opened the page
            pass
    try:
        from arena.tui.serving import serve
    except ModuleNotFoundError as error:
        raise UsageError(f"serve needs the package {error.name}; pip install 'arena-marl[web]'") from None
    serve(shlex.join([sys.executable, "-m", "arena", *words]), options.host, options.port)
    return 0
