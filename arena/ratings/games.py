"""Results of games as arrays, with equal ones merged: the input of ratings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class GameResults:
    """Results of N players, in G rows of equal seating and outcome; P seats."""

    players: Ints
    """Number of the player at each seat [G, P], from 0; -1 for an empty seat."""
    returns: Floats
    """Return of each seat [G, P]; only their order within a game counts."""
    counts: Floats
    """Number of games of each row [G]."""
    num_players: int
    """N, including players without games."""


@dataclass(frozen=True)
class Comparisons:
    """All pairs of seats in all games [M]: a game of P players makes P (P - 1) / 2 comparisons."""

    game: Ints
    """Row of `GameResults` it belongs to [M]."""
    players: Ints
    """Numbers of both players [M, 2]."""
    seats: Ints
    """Their seats [M, 2]."""
    score: Floats
    """Score of the first player [M]: 1 for the higher return, 0.5 for an equal one, 0 for the lower."""
    counts: Floats
    """Number of games [M]."""


def count_games(results: Mapping[tuple[tuple[int, ...], tuple[float, ...]], int], num_players: int) -> GameResults:
    """Return results from counts of (players by seat, returns by seat); games may differ in seats."""
    seats = max((len(players) for players, _ in results), default=2)
    players = np.full((len(results), seats), -1)
    returns = np.zeros((len(results), seats))
    for row, (seated, one_return) in enumerate(results):
        players[row, : len(seated)], returns[row, : len(one_return)] = seated, one_return
    return GameResults(players, returns, np.array(list(results.values()), float), num_players)


_NO_PAIRS = np.zeros(0, int), np.zeros((0, 2), int), np.zeros((0, 2), int), np.zeros(0), np.zeros(0)
"""Arrays of `Comparisons` without entries."""


def compare_seats(games: GameResults) -> Comparisons:
    """Split every game into comparisons of pairs of its players; there are none in games of one seat."""
    parts = [_NO_PAIRS, *_pairs_of_seats(games)]
    return Comparisons(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _pairs_of_seats(games: GameResults) -> Iterable[tuple[Ints, Ints, Ints, Floats, Floats]]:
    for pair in combinations(range(games.players.shape[1]), 2):
        rows = np.flatnonzero((games.players[:, pair] >= 0).all(axis=1))
        returns = games.returns[rows][:, pair]
        score = (np.sign(returns[:, 0] - returns[:, 1]) + 1) / 2
        yield rows, games.players[rows][:, pair], np.tile(pair, (len(rows), 1)), score, games.counts[rows]


def cross_table(games: GameResults) -> Floats:
    """Return the points of row against column [N, N]: 1 for a win, 0.5 for a draw."""
    pairs, points = compare_seats(games), np.zeros((games.num_players, games.num_players))
    first, second = pairs.players.T
    np.add.at(points, (first, second), pairs.counts * pairs.score)
    np.add.at(points, (second, first), pairs.counts * (1 - pairs.score))
    return points


def meetings(points: Floats) -> Floats:
    """Return the number of games between row and column [N, N], from the `points` [N, N] of a cross table."""
    met: Floats = points + points.T
    return met


def mean_scores(points: Floats) -> Floats:
    """Return the points per game of row against column [N, N]; NaN for pairs that never met."""
    games = meetings(points)
    return np.where(games > 0, points / np.maximum(games, 1), np.nan)
