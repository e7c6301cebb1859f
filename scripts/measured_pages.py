"""Write the tables of docs/measured from the rows that other scripts keep: python scripts/measured_pages.py.

scripts/benchmark.py --csv scripts/speed.csv, and scripts/learning_checks.py --csv scripts/learning_checks.csv, write
these rows. No number of the tables is typed by hand.
"""

import argparse
from pathlib import Path

from handbook import learned, speed
from marked import with_part

MEASURED = Path(__file__).parents[1] / "docs" / "measured"
BEGIN, END = "<!-- written by scripts/measured_pages.py -->", "<!-- end of the tables -->"
PAGES = {"speed.md": speed.tables, "learning.md": learned.by_task}
"""Pages, and what makes the tables between their marks."""


def page(name: str) -> str:
    """Return a page with its tables made anew."""
    return with_part(MEASURED / name, BEGIN, END, PAGES[name]())


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for name in PAGES:
        (MEASURED / name).write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
