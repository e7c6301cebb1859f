"""Check what must never fail, and keep how often it held: python scripts/reliability.py [SECTION ...] [--csv FILE].

    rules       random games beside OpenSpiel's and PettingZoo's games, compared before every move (extra `bench`)
    kills       trainings, tournaments and a ladder server killed at random moments, beside the same ones left alone
    intervals   ratings of a simulated ladder beside the strengths behind them

Rows of scripts/reliability.csv become docs/measured/reliability.md by scripts/measured_pages.py. The exit status is 1
if something did not hold.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from kept_rows import keep
from reliable import intervals, kills, rules
from reliable.check import Check

SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[Check]]] = {
    "rules": lambda options: rules.checks(options.seed),
    "kills": lambda options: kills.checks(options.kills, options.seed),
    "intervals": lambda options: intervals.checks(options.seed),
}
MAY_MISS = {"intervals": 0.05}
"""Share that need not hold; none in other sections."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; all without one")
    parser.add_argument("--kills", type=int, default=20, help="how often each training and tournament is killed")
    parser.add_argument("--seed", type=int, default=0, help="fixes games and moments")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows there; those of other sections stay")
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"unknown section {name!r}; known: {', '.join(SECTIONS)}")
    if options.kills < 1:
        parser.error(f"--kills {options.kills} are too few: 1 or more")
    failed = False
    for name in options.sections or SECTIONS:
        rows = []
        for check in SECTIONS[name](options):
            rows.append(check)
            failed |= check.held < (1 - MAY_MISS.get(name, 0)) * check.tried
            print(f"{check.held:,} of {check.tried:,} {check.unit}  {check.what}  ({check.seconds:.0f} s)", flush=True)
        if options.csv:
            keep(options.csv, name, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
