"""`arena sandbox`: what the sandbox for external programs contains on this machine."""

import json
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from arena.base.tables import Column, print_table
from arena.match.containment import try_sandbox


@dataclass(frozen=True)
class Options:
    """Try what the sandbox of this machine contains: a program in it does all that a hostile one would.

    It tries to reach the network, to read and write files, to find, signal and trace other processes, to gain rights,
    and to use up memory, disk and processes, and a line says of each attempt whether it was contained. Nothing that
    succeeds does harm. The exit status is 1 if something was not contained, 2 if there is no sandbox.
    """

    action: Annotated[Literal["check"], tyro.conf.Positional] = "check"
    """What to do."""
    kind: Literal["bubblewrap", "runsc", "landlock"] = "bubblewrap"
    """Sandbox that is tried."""
    json: bool = False
    """Print JSON instead of a table."""


def run(options: Options) -> int:
    """Print a line an attempt; return the exit status."""
    report = try_sandbox(options.kind)
    escaped = sum(report.values())
    if options.json:
        print(json.dumps({what: {"contained": not possible} for what, possible in report.items()}, indent=2))
    else:
        rows = [(what, "possible" if possible else "contained") for what, possible in report.items()]
        print_table([Column("attempt"), Column("in the sandbox")], rows)
        print(f"\n{len(report) - escaped} of {len(report)} attempts are contained by {options.kind} and the guard.")
    return 1 if escaped else 0
