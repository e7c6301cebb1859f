"""Results of games as arrays, equal ones counted together: what ratings are computed from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Games:
    """Results of N players, in G rows of equal seating and outcome; P seats."""

    players: Ints
    """Who sat where [G, P], numbers from 0; -1 for an empty seat."""
    returns: Floats
    """What each seat earned [G, P]; only their order within a game counts."""
    counts: Floats
    """How often each row was played [G]."""
    num_players: int
    """N; players who have not played count, too."""


@dataclass(frozen=True)
class Comparisons:
    """All pairs of seats in all games [M]: a game of P players makes P (P - 1) / 2 comparisons."""

    game: Ints
    """Row of `Games` it belongs to [M]."""
    players: Ints
    """Numbers of both players [M, 2]."""
    seats: Ints
    """Their seats [M, 2]."""
    score: Floats
    """Of the first: 1 if it earned more, 0.5 as much, 0 less [M]."""
    counts: Floats
    """How often [M]."""


def count_games(results: Mapping[tuple[tuple[int, ...], tuple[float, ...]], int], num_players: int) -> Games:
    """Games from counts of (players by seat, returns by seat); tables may differ in size."""
    seats = max((len(players) for players, _ in results), default=2)
    players = np.full((len(results), seats), -1)
    returns = np.zeros((len(results), seats))
    for row, (sat, earned) in enumerate(results):
        players[row, : len(sat)], returns[row, : len(earned)] = sat, earned
    return Games(players, returns, np.array(list(results.values()), float), num_players)


def compare_seats(games: Games) -> Comparisons:
    """Every game taken apart into the comparisons of its players."""
    parts = list(_pairs_of_seats(games))
    return Comparisons(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _pairs_of_seats(games: Games) -> Iterable[tuple[Ints, Ints, Ints, Floats, Floats]]:
    for pair in combinations(range(games.players.shape[1]), 2):
        rows = np.flatnonzero((games.players[:, pair] >= 0).all(axis=1))
        earned = games.returns[rows][:, pair]
        score = (np.sign(earned[:, 0] - earned[:, 1]) + 1) / 2
        yield rows, games.players[rows][:, pair], np.tile(pair, (len(rows), 1)), score, games.counts[rows]


def cross_table(games: Games) -> Floats:
    """What the row's player scored against the column's [N, N]: a win 1, a draw 0.5."""
    pairs, points = compare_seats(games), np.zeros((games.num_players, games.num_players))
    first, second = pairs.players.T
    np.add.at(points, (first, second), pairs.counts * pairs.score)
    np.add.at(points, (second, first), pairs.counts * (1 - pairs.score))
    return points


def outcomes(own: Floats, others: Floats) -> Ints:
    """0 for a win, 1 for a draw, 2 for a loss [G], by what one seat [G] and the P - 1 others [G, P - 1] earned.

    It has won if more of the others earned less than it did than earned more: among equals a win is then as likely as a
    loss, whatever their number, and the middle of three has drawn.
    """
    return 1 - np.sign(np.sign(own[:, None] - others).sum(axis=1)).astype(np.int64)


def meetings(points: Floats) -> Floats:
    """[N, N]: how often two met, from what each scored against the other (`points` [N, N] of a cross table)."""
    met: Floats = points + points.T
    return met


def mean_scores(points: Floats) -> Floats:
    """Points a game, row against column [N, N]; NaN where two never met."""
    games = meetings(points)
    return np.where(games > 0, points / np.maximum(games, 1), np.nan)
