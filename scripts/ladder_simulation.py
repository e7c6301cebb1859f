"""Simulate a public ladder: a million agents of known strength, twenty million games, ratings after every game.

python scripts/ladder_simulation.py [--agents N] [--games N] [--deviation ELO] [--draws SHARE] [--seed N]

Only the games are simulated; pairing by rating and uncertainty and rating game by game are real, on one core. Ratings
are compared with the strengths. For the best agents by true strength, which only a simulation knows, intervals cover
less often than 95 %, as expected: an interval is centred on the likeliest strength of an agent with such games, and
the truly best lie above it.
"""

import argparse
import resource
import time

import numpy as np
from numba import njit

from arena.base.intervals import NORMAL_95
from arena.ratings.ladder import RatingLadder, next_pair, record

REPORTS = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=1_000_000, help="how many agents there are, 2 or more")
    parser.add_argument("--games", type=int, default=20_000_000, help="how many games they play")
    parser.add_argument(
        "--deviation", type=float, default=300.0, help="standard deviation of the strengths around 1500, in Elo"
    )
    parser.add_argument("--draws", type=float, default=0.3, help="share of draws between equals")
    parser.add_argument("--seed", type=int, default=0, help="fixes everything")
    options = parser.parse_args()
    if options.agents < 2 or options.games < 1:
        parser.error(f"{options.agents} agents and {options.games} games are no ladder: 2 and 1 at the least")
    if not (options.deviation >= 0 and 0 <= options.draws <= 1):
        parser.error(f"a deviation of {options.deviation} and {options.draws} draws are not from 0, and from 0 to 1")
    truth = np.random.default_rng(options.seed).normal(1500, options.deviation, options.agents)
    ladder = RatingLadder(options.agents, options.seed)
    play(RatingLadder(2, 0), truth[:2], 1, options.draws)  # compiles
    print(f"{options.agents:,} agents, {options.games:,} games")
    spent = 0.0
    for part in range(1, REPORTS + 1):
        games = options.games * part // REPORTS - options.games * (part - 1) // REPORTS
        before = time.process_time()
        play(ladder, truth, games, options.draws)
        spent += time.process_time() - before
        so_far = f"{options.games * part // REPORTS:>13,} games  {spent:8.1f} s"
        print(f"{so_far}  {accuracy(ladder, truth, ladder.agents['games'] > 0)}", flush=True)
    for name, strength in (("rating", ladder.ratings), ("true strength", truth)):
        best = np.argsort(-strength)[: max(options.agents // 100, 1)]
        print(f"the best hundredth by {name}: {accuracy(ladder, truth, best)}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{options.games / spent:,.0f} games a second on one core, {memory:.2f} GB at the most")
    return 0


def accuracy(ladder: RatingLadder, truth: np.ndarray, some: np.ndarray) -> str:
    """Return the error of some agents' ratings, and how often their intervals cover the true strength."""
    off, share = (ladder.ratings - truth)[some], covered(ladder, truth)[some].mean()
    return f"off by {np.sqrt(np.mean(off**2)):.0f} on average, 95 % intervals hold {100 * share:.1f} %"


def covered(ladder: RatingLadder, truth: np.ndarray) -> np.ndarray:
    """Return for each agent whether its true strength lies within the 95 % interval of its rating."""
    return np.abs(ladder.ratings - truth) < NORMAL_95 * ladder.deviations


def play(ladder: RatingLadder, truth: np.ndarray, games: int, draws: float = 0.3) -> None:
    """Play and rate further games; `draws` is their share between equals."""
    _play(ladder.agents, ladder.counts, ladder.heads, ladder.stretch[0], ladder.rng, truth, games, draws)


@njit
def _play(agents, counts, heads, stretch, rng, truth, games, draws):
    for _ in range(games):
        first, second = next_pair(agents, counts, heads, rng)
        expected = 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
        drawn = 2 * draws * min(expected, 1 - expected)
        luck = rng.random()
        score = 1.0 if luck < expected - drawn / 2 else 0.5 if luck < expected + drawn / 2 else 0.0
        record(agents, counts, heads, stretch, first, second, score)


if __name__ == "__main__":
    raise SystemExit(main())
