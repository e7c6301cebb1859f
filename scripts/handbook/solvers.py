"""Tables of how close solvers come to equilibria, from the rows of scripts/solver_checks.py."""

from pathlib import Path

import kept_rows

from handbook.markdown import table

ROWS = Path(__file__).parents[1] / "solver_checks.csv"
PUBLISHED = ("published (Muller et al. 2020, payoffs from 1,000 games)", "0.79", "0.13", "0.042 (at 29)")
"""NashConv on Kuhn poker by the size of the pools."""


def regret() -> str:
    """Return the table of counterfactual regret minimization, beside OpenSpiel's."""
    rows = [row for row in kept_rows.read(ROWS) if row["section"] == "cfr"]
    lines = ([f"`{row['game']}`", row["solver"], row["size"], row["peer"], row["ours"]] for row in rows)
    return table(["game", "solver", "iterations", "OpenSpiel", "ours"], lines)


def pools() -> str:
    """Return the table of PSRO: a line for each way, a column for each size of the pools."""
    rows = [row for row in kept_rows.read(ROWS) if row["section"] == "psro"]
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    columns: dict[str, list[str]] = {}
    for row in rows:
        seeds = f", {row['seeds']} seeds" if row["seeds"] != "1" else ""
        columns.setdefault(row["solver"] + seeds, []).append(row["ours"])
    return table(["members", *sizes], [PUBLISHED, *([name, *values] for name, values in columns.items())])
