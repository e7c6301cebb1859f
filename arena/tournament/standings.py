"""The table of a tournament: what its records say of every player.

Shapes: N players, P seats. In a game of more than two, a player's score is that against each of the others, averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arena.match.verdict import MatchRecord, Reason
from arena.tournament.ratings import rate, superiority, unexplained


@dataclass
class Tally:
    """What one player did, summed up game by game."""

    games: NDArray[np.int64]
    """Games from each seat [P]."""
    points: NDArray[np.float64]
    """Points from each seat [P]; a win is 1, a draw 0.5."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    illegal: int = 0
    """Games lost by an illegal action."""
    crashed: int = 0
    """Games lost by an exception."""
    lines: set[tuple[tuple[str, ...], tuple[int, ...]]] = field(default_factory=set)
    """The games that differ in players, seats or moves: fewer than all of them where play repeats itself."""

    def add(self, record: MatchRecord, seat: int) -> None:
        """Count a game that was played from `seat`."""
        score = pairwise(record.verdict.returns)[seat].sum() / max(len(record.players) - 1, 1)
        best = max(record.verdict.returns)
        won = record.verdict.returns[seat] == best
        self.games[seat] += 1
        self.points[seat] += score
        self.wins += won and record.verdict.returns.count(best) == 1
        self.draws += won and record.verdict.returns.count(best) > 1
        self.losses += not won
        if record.verdict.offender == seat:
            self.illegal += record.verdict.reason is Reason.ILLEGAL
            self.crashed += record.verdict.reason is Reason.CRASHED
        self.lines.add((record.players, record.actions))

    @property
    def score(self) -> float:
        """Points a game, 0 to 1."""
        return float(self.points.sum() / max(self.games.sum(), 1))

    @property
    def score_by_seat(self) -> NDArray[np.float64]:
        """Points a game from each seat [P]; NaN where it never sat."""
        return np.where(self.games > 0, self.points / np.maximum(self.games, 1), np.nan)


@dataclass(frozen=True)
class Standing:
    """One player's line in the table."""

    rank: int
    """From 1."""
    name: str
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""
    superiority: float | None
    """Likelihood that it is stronger than the next in the table; None for the last."""
    tally: Tally


@dataclass(frozen=True)
class Standings:
    """The table and the cross table, the strongest player first."""

    rows: tuple[Standing, ...]
    points: NDArray[np.float64]
    """[N, N]: what the row's player scored against the column's."""
    counts: NDArray[np.float64]
    """[N, N]: how often they met."""
    unexplained: float
    """Share of the score differences that no ratings explain; see `ratings.unexplained`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the table."""
        return tuple(row.name for row in self.rows)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Points a game, row against column [N, N]; NaN where two never met."""
        return np.where(self.counts > 0, self.points / np.maximum(self.counts, 1), np.nan)


def standings(names: Sequence[str], records: Sequence[MatchRecord], anchor: str | None = None) -> Standings:
    """Sum up `records` of games among the players `names`; ratings are relative to their mean, or to `anchor`."""
    numbers = {name: i for i, name in enumerate(names)}
    seats = len(records[0].players) if records else 0
    tallies = [Tally(np.zeros(seats, np.int64), np.zeros(seats)) for _ in names]
    points = np.zeros((len(names), len(names)))
    for record in records:
        players = [numbers[name] for name in record.players]
        points[np.ix_(players, players)] += pairwise(record.verdict.returns)
        for seat, player in enumerate(players):
            tallies[player].add(record, seat)
    ratings = rate(points, None if anchor is None else numbers[anchor])
    order = np.argsort(-ratings.elo, kind="stable")
    better = [*superiority(ratings)[order[:-1], order[1:]].tolist(), None]
    rows = tuple(
        Standing(place, names[i], float(ratings.elo[i]), float(ratings.error[i]), likelihood, tallies[i])
        for place, (i, likelihood) in enumerate(zip(order, better, strict=True), start=1)
    )
    ordered = points[np.ix_(order, order)]
    return Standings(rows, ordered, ordered + ordered.T, unexplained(points, ratings.elo))


@lru_cache(maxsize=1024)  # a tournament has many games and few results
def pairwise(returns: tuple[float, ...]) -> NDArray[np.float64]:
    """What each seat scores against each other [P, P]: 1 for a higher return, 0.5 for an equal one. Read only."""
    earned = np.asarray(returns)
    points: NDArray[np.float64] = (earned[:, None] > earned[None, :]) + 0.5 * (earned[:, None] == earned[None, :])
    np.fill_diagonal(points, 0.0)
    points.flags.writeable = False
    return points
