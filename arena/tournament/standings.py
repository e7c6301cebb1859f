"""The table of a tournament, computed from its records.

Shapes: N players, P seats. In a game of more than two, a player's score is its average over the others.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from arena.match.verdict import MatchRecord, Reason, results
from arena.ratings.alpha_rank import alpha_rank
from arena.ratings.cycles import cyclic_share, log_odds
from arena.ratings.elo import Ratings, rate, superiority
from arena.ratings.games import Floats, count_games, cross_table, mean_scores, meetings
from arena.ratings.head_to_head import NORMAL_95
from arena.ratings.nash import nash_average

Names = tuple[str, ...]
"""By seat."""
End = tuple[tuple[float, ...], Reason, int | None]
"""Returns by seat, reason and offender: the many games of a tournament have few different ends."""


@dataclass
class Tally:
    """Sums over all games of one player."""

    games: NDArray[np.int64]
    """Games from each seat [P]."""
    points: Floats
    """Points from each seat [P]; a win is 1, a draw 0.5."""
    return_sum: float = 0.0
    """Sum of its returns."""
    return_squares: float = 0.0
    """Sum of their squares."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    illegal: int = 0
    """Games lost by an illegal action."""
    late: int = 0
    """Games lost on time."""
    crashed: int = 0
    """Games lost by an exception or a dead process."""
    distinct_games: int = 0
    """Number of games that differ in players, seats, moves or chance."""

    def add(self, end: End, seat: int, count: int) -> None:
        """Add `count` games from `seat` with the same end."""
        returns, reason, offender = end
        result = results(returns)[seat]
        self.games[seat] += count
        self.points[seat] += count * scores(returns)[seat]
        self.return_sum += count * returns[seat]
        self.return_squares += count * returns[seat] ** 2
        self.wins += count * (result > 0)
        self.draws += count * (result == 0)
        self.losses += count * (result < 0)
        if offender == seat:
            self.illegal += count * (reason is Reason.ILLEGAL)
            self.late += count * (reason is Reason.LATE)
            self.crashed += count * (reason is Reason.CRASHED)

    @property
    def score(self) -> float:
        """Points per game, 0 to 1."""
        return float(self.points.sum() / max(self.games.sum(), 1))

    @property
    def score_by_seat(self) -> Floats:
        """Points per game from each seat [P]; NaN for seats it never had."""
        return np.where(self.games > 0, self.points / np.maximum(self.games, 1), np.nan)

    @property
    def mean_return(self) -> float:
        """Mean return per game."""
        return self.return_sum / max(int(self.games.sum()), 1)

    @property
    def return_error(self) -> float:
        """Half-width of the 95 % interval of `mean_return`."""
        count = max(int(self.games.sum()), 1)
        return NORMAL_95 * math.sqrt(max(self.return_squares / count - self.mean_return**2, 0.0) / count)


@dataclass(frozen=True)
class Standing:
    """One player's line in the table."""

    rank: int
    """Rank, from 1."""
    name: str
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""
    superiority: float | None
    """Likelihood of being stronger than the next player in the table; None for the last."""
    tally: Tally


@dataclass(frozen=True)
class Standings:
    """The table and the cross table, the strongest player first."""

    rows: tuple[Standing, ...]
    points: Floats
    """Points of row against column [N, N]."""
    ratings: Ratings
    """In the order of the players' numbers, not of the table."""
    seat_order: bool
    """True if the players of a record are in the order of their seats; otherwise seats are not reported."""
    anchor: str | None
    """Player whose rating is 0; None if the mean of all is 0."""
    games: int
    distinct_games: int | None
    """Number of games that differ in players, seats, moves or chance; None if moves are unknown."""
    by_return: bool
    """True if returns have other values than 1, 0 and -1, and so say more than win, draw and loss."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the table."""
        return tuple(row.name for row in self.rows)

    @property
    def seats(self) -> int:
        """Number of seats, P."""
        return len(self.ratings.seats)

    @property
    def counts(self) -> Floats:
        """Number of games between each pair [N, N]."""
        return meetings(self.points)

    @property
    def scores(self) -> Floats:
        """Points per game, row against column [N, N]; NaN for pairs that never met."""
        return mean_scores(self.points)

    @cached_property
    def cyclic(self) -> float:
        """Cyclic share of the results, 0 to 1, which fits no rating; see `cycles.cyclic_share`."""
        return cyclic_share(self.points)

    @cached_property
    def alpha_rank(self) -> Floats | None:
        """Shares of alpha-rank [N] in the order of the table; None unless all pairs met."""
        return alpha_rank(np.where(np.eye(len(self.rows)) > 0, 0.5, self.scores)) if self._complete else None

    @cached_property
    def nash(self) -> Floats | None:
        """Shares in the Nash equilibrium of maximal entropy [N], by rank; None unless all pairs met."""
        return nash_average(log_odds(self.points))[0] if self._complete else None

    @property
    def _complete(self) -> bool:
        return bool((self.counts + np.eye(len(self.rows)) > 0).all())


class Tallies:
    """Running sums of records: adding a game takes constant time, `standings` computes the table.

    In a game of `chance`, games with equal moves are the same game only if their seeds are equal.
    """

    def __init__(self, names: Sequence[str], seats: int = 2, chance: bool = False):
        self._names, self._seats, self._chance = tuple(names), seats, chance
        self._numbers = {name: i for i, name in enumerate(names)}
        self._ends: defaultdict[Names, Counter[End]] = defaultdict(Counter)
        self._lines: defaultdict[Names, set[int]] = defaultdict(set)  # hashes of moves, and of seeds in games of chance
        self._moves_known = False

    def add(self, records: Iterable[MatchRecord]) -> None:
        """Count further games, of at most `seats` players."""
        for record in records:
            verdict, players, actions = record.verdict, record.players, record.actions
            self._ends[players][verdict.returns, verdict.reason, verdict.offender] += 1
            self._lines[players].add(hash((actions, record.seed) if self._chance else actions))
            if actions:
                self._moves_known = True

    def standings(self, anchor: str | None = None, seat_order: bool = True) -> Standings:
        """Return the table so far, with ratings relative to their mean, or to `anchor`.

        Without `seat_order`, players of a record are in no particular order, and seat advantages are not estimated.
        """
        tallies = self._tallies()
        games = count_games(self._results(), len(self._names))
        ratings = rate(games, None if anchor is None else self._numbers[anchor], seat_order)
        mean_returns = [tally.mean_return for tally in tallies]
        order = np.lexsort((np.negative(mean_returns), -ratings.elo.round(6)))  # mean returns break ties of ratings
        better = [*superiority(ratings)[order[:-1], order[1:]].tolist(), None]
        rows = tuple(
            Standing(place, self._names[i], float(ratings.elo[i]), float(ratings.error[i]), likelihood, tallies[i])
            for place, (i, likelihood) in enumerate(zip(order, better, strict=True), start=1)
        )
        distinct = sum(map(len, self._lines.values())) if self._moves_known else None
        points = cross_table(games)[np.ix_(order, order)]
        by_return = any(abs(value) not in (0, 1) for ends in self._ends.values() for end in ends for value in end[0])
        return Standings(rows, points, ratings, seat_order, anchor, int(games.counts.sum()), distinct, by_return)

    def _tallies(self) -> list[Tally]:
        """Return the sums of every player."""
        tallies = [Tally(np.zeros(self._seats, np.int64), np.zeros(self._seats)) for _ in self._names]
        for players, ends in self._ends.items():
            for seat, name in enumerate(players):
                tally = tallies[self._numbers[name]]
                tally.distinct_games += len(self._lines[players])
                for end, count in ends.items():
                    tally.add(end, seat, count)
        return tallies

    def _results(self) -> Counter[tuple[tuple[int, ...], tuple[float, ...]]]:
        """Return numbers of games by players and returns, both by seat."""
        results: Counter[tuple[tuple[int, ...], tuple[float, ...]]] = Counter()
        for players, ends in self._ends.items():
            sat = tuple(self._numbers[name] for name in players)
            for (returns, _, _), count in ends.items():
                results[sat, returns] += count
        return results


def standings(
    names: Sequence[str],
    records: Sequence[MatchRecord],
    anchor: str | None = None,
    seat_order: bool = True,
    chance: bool = False,
) -> Standings:
    """Return the standings of players `names` from `records`; see `Tallies.standings`."""
    tallies = Tallies(names, max((len(record.players) for record in records), default=2), chance)
    tallies.add(records)
    return tallies.standings(anchor, seat_order)


@lru_cache(maxsize=1024)  # a tournament has many games and few results
def scores(returns: tuple[float, ...]) -> tuple[float, ...]:
    """Return the average score of each seat against the others: 1 for a higher return, 0.5 for an equal one."""
    points = pairwise(returns).sum(axis=1) / max(len(returns) - 1, 1)
    return tuple(points.tolist())


@lru_cache(maxsize=1024)
def pairwise(returns: tuple[float, ...]) -> Floats:
    """Return the scores of seats against each other [P, P], read-only: 1 for a higher return, 0.5 for an equal one."""
    values = np.asarray(returns)
    points: Floats = (values[:, None] > values[None, :]) + 0.5 * (values[:, None] == values[None, :])
    np.fill_diagonal(points, 0.0)
    points.flags.writeable = False
    return points
