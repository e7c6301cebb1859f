"""The table of a tournament: what its records say of every player.

Shapes: N players, P seats. In a game of more than two, a player's score is that against each of the others, averaged.
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
"""Returns by seat, reason and offender: of a tournament's many games, few differ in them."""


@dataclass
class Tally:
    """What one player did, summed up game by game."""

    games: NDArray[np.int64]
    """Games from each seat [P]."""
    points: Floats
    """Points from each seat [P]; a win is 1, a draw 0.5."""
    earned: float = 0.0
    """Sum of its own returns."""
    earned_squares: float = 0.0
    """Sum of their squares."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    illegal: int = 0
    """Games lost by an illegal action."""
    late: int = 0
    """Games lost on time."""
    crashed: int = 0
    """Games lost by an exception, or by an agent that was gone."""
    distinct_games: int = 0
    """Games that differ in players, seats, moves or chance: fewer than all of them where play repeats itself."""

    def add(self, end: End, seat: int, count: int) -> None:
        """Count so many games that were played from `seat` and ended alike."""
        returns, reason, offender = end
        result = results(returns)[seat]
        self.games[seat] += count
        self.points[seat] += count * scores(returns)[seat]
        self.earned += count * returns[seat]
        self.earned_squares += count * returns[seat] ** 2
        self.wins += count * (result > 0)
        self.draws += count * (result == 0)
        self.losses += count * (result < 0)
        if offender == seat:
            self.illegal += count * (reason is Reason.ILLEGAL)
            self.late += count * (reason is Reason.LATE)
            self.crashed += count * (reason is Reason.CRASHED)

    @property
    def score(self) -> float:
        """Points a game, 0 to 1."""
        return float(self.points.sum() / max(self.games.sum(), 1))

    @property
    def score_by_seat(self) -> Floats:
        """Points a game from each seat [P]; NaN where it never sat."""
        return np.where(self.games > 0, self.points / np.maximum(self.games, 1), np.nan)

    @property
    def mean_return(self) -> float:
        """What it earned a game."""
        return self.earned / max(int(self.games.sum()), 1)

    @property
    def return_error(self) -> float:
        """Half-width of the 95 % interval of that."""
        count = max(int(self.games.sum()), 1)
        return NORMAL_95 * math.sqrt(max(self.earned_squares / count - self.mean_return**2, 0.0) / count)


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
    points: Floats
    """[N, N]: what the row's player scored against the column's."""
    ratings: Ratings
    """In the order of the players' numbers, not of the table."""
    seat_order: bool
    """Whether the order of a record's players is that of their seats; if not, nothing is said of seats."""
    anchor: str | None
    """Whose rating is 0; without one, the mean of all is."""
    games: int
    distinct_games: int | None
    """Games that differ in players, seats, moves or chance; None where moves are not known."""
    by_return: bool
    """Whether a game is not just won, drawn or lost: what players earn in it says more than who earned more."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the table."""
        return tuple(row.name for row in self.rows)

    @property
    def seats(self) -> int:
        """P."""
        return len(self.ratings.seats)

    @property
    def counts(self) -> Floats:
        """[N, N]: how often they met."""
        return meetings(self.points)

    @property
    def scores(self) -> Floats:
        """Points a game, row against column [N, N]; NaN where two never met."""
        return mean_scores(self.points)

    @cached_property
    def cyclic(self) -> float:
        """Share of the results, 0 to 1, that runs in circles and fits no rating; see `cycles.cyclic_share`."""
        return cyclic_share(self.points)

    @cached_property
    def alpha_rank(self) -> Floats | None:
        """Shares of alpha-rank [N] in the order of the table; None unless everybody met everybody."""
        return alpha_rank(np.where(np.eye(len(self.rows)) > 0, 0.5, self.scores)) if self._complete else None

    @cached_property
    def nash(self) -> Floats | None:
        """Shares in the Nash equilibrium of maximal entropy [N], likewise; see `nash.nash_average`."""
        return nash_average(log_odds(self.points))[0] if self._complete else None

    @property
    def _complete(self) -> bool:
        return bool((self.counts + np.eye(len(self.rows)) > 0).all())


class Tallies:
    """Sums up records as they come: a game is counted in constant time, and what it means is worked out when asked.

    In a game of `chance`, equal moves are equal games only if they begin with the same seed.
    """

    def __init__(self, names: Sequence[str], seats: int = 2, chance: bool = False):
        self._names, self._seats, self._chance = tuple(names), seats, chance
        self._numbers = {name: i for i, name in enumerate(names)}
        self._ends: defaultdict[Names, Counter[End]] = defaultdict(Counter)
        self._lines: defaultdict[Names, set[int]] = defaultdict(set)  # hashes of what makes a game
        self._moves_known = False

    def add(self, records: Iterable[MatchRecord]) -> None:
        """Count further games, of no more players than there are seats."""
        for record in records:
            verdict, players, actions = record.verdict, record.players, record.actions
            self._ends[players][verdict.returns, verdict.reason, verdict.offender] += 1
            self._lines[players].add(hash((actions, record.seed) if self._chance else actions))
            if actions:
                self._moves_known = True

    def standings(self, anchor: str | None = None, seat_order: bool = True) -> Standings:
        """The table so far; ratings are relative to their mean, or to `anchor`.

        Without `seat_order` the order of a record's players says nothing, and no worth of seats is estimated.
        """
        tallies = self._tallies()
        games = count_games(self._results(), len(self._names))
        ratings = rate(games, None if anchor is None else self._numbers[anchor], seat_order)
        earned = [tally.mean_return for tally in tallies]
        order = np.lexsort((np.negative(earned), -ratings.elo.round(6)))  # who share a result differ in these
        better = [*superiority(ratings)[order[:-1], order[1:]].tolist(), None]
        rows = tuple(
            Standing(place, self._names[i], float(ratings.elo[i]), float(ratings.error[i]), likelihood, tallies[i])
            for place, (i, likelihood) in enumerate(zip(order, better, strict=True), start=1)
        )
        distinct = sum(map(len, self._lines.values())) if self._moves_known else None
        points = cross_table(games)[np.ix_(order, order)]
        by_return = any(abs(earned) not in (0, 1) for ends in self._ends.values() for end in ends for earned in end[0])
        return Standings(rows, points, ratings, seat_order, anchor, int(games.counts.sum()), distinct, by_return)

    def _tallies(self) -> list[Tally]:
        """What every player did."""
        tallies = [Tally(np.zeros(self._seats, np.int64), np.zeros(self._seats)) for _ in self._names]
        for players, ends in self._ends.items():
            for seat, name in enumerate(players):
                tally = tallies[self._numbers[name]]
                tally.distinct_games += len(self._lines[players])
                for end, count in ends.items():
                    tally.add(end, seat, count)
        return tallies

    def _results(self) -> Counter[tuple[tuple[int, ...], tuple[float, ...]]]:
        """Games by their players and what these earned."""
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
    """Sum up `records` of games among the players `names`; see `Tallies`, and its `standings`."""
    tallies = Tallies(names, max((len(record.players) for record in records), default=2), chance)
    tallies.add(records)
    return tallies.standings(anchor, seat_order)


@lru_cache(maxsize=1024)  # a tournament has many games and few results
def scores(returns: tuple[float, ...]) -> tuple[float, ...]:
    """What each seat scores on average against the others: 1 for a higher return, 0.5 for an equal one."""
    points = pairwise(returns).sum(axis=1) / max(len(returns) - 1, 1)
    return tuple(points.tolist())


@lru_cache(maxsize=1024)
def pairwise(returns: tuple[float, ...]) -> Floats:
    """What each seat scores against each other [P, P]: 1 for a higher return, 0.5 for an equal one. Read only."""
    earned = np.asarray(returns)
    points: Floats = (earned[:, None] > earned[None, :]) + 0.5 * (earned[:, None] == earned[None, :])
    np.fill_diagonal(points, 0.0)
    points.flags.writeable = False
    return points
