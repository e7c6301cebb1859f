"""`arena agents`: the agents that can play, and those that can be trained."""

import json
from dataclasses import dataclass

from arena.base.tables import Column, print_table
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
    columns = (
        Column("agent", least=24),
        Column("what it is", least=24),
        Column("training", rank=1),
        Column("actions", rank=2),
        Column("paper", rank=3),
    )
    print_table(columns, [[row[key] for key in ("agent", "what", "training", "actions", "paper")] for row in rows])
    return 0
