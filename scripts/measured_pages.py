"""Write the tables of docs/measured from the rows that other scripts keep: python scripts/measured_pages.py.

The rows are those of scripts/benchmark.py, learning_checks.py, equilibrium_checks.py, solver_checks.py,
alphazero_checks.py, hosted_learning.py and reliability.py, each with --csv and a file beside it. No number of the
tables is typed by hand.
"""

import argparse
from pathlib import Path

from handbook import learned, reliability, solvers, speed
from marked import with_part

MEASURED = Path(__file__).parents[1] / "docs" / "measured"
PARTS = {
    ("speed.md", "speed"): speed.tables,
    ("learning.md", "checks"): learned.by_task,
    ("learning.md", "equilibria"): learned.near_equilibria,
    ("learning.md", "alphazero"): learned.of_alphazero,
    ("learning.md", "hosted"): learned.in_hosted_games,
    ("learning.md", "solvers"): solvers.regret,
    ("learning.md", "pools"): solvers.pools,
    ("reliability.md", "reliability"): reliability.tables,
}
"""Pages and their parts between marks, and what makes these."""


def with_tables(page: str, part: str) -> str:
    """Return a page with one part made anew."""
    begin, end = f"<!-- {part}, written by scripts/measured_pages.py -->", f"<!-- end of {part} -->"
    return with_part(MEASURED / page, begin, end, PARTS[page, part]())


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for page, part in PARTS:
        (MEASURED / page).write_text(with_tables(page, part), encoding="utf-8")


if __name__ == "__main__":
    main()
