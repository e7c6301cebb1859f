"""Table of what must never fail, from the rows of scripts/reliability.py."""

from pathlib import Path

import kept_rows

from handbook.markdown import table

ROWS = Path(__file__).parents[1] / "reliability.csv"
HEAD = ("what", "tried", "passed", "seconds", "date")
SECTIONS = {
    "rules": "## Rules beside other implementations",
    "kills": "## Killed and resumed",
    "forgers": "## Forged results of a ladder server",
    "intervals": "## Intervals of ratings",
    "clocks": "## Short clocks on loaded cores",
}


def tables() -> str:
    """Return a table for each section."""
    rows = kept_rows.read(ROWS)
    parts = []
    for section, title in SECTIONS.items():
        lines = ([*_figures(row), row["seconds"], row["date"]] for row in rows if row["section"] == section)
        parts += [title, table(HEAD, lines)]
    machines = sorted({row["machine"] for row in rows})
    return "\n\n".join([*parts, f"Measured on {'; '.join(machines)}."])


def _figures(row: dict[str, str]) -> list[str]:
    tried, passed = int(row["tried"]), int(row["passed"])
    share = "all" if passed == tried else f"{passed:,} ({100 * passed / tried:.4g} %)"
    return [row["what"], f"{tried:,} {row['unit']}", share]
