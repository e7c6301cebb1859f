"""`arena worker`: play the games of a ladder server on this machine."""

import re
import signal
import socket
import sys
from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.base.checks import numbers_in, require_at_least
from arena.base.extras import extra_imported


@dataclass(frozen=True)
class Options:
    """Play the games of a ladder server, until Ctrl-C.

    The environment variable ARENA_KEY holds your key, of an account with the role worker. Games go on while the
    server is away, and are reported when it is back. Bots that are programs run in the sandbox of this machine;
    without one it is given none.
    """

    url: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="URL")]
    """Address of the server: https://arena.example.org."""
    name: str = ""
    """Name of this worker, one of its own for each that you start; by default that of the machine."""
    sandbox: bool = False
    """Take programs, and run them in a sandbox: bubblewrap, or the one that ARENA_SANDBOX names."""
    workers: Annotated[str, tyro.conf.arg(metavar="N|ray|ray://HOST:PORT")] = "1"
    """Jobs that are played at the same time: a number of processes of this machine, or all cores of a Ray cluster."""
    jobs: int = 0
    """End after so many jobs; 0 for no end."""
    quiet: bool = False
    """Print no line for each job."""

    def __post_init__(self) -> None:
        require_at_least(0, **numbers_in(self, "jobs"))


def run(options: Options) -> int:
    """Play until the end; return the exit status."""
    with extra_imported("worker", "server"):
        from arena.server.client import Client
        from arena.server.worker_team import make_team
    if options.sandbox:
        from arena.match.containment import switch_on_sandbox

        switch_on_sandbox()
    name = options.name or re.sub(r"[^a-z0-9_-]", "-", socket.gethostname().lower()).strip("-_")[:32] or "worker"
    tell = _silent if options.quiet else _tell
    worker = make_team(Client.of_environment(options.url), name, options.sandbox, options.workers, tell)
    signal.signal(signal.SIGTERM, lambda number, frame: worker.stop())
    worker.run(options.jobs or None)
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _silent(line: str) -> None:
    pass
