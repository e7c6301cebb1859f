"""`arena agents`: who can play, and what can be trained."""

import json
from dataclasses import dataclass

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

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
        row = {"agent": spec, "what": kind.summary, "actions": "discrete", "training": "", "paper": ""}
        if (algorithm := kind.algorithm) is not None:
            row |= {"actions": ", ".join(algorithm.actions), "training": algorithm.data, "paper": algorithm.paper}
        rows.append(row)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    columns = (Column("agent", no_wrap=True), "what it is", "actions", Column("training", no_wrap=True))
    table = Table(*columns, box=SIMPLE, padding=(0, 1, 0, 0))
    for row in rows:
        what = Text.assemble(row["what"], (f"\n{row['paper']}" if row["paper"] else "", "dim"))
        table.add_row(row["agent"], what, row["actions"], row["training"])
    Console().print(table)
    return 0
