"""Compare naive self-play with leagues, on games with cycles and on Connect Four.

    python scripts/league_checks.py small [--seeds 0 1 2] [--csv FILE]
    python scripts/league_checks.py connect-four --out runs/leagues [--budget 10m] [--exploiter-budget 10m]
                                                 [--seeds 0 1 2] [--threads 2] [--games 100]

`small` measures the exact exploitability of a training's last policy and of the mixture of its league's members, on
rock-paper-scissors, a cyclic matrix game of five and Kuhn poker, beside PSRO with exact best responses. `connect-four`
rates agents of four leagues, trained for the same number of moves, and trains a fresh exploiter against each. The same
command resumes an interrupted check; table.csv and table.md go into its folder.
"""

import argparse
import sys
from pathlib import Path

from leagues import connect_four, small_games

from arena.base.errors import UsageError


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    small = parts.add_parser("small")
    small.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    small.add_argument("--csv", type=Path, metavar="FILE", help="write the table there")
    large = parts.add_parser("connect-four")
    large.add_argument("--out", type=Path, required=True, help="folder of all results")
    large.add_argument("--budget", default="10m", help="time of each training: 1m, 10m")
    large.add_argument("--exploiter-budget", default="10m", help="time of each exploiter's training")
    large.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    large.add_argument("--snapshots", type=int, default=20)
    large.add_argument("--boards", type=int, default=512, help="training games played at the same time")
    large.add_argument("--threads", type=int, default=2, help="threads of each training")
    large.add_argument("--games", type=int, default=100, help="games of each pair in the tournament")
    large.add_argument("--exploiter-games", type=int, default=1000)
    options = vars(parser.parse_args())
    try:
        if options.pop("part") == "small":
            small_games.run(options["seeds"], options["csv"])
        else:
            options["seeds"] = tuple(options["seeds"])
            rows = connect_four.compare(connect_four.Options(**options), lambda text: print(text, flush=True))
            print(connect_four.as_markdown(rows), end="")
    except UsageError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
