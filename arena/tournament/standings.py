"""The table of a tournament or of a store, computed from its games.

Shapes: N players, P seats.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arena.base.errors import UnknownNameError
from arena.base.intervals import NORMAL_95
from arena.match.verdict import MatchRecord
from arena.ratings.alpha_rank import alpha_rank
from arena.ratings.anchors import MEAN, anchors_among, zero_words
from arena.ratings.cycles import cyclic_share, log_odds
from arena.ratings.elo import Ratings, normal_share, rate, superiority
from arena.ratings.games import Floats, cross_table, mean_scores, meetings
from arena.ratings.nash import nash_average
from arena.tournament.tally import Played, Tallies, Tally
from games.engine.stakes import Stakes

MOST_ZEROS = 4
"""Largest number of islands whose zeros are named in one line."""
MOST_IN_CYCLES = 200
"""Largest number of players for which alpha-rank and Nash averaging, of cubic time, are computed."""


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
    """Likelihood of being stronger than the next player of its island; None for the last."""
    tally: Tally
    island: int
    """Number of its island, from 0; ratings of different islands cannot be compared."""


@dataclass(frozen=True)
class Standings:
    """The table and the cross table, the strongest player first.

    Players whom no games connect are in different islands, each with a zero of its own, the largest island first.
    """

    rows: tuple[Standing, ...]
    points: Floats
    """Points of row against column [N, N]."""
    ratings: Ratings
    """In the order of the players' numbers, not of the table."""
    seat_order: bool
    """True if the players of a record are in the order of their seats; otherwise seats are not reported."""
    zeros: tuple[str | None, ...]
    """By island, the player whose rating is 0; None if the mean of its players is."""
    games: int
    distinct_games: int | None
    """Number of games that differ in players, seats, moves or chance; None if moves are unknown."""
    by_return: bool
    """True if returns have other values than 1, 0 and -1, and so say more than win, draw and loss."""
    stakes: Stakes | None = None
    """What returns are worth in a game for chips, whose players are ranked by what they earn; None in others."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the table."""
        return tuple(row.name for row in self.rows)

    def starts_island(self, row: Standing) -> bool:
        """Return whether a row is the first of another island than the row before it."""
        return row.rank > 1 and self.rows[row.rank - 2].island != row.island

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

    @property
    def meaning(self) -> str:
        """The zero of the ratings in words: who is 0, island by island, as in `random is 0`."""
        if len(self.zeros) == 1:
            return zero_words(self.zeros[0])
        parts = ["the mean is 0" if zero is None else zero_words(zero) for zero in self.zeros]
        more = " ..." * (len(parts) > MOST_ZEROS)
        return f"{', '.join(parts[:MOST_ZEROS])}{more} on each side of the lines"

    @cached_property
    def cyclic(self) -> float:
        """Cyclic share of the results, 0 to 1, which fits no rating; see `cycles.cyclic_share`."""
        return cyclic_share(self.points)

    @cached_property
    def alpha_rank(self) -> Floats | None:
        """Shares of alpha-rank [N] in the order of the table; None unless all pairs met, or for very many players."""
        return alpha_rank(np.where(np.eye(len(self.rows)) > 0, 0.5, self.scores)) if self._complete else None

    @cached_property
    def nash(self) -> Floats | None:
        """Shares in the Nash equilibrium of maximal entropy [N], by rank; None as for alpha-rank."""
        return nash_average(log_odds(self.points))[0] if self._complete else None

    @property
    def _complete(self) -> bool:
        return len(self.rows) <= MOST_IN_CYCLES and bool((self.counts + np.eye(len(self.rows)) > 0).all())


def require_anchor(anchor: str | None, names: Sequence[str]) -> None:
    """Raise `UsageError` for an anchor that is neither a player nor `mean`."""
    if anchor is not None and anchor not in (*names, MEAN):
        raise UnknownNameError("player", anchor, names)


def table_of(
    played: Played, anchor: str | None = None, seat_order: bool = True, stakes: Stakes | None = None
) -> Standings:
    """Return the table of games, rated in one fit; in games for chips ranked by what players earn a hand.

    `anchor` is the player whose rating is 0, `mean` for the mean of all; by default it is `random` where it plays, else
    the mean. Islands without it have a zero of their own, chosen as by default. Without `seat_order`, players of a game
    are in no particular order, and seat advantages are not estimated.
    """
    numbers = {name: i for i, name in enumerate(played.names)}
    anchors = [numbers[name] for name in anchors_among(played.names, anchor)]
    ratings, tallies = rate(played.games, anchors, seat_order), played.tallies
    returns = np.array([tally.mean_return for tally in tallies])
    merits = (-ratings.elo.round(6), -returns) if stakes is None else (-returns, -ratings.elo.round(6))
    order = np.lexsort((*reversed(merits), ratings.islands))
    rows = []
    for place, (i, following) in enumerate(zip(order.tolist(), [*order[1:].tolist(), None], strict=True), start=1):
        of_island = following is not None and ratings.islands[i] == ratings.islands[following]
        likelihood = _superiority(ratings, tallies, (i, following), stakes) if of_island else None
        rated = float(ratings.elo[i]), float(ratings.error[i]), likelihood
        rows.append(Standing(place, played.names[i], *rated, tallies[i], int(ratings.islands[i])))
    anchored = {int(ratings.islands[i]): played.names[i] for i in reversed(anchors)}
    return Standings(
        tuple(rows),
        cross_table(played.games)[np.ix_(order, order)],
        ratings,
        seat_order,
        tuple(anchored.get(island) for island in range(1 + int(ratings.islands.max(initial=0)))),
        int(played.games.counts.sum()),
        played.distinct,
        played.by_return,
        stakes,
    )


def _superiority(ratings: Ratings, tallies: Sequence[Tally], pair: tuple[int, int], stakes: Stakes | None) -> float:
    """Return the likelihood that the first of a pair is stronger: by rating, or for chips by what they earn."""
    if stakes is None:
        return float(superiority(ratings, *pair))
    one, two = (tallies[i] for i in pair)
    error = math.hypot(one.return_error, two.return_error) / NORMAL_95
    return normal_share((one.mean_return - two.mean_return) / max(error, 1e-12))


def standings(
    names: Sequence[str],
    records: Sequence[MatchRecord],
    anchor: str | None = None,
    seat_order: bool = True,
    chance: bool = False,
    stakes: Stakes | None = None,
) -> Standings:
    """Return the standings of players `names` from `records`; see `table_of`."""
    tallies = Tallies(names, max((len(record.players) for record in records), default=2), chance)
    tallies.add(records)
    return table_of(tallies.played, anchor, seat_order, stakes)
