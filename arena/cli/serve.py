"""`arena serve`: the terminal's screens in a browser."""

import os
import shlex
import sys
from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.base.checks import numbers_in, require_between
from arena.base.extras import extra_imported
from arena.base.passwords import handed_on


@dataclass(frozen=True)
class Options:
    """Serve a web page with the home screen, or with the screen of a command.

    The address that it prints ends in a token, without which nobody is let in. Everybody who opens it gets a separate
    screen, which runs on this machine as your user, with your files; with --read-only, keys and the mouse do nothing in
    it. By default only this machine can reach the page. With another --host, note that nothing is encrypted: where
    others share the network, put a proxy with TLS before it.
    """

    command: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="COMMAND", help_behavior_hint="(home)")] = ""
    """Command to serve, in quotes: "play connect_four mcts:400 --seat 2"."""
    host: str = "127.0.0.1"
    """Address to listen on; 127.0.0.1 for this machine alone, 0.0.0.0 for all machines that can reach it."""
    port: int = 8000
    """Port to listen on."""
    read_only: bool = False
    """Let visitors look only: serve a command that needs no keys, such as watch."""

    def __post_init__(self) -> None:
        require_between(1, 65535, **numbers_in(self, "port"))


def run(options: Options) -> int:
    """Serve until Ctrl-C; return the exit status."""
    words = shlex.split(options.command)
    if words:
        from arena.cli.opening import screen_of_command

        with screen_of_command(words):  # to report errors before anybody opens the page
            pass
    with extra_imported("serve", "web"):
        from arena.tui.services.serving import serve
    words, secret = handed_on(words)
    os.environ.update(secret)  # for the screens' processes, whose command lines must not show passwords
    serve(shlex.join([sys.executable, "-m", "arena", *words]), options.host, options.port, options.read_only)
    return 0
