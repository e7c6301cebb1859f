"""Tallies: sums over all games of each player, and the results that ratings are fitted to.

Shapes: N players, P seats. In a game of more than two, a player's score is its average over the others.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arena.base.intervals import mean_error
from arena.match.verdict import FAULTS, MatchRecord, Reason
from arena.ratings.games import Floats, GameResults, Ints, compare_seats

if TYPE_CHECKING:
    from arena.store import StoredResults  # brings SQL in, which tables do not need

Names = tuple[str, ...]
"""By seat."""
End = tuple[tuple[float, ...], Reason, int | None]
"""Returns by seat, reason and offender: the many games of a tournament have few different ends."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over all games of one player."""

    games: NDArray[np.int64]
    """Games from each seat [P]."""
    points: Floats
    """Points from each seat [P]; a win is 1, a draw 0.5."""
    places: NDArray[np.int64]
    """Games by the place in which it ended [P], the first one first; those who earned the same share a place."""
    return_sum: float
    """Sum of its returns."""
    return_squares: float
    """Sum of their squares."""
    wins: int
    draws: int
    losses: int
    illegal: int
    """Games lost by an illegal action."""
    late: int
    """Games lost on time."""
    crashed: int
    """Games lost by an exception or a dead process."""
    distinct_games: int
    """Number of games that differ in players, seats, moves or chance; 0 if moves are unknown."""

    @property
    def score(self) -> float:
        """Points per game, 0 to 1."""
        return float(self.points.sum() / max(self.games.sum(), 1))

    @property
    def score_by_seat(self) -> Floats:
        """Points per game from each seat [P]; NaN for seats it never had."""
        return np.where(self.games > 0, self.points / np.maximum(self.games, 1), np.nan)

    @property
    def mean_place(self) -> float:
        """Mean place, from 1."""
        return float(self.places @ np.arange(1, len(self.places) + 1) / max(self.places.sum(), 1))

    @property
    def mean_return(self) -> float:
        """Mean return per game."""
        return self.return_sum / max(int(self.games.sum()), 1)

    @property
    def return_error(self) -> float:
        """Half-width of the 95 % interval of `mean_return`."""
        return mean_error(int(self.games.sum()), self.return_sum, self.return_squares)


@dataclass(frozen=True, eq=False)
class Played:
    """The games of N players, summed up: rows of games with equal players that ended alike."""

    names: Names
    """Names of the players [N]."""
    games: GameResults
    """Players, order of their returns, and number of games of each row [G, P]."""
    returns: Floats
    """Sum of the returns of each seat [G, P]."""
    squares: Floats
    """Sum of their squares [G, P]."""
    offender: Ints
    """Seat that lost by a fault [G], -1 for none."""
    fault: Ints
    """Its fault [G], an index into `FAULTS`."""
    by_return: bool
    """True if returns have other values than 1, 0 and -1, and so say more than win, draw and loss."""
    distinct_by_player: Ints
    """Number of distinct games of each player [N], 0 if unknown."""
    distinct: int | None = None
    """Number of games that differ in players, seats, moves or chance; None if moves are unknown."""

    @property
    def tallies(self) -> list[Tally]:
        """The sums of every player [N]."""
        seated, count = self.games.players, self.games.counts
        size, seats = self.games.num_players, seated.shape[1]
        sat = seated >= 0
        place = 1 + _above(self.games)
        shared = ((place[:, None, :] == place[:, :, None]) & sat[:, None, :]).sum(axis=2) > 1
        first = place == 1

        def by_player(amounts: Floats) -> NDArray[Any]:
            return np.bincount(seated[sat], amounts[sat], size)

        def by_player_and(column: Ints, amounts: Floats) -> NDArray[Any]:
            return np.bincount(seated[sat] * seats + column[sat], amounts[sat], size * seats).reshape(size, seats)

        counts = np.repeat(count[:, None], seats, axis=1)
        seat = np.broadcast_to(np.arange(seats), seated.shape)
        offended = (self.offender[:, None] == seat) & sat
        faults = [by_player(counts * (offended & (self.fault == kind)[:, None])) for kind in range(len(FAULTS))]
        kinds = (first & ~shared, first & shared, ~first)
        columns = zip(
            by_player_and(seat, counts).astype(np.int64),
            by_player_and(seat, _points(self.games) * counts),
            by_player_and(place - 1, counts).astype(np.int64),
            by_player(self.returns).tolist(),
            by_player(self.squares).tolist(),
            *(by_player(counts * kind).astype(int).tolist() for kind in kinds),
            *(fault.astype(int).tolist() for fault in faults),
            self.distinct_by_player.tolist(),
            strict=True,
        )
        return [Tally(*row) for row in columns]


def _above(games: GameResults) -> Ints:
    """Return the number of seats of the same game that earned more [G, P]."""
    sat, returns = games.players >= 0, games.returns
    return ((returns[:, None, :] > returns[:, :, None]) & sat[:, None, :]).sum(axis=2)


def _points(games: GameResults) -> Floats:
    """Return the average score of each seat against the others [G, P]: 1 for a higher return, 0.5 for an equal one."""
    pairs, points = compare_seats(games), np.zeros(games.players.shape)
    for mine, score in ((0, pairs.score), (1, 1 - pairs.score)):
        np.add.at(points, (pairs.game, pairs.seats[:, mine]), score)
    others = (games.players >= 0).sum(axis=1) - 1
    return points / np.maximum(others, 1)[:, None]


def from_store(stored: "StoredResults") -> Played:
    """Return what the results of a store say."""
    games = GameResults(stored.players, -stored.places.astype(float), stored.games.astype(float), len(stored.names))
    sums = stored.returns, stored.squares, stored.offender, stored.fault
    return Played(stored.names, games, *sums, not stored.plain.all(), np.zeros(len(stored.names), np.int64))


class Tallies:
    """Running sums of records: adding a game takes constant time.

    In a game of `chance`, games with equal moves are the same game only if their seeds are equal.
    """

    def __init__(self, names: Sequence[str], seats: int = 2, chance: bool = False):
        self._names, self._seats, self._chance = tuple(names), seats, chance
        self._numbers = {name: i for i, name in enumerate(names)}
        self._ends: defaultdict[Names, Counter[End]] = defaultdict(Counter)
        self._lines: defaultdict[Names, set[int]] = defaultdict(set)  # hashes of moves with seeds, or where they began
        self._moves_known = False

    def add(self, records: Iterable[MatchRecord]) -> None:
        """Count further games, of at most `seats` players."""
        for record in records:
            verdict, players, actions = record.verdict, record.players, record.actions
            self._ends[players][verdict.returns, verdict.reason, verdict.offender] += 1
            self._lines[players].add(hash((actions, record.seed if self._chance else record.start)))
            if actions:
                self._moves_known = True

    @property
    def played(self) -> Played:
        """The games so far."""
        rows = [
            (tuple(self._numbers[name] for name in players), end, count)
            for players, ends in self._ends.items()
            for end, count in ends.items()
        ]
        seated = np.full((len(rows), self._seats), -1)
        returns = np.zeros((len(rows), self._seats))
        for row, (sat, (values, _, _), _) in enumerate(rows):
            seated[row, : len(sat)], returns[row, : len(sat)] = sat, values
        counts = np.array([count for _, _, count in rows], float)
        offender = [-1 if seat is None or reason not in FAULTS else seat for _, (_, reason, seat), _ in rows]
        distinct = np.zeros(len(self._names), np.int64)
        for players, lines in self._lines.items():
            distinct[list({self._numbers[name] for name in players})] += len(lines)
        return Played(
            self._names,
            GameResults(seated, returns, counts, len(self._names)),
            counts[:, None] * returns,
            counts[:, None] * returns**2,
            np.array(offender, np.int64),
            np.array([FAULTS.index(r) if r in FAULTS else -1 for _, (_, r, _), _ in rows], np.int64),
            any(abs(value) not in (0, 1) for _, (values, _, _), _ in rows for value in values),
            distinct,
            sum(map(len, self._lines.values())) if self._moves_known else None,
        )


@lru_cache(maxsize=1024)  # a tournament has many games and few results
def pairwise(returns: tuple[float, ...]) -> Floats:
    """Return the scores of seats against each other [P, P], read-only: 1 for a higher return, 0.5 for an equal one."""
    values = np.asarray(returns)
    points: Floats = (values[:, None] > values[None, :]) + 0.5 * (values[:, None] == values[None, :])
    np.fill_diagonal(points, 0.0)
    points.flags.writeable = False
    return points
