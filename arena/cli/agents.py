"""`arena agents`: the agents that can play, and those that can be trained."""

import json
from dataclasses import dataclass

from rich.box import SIMPLE
from rich.table import Column, Table
from rich.text import Text

from arena.base.terminal import make_console
from arena.policy.registry import AGENTS, agent_kind


@dataclass(frozen=True)
class Options:
    """List the agents with the spec that names each, and which of them 'arena train' can train."""

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
    make_console().print(table)
    return 0
