"""Intervals of ratings beside the strengths that they are of, in a simulated ladder."""

import time
from collections.abc import Iterator

import ladder_simulation
import numpy as np

from arena.ratings.ladder import RatingLadder
from reliable.check import Check

AGENTS, GAMES, DEVIATION = 100_000, 2_000_000, 300.0


def checks(seed: int) -> Iterator[Check]:
    """Simulate a ladder and count the agents whose true strength lies within the 95 % interval of their rating."""
    start = time.process_time()
    truth = np.random.default_rng(seed).normal(1500, DEVIATION, AGENTS)
    ladder = RatingLadder(AGENTS, seed)
    ladder_simulation.play(ladder, truth, GAMES)
    met = ladder.agents["games"] > 0
    covered = ladder_simulation.covered(ladder, truth)[met]
    what = f"95 % intervals of the ratings of a ladder after {GAMES:,} games: the true strength lies within"
    seconds = round(time.process_time() - start, 1)
    yield Check("intervals", what, int(met.sum()), int(covered.sum()), "agents", seconds)
