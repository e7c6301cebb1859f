"""Pages of figures, from the tables that scripts have written: no number is typed by hand."""

import csv
from pathlib import Path

from handbook.markdown import table, toctree

SCRIPTS = Path(__file__).parents[1]
TABLES = {
    "learning_checks": (
        "Learning checks",
        "python scripts/learning_checks.py",
        "Each algorithm from three seeds, on one thread.",
    ),
    "league_checks": ("Leagues on small games", "python scripts/league_checks.py small", "Exploitability, exact."),
    "league_connect_four": (
        "Leagues on Connect Four",
        "python scripts/league_checks.py connect-four --out DIR",
        "Elo and exploiters.",
    ),
    "equilibrium_checks": (
        "Networks on the way to equilibria",
        "python scripts/equilibrium_checks.py",
        "Exact exploitability on the way.",
    ),
    "alphazero_checks": (
        "Trainings of AlphaZero",
        "python scripts/alphazero_checks.py RUN GAME",
        "Moves that keep the value of solved positions, and scores against searches.",
    ),
    "solver_checks": (
        "Solvers of small games",
        "python scripts/solver_checks.py",
        "Exploitability of CFR and PSRO, exact.",
    ),
    "reliability": (
        "Reliability",
        "python scripts/reliability.py",
        "Rules beside other implementations, kills, intervals.",
    ),
    "hosted_learning": (
        "Learning in games of other packages",
        "python scripts/hosted_learning.py",
        "What PPO earns beside random agents, three seeds each.",
    ),
    "hosted_catalogue": (
        "OpenSpiel's catalogue",
        "python scripts/hosted_catalogue.py",
        "Which of its games play here, and how.",
    ),
}
"""Each table of results, its title, the command that writes it, and what it holds."""


def pages() -> dict[str, str]:
    """Return a page for every table of results, and their list."""
    made = {f"measured/rows/{name}.md": rows_page(name) for name in TABLES}
    rows = ([f"[{title}]({name}.md)", text, f"`{command}`"] for name, (title, command, text) in TABLES.items())
    head = "# All rows\n\nThe tables that scripts have written, row by row."
    index = "\n\n".join([head, table(["table", "holds", "written by"], rows), toctree(TABLES)])
    return {**made, "measured/rows/index.md": index}


def rows_page(name: str) -> str:
    """Return the page of one table."""
    title, command, text = TABLES[name]
    with (SCRIPTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    cells = ([f"`{cell}`" if "_" in cell else cell for cell in row] for row in rows)
    return "\n\n".join([f"# {title}", f"{text} Written by `{command}`.", table(head, cells)])
