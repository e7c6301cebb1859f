"""`arena agents`: who can play, and what can be trained."""

import json
from dataclasses import dataclass

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from arena.registry import AGENTS, agent_kind


@dataclass(frozen=True)
class Options:
    """List the agents: how a spec names one, and which can be trained with `arena train`."""

    json: bool = False
    """Print JSON instead of a table."""


def run(options: Options) -> int:
    """Print the list."""
    rows = []
    for name in AGENTS.names():
        kind = agent_kind(name)
        spec = f"{name}:{kind.argument}" if kind.argument else name
        trained = f"{kind.algorithm.data}, {kind.algorithm.paper}" if kind.algorithm else ""
        rows.append({"agent": spec, "what": kind.summary, "training": trained})
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    table = Table(Column("agent", no_wrap=True), "what it is", "training", box=SIMPLE, padding=(0, 1, 0, 0))
    for row in rows:
        table.add_row(row["agent"], row["what"], row["training"])
    Console().print(table)
    return 0
