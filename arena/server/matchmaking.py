"""Who meets whom: pure functions of ratings and a seed.

As in `arena.ratings.ladder`: of two random bots the more uncertain plays; it draws a strength from a normal
distribution around its rating, a little wider than its uncertainty, and the bot nearest that strength is its
opponent. A newcomer so plays often and against all strengths, a known bot against its equals. A server's ladder has
thousands of bots, not millions, and every choice must follow from what is stored; so this one searches plain arrays.
"""

import math
from collections.abc import Sequence

import numpy as np

from arena.base.seeding import make_rng, spawn_seeds
from arena.ratings.glicko2 import SCALE, Glicko2Rating
from arena.ratings.ladder import SPREAD
from arena.ratings.online import after_game


def draw_table(ratings: Sequence[Glicko2Rating], num_seats: int, seed: int) -> list[int]:
    """Return the places in `ratings` of bots that meet at a table, the one that was chosen first at its head."""
    rng = make_rng(seed)
    one, two = rng.choice(len(ratings), 2, replace=False).tolist()
    first = one if ratings[one].deviation >= ratings[two].deviation else two
    strength = np.array([rating.rating for rating in ratings])
    spread = math.hypot(ratings[first].deviation, SPREAD * SCALE)
    free = np.ones(len(ratings), np.bool_)
    table = [first]
    free[first] = False
    while len(table) < num_seats:
        distance = np.where(free, np.abs(strength - rng.normal(strength[first], spread)), np.inf)
        nearest = np.flatnonzero(distance == distance.min())  # newcomers are all alike
        table.append(int(rng.choice(nearest)))
        free[table[-1]] = False
    return table


def seatings(num_seats: int) -> list[tuple[int, ...]]:
    """Return the place at the table that each seat has, for as many games: everybody sits everywhere."""
    return [tuple((seat + shift) % num_seats for seat in range(num_seats)) for shift in range(num_seats)]


def seed_of(ladder_seed: int, number: int) -> int:
    """Return the seed of a job of a ladder."""
    return spawn_seeds(ladder_seed, number, count=1)[0]


def rated(table: Sequence[Glicko2Rating], games: Sequence[Sequence[float]]) -> list[Glicko2Rating]:
    """Return the ratings of a table, by place, after games whose returns are by place."""
    ratings = list(table)
    for returns in games:
        ratings = after_game(ratings, returns)
    return ratings


def score(returns: Sequence[float]) -> float:
    """Return what the first place scored against the others: 1 for a win over each, 0.5 for a draw, on average."""
    own, *others = returns
    return sum(0.5 + (own > other) / 2 - (own < other) / 2 for other in others) / len(others)


def expected_score(table: Sequence[Glicko2Rating]) -> float:
    """Return the score that the first place has by ratings, against the others on average."""
    own, *others = table
    return sum(_expected(own, other) for other in others) / len(others)


def _expected(own: Glicko2Rating, other: Glicko2Rating) -> float:
    phi = math.hypot(own.deviation, other.deviation) / SCALE
    weight = 1 / math.sqrt(1 + 3 * (phi / math.pi) ** 2)
    return 1 / (1 + math.exp(-weight * (own.rating - other.rating) / SCALE))
