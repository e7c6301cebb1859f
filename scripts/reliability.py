"""Check what must never fail, and keep how often it passed: python scripts/reliability.py [SECTION ...] [--csv FILE].

    rules       random games beside OpenSpiel's and PettingZoo's games, compared before every move (extra `bench`)
    kills       trainings, tournaments and a ladder server killed at random moments, beside the same ones left alone
    forgers     workers of a ladder server that forge results: found, and what they forged replaced
    intervals   ratings of a simulated ladder beside the strengths behind them
    clocks      games under a short clock on loaded cores: 1.5 hours of two cores, which go on after a kill (--store)

Rows of scripts/reliability.csv become docs/measured/reliability.md by scripts/measured_pages.py. The exit status is 1
if something did not hold.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from reliable import clocks, forgers, intervals, kills, rules
from reliable.check import Check
from sections import measure, parse_sections, section_parser

SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[Check]]] = {
    "rules": lambda options: rules.checks(options.seed),
    "kills": lambda options: kills.checks(options.kills, options.seed),
    "forgers": lambda options: forgers.checks(options.seed),
    "intervals": lambda options: intervals.checks(options.seed),
    "clocks": lambda options: clocks.checks(options.store, options.seed),
}
MAY_MISS = {"intervals": 0.05}
"""Share that need not hold; none in other sections."""


def main() -> int:
    parser = section_parser(__doc__, SECTIONS)
    parser.add_argument("--kills", type=int, default=20, help="how often each training and tournament is killed")
    parser.add_argument("--seed", type=int, default=0, help="fixes games and moments")
    parser.add_argument("--store", type=Path, default=Path("runs/clocks.db"), help="keeps the games of clocks")
    options = parse_sections(parser, SECTIONS)
    if options.kills < 1:
        parser.error(f"--kills {options.kills} are too few: 1 or more")
    checks: list[Check] = measure(options, lambda name: SECTIONS[name](options), text)
    return int(any(check.passed < (1 - MAY_MISS.get(check.section, 0)) * check.tried for check in checks))


def text(check: Check) -> str:
    return f"{check.passed:,} of {check.tried:,} {check.unit}  {check.what}  ({check.seconds:.0f} s)"


if __name__ == "__main__":
    sys.exit(main())
