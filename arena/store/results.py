"""Results of all matches of a game, summed up by the database: who sat where, in which order they ended, how often."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

from arena.base.errors import UsageError
from arena.base.typed import as_type
from arena.match.verdict import FAULTS
from arena.store.numbers import chunks, known_numbers
from arena.store.schema import games, matches, players, runs, seats


@dataclass(frozen=True)
class Selection:
    """Conditions on matches whose results are wanted, all of which must hold."""

    game: str
    """Label of the game."""
    players: tuple[str, ...] = ()
    """Only matches among these players; none: among all."""
    runs: tuple[int, ...] | None = None
    """Only matches of the runs of these numbers; None: of all."""
    since: float | None = None
    """Only matches added at this time or later, in seconds since 1970."""
    until: float | None = None
    """Only matches added before this time."""


@dataclass(frozen=True, eq=False)
class StoredResults:
    """Results of N players in G rows of matches that had the same players and ended alike; P seats."""

    names: tuple[str, ...]
    """Names of the players [N], in alphabetical order."""
    players: NDArray[np.int64]
    """Number of the player at each seat [G, P]."""
    places: NDArray[np.int64]
    """Place of each seat [G, P]: 1 more than the number of seats that earned more."""
    games: NDArray[np.int64]
    """Number of matches [G]."""
    returns: NDArray[np.float64]
    """Sum of the returns of each seat [G, P]."""
    squares: NDArray[np.float64]
    """Sum of their squares [G, P]."""
    offender: NDArray[np.int64]
    """Seat that lost by a fault [G], -1 for none."""
    fault: NDArray[np.int64]
    """Its fault [G], an index into `FAULTS`; -1 for none."""
    plain: NDArray[np.bool_]
    """True for rows [G] in which nobody earned anything but 1, 0 or -1."""


def results(connection: Connection, wanted: Selection, itself: bool = False) -> StoredResults:
    """Return the results of the matches that fit; with `itself`, those of a player against itself alone as well.

    A match that tournaments have played more than once, with the same players, seed and moves, counts once.
    """
    game = known_numbers(connection, games, [wanted.game]).get(wanted.game, -1)
    one_match = select(matches.c.id).where(matches.c.game == game).limit(1).scalar_subquery()
    num_seats = connection.execute(select(func.count()).where(seats.c.match == one_match)).scalar_one()
    if num_seats == 0:
        return _arrays(connection, [], 1)
    sitting: list[FromClause] = [seats.alias(f"seat_{seat}") for seat in range(num_seats)]
    source: FromClause = matches
    for seat, one in enumerate(sitting):
        source = source.join(one, and_(one.c.match == matches.c.id, one.c.seat == seat))
    conditions = [matches.c.game == game, *_conditions(connection, wanted, sitting)]
    if not itself and num_seats > 1:
        conditions.append(or_(*(one.c.player != sitting[0].c.player for one in sitting[1:])))
    repeat = _repeat(sitting) if _share_seeds(connection, game) else literal(1).label("repeat")
    source = source.join(runs, runs.c.id == matches.c.run)
    shown = [*_key(sitting), *_values(sitting), repeat]
    one_row = select(*shown).select_from(source).where(*conditions).subquery()
    key = list(one_row.c)[: 2 * num_seats + 2]
    columns: list[ColumnElement[Any]] = list(one_row.c)
    plain, *returns, nth = columns[len(key) :]
    sums = [func.sum(value) for value in returns] + [func.sum(value * value) for value in returns]
    most = func.max(reduce(_greater, returns))
    query = select(*key, func.count(), func.min(plain), most, *sums).where(nth == 1).group_by(*key)
    return _arrays(connection, connection.execute(query).all(), num_seats)


def _greater(one: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((one > other, one), else_=other)


def _conditions(
    connection: Connection, wanted: Selection, sitting: Sequence[FromClause]
) -> Iterator[ColumnElement[bool]]:
    if wanted.players:
        numbers = sorted(known_numbers(connection, players, wanted.players).values())
        yield from (one.c.player.in_(numbers) for one in sitting)
    if wanted.runs is not None:
        yield matches.c.run.in_(wanted.runs)
    if wanted.since is not None:
        yield matches.c.added >= wanted.since
    if wanted.until is not None:
        yield matches.c.added < wanted.until


def _key(sitting: Sequence[FromClause]) -> Iterator[ColumnElement[Any]]:
    """Yield what equal results have in common: players, how many earned more than each, offender, its fault."""
    yield from (one.c.player.label(f"player_{seat}") for seat, one in enumerate(sitting))
    for seat, one in enumerate(sitting):
        above = (cast(other.c.earned > one.c.earned, Integer) for other in sitting if other is not one)
        yield reduce(add, above, literal(0)).label(f"above_{seat}")
    yield matches.c.offender
    faults = {fault.value: number for number, fault in enumerate(FAULTS)}
    yield case(faults, value=matches.c.reason, else_=-1).label("fault")


def _values(sitting: Sequence[FromClause]) -> Iterator[ColumnElement[Any]]:
    """Yield whether all earned 1, 0 or -1, and what each earned."""
    yield case((and_(*(func.abs(one.c.earned).in_((0, 1)) for one in sitting)), 1), else_=0).label("plain")
    yield from (one.c.earned.label(f"earned_{seat}") for seat, one in enumerate(sitting))


def _share_seeds(connection: Connection, game: int) -> bool:
    """Return whether two tournaments of a game have a seed in common, without which nothing is a repeat."""
    several = func.min(matches.c.run) < func.max(matches.c.run)
    of_game = select(matches.c.seed).join(runs).where(matches.c.game == game, runs.c.kind == "tournament")
    return connection.execute(of_game.group_by(matches.c.seed).having(several).limit(1)).first() is not None


def _repeat(sitting: Sequence[FromClause]) -> ColumnElement[Any]:
    """Return the column that is 1 but for repeats: matches that a run before theirs has as well.

    Only tournaments are compared: their seeds tell their games apart, and those of imported games may be unknown.
    """
    alone = case((runs.c.kind == "tournament", 0), else_=matches.c.run)
    same = (alone, matches.c.seed, *(one.c.player for one in sitting), matches.c.moves)
    return func.rank().over(partition_by=same, order_by=matches.c.run).label("repeat")


def _arrays(connection: Connection, rows: Sequence[Sequence[Any]], num_seats: int) -> StoredResults:
    """Return rows of the database as arrays, with players numbered from 0 by name.

    Raises `ValueError` for a return that is no number, which SQLite allows: the greatest of them shows it, as texts are
    greater than numbers there, and sums take texts for 0.
    """
    width = 4 * num_seats + 5
    values = (value if value is not None else -1 for value in chain.from_iterable(rows))
    table = np.fromiter(values, np.float64, len(rows) * width).reshape(len(rows), width)
    if not np.isfinite(table).all():
        raise UsageError("it has matches in which a seat earned more than any number")
    whole = table[:, : 2 * num_seats + 4].astype(np.int64)
    numbers, seated = np.unique(whole[:, :num_seats], return_inverse=True)
    name_of = _names(connection, numbers.tolist())
    order = sorted(range(len(numbers)), key=lambda place: name_of[place])
    rank = np.empty(len(numbers), np.int64)
    rank[order] = np.arange(len(numbers))
    offender, fault, count, plain = whole[:, 2 * num_seats :].T
    return StoredResults(
        tuple(name_of[place] for place in order),
        rank[seated.reshape(-1, num_seats)],
        whole[:, num_seats : 2 * num_seats] + 1,
        count,
        table[:, 2 * num_seats + 5 : 3 * num_seats + 5],
        table[:, 3 * num_seats + 5 :],
        np.where(fault < 0, -1, offender),
        fault,
        plain > 0,
    )


def _names(connection: Connection, numbers: Sequence[int]) -> list[str]:
    """Return the names of players, in the order of `numbers`; `UsageError` for a number or a name that is none."""
    names: dict[int, str] = {}
    for part in chunks(numbers):
        query = select(players.c.id, players.c.name).where(players.c.id.in_(part))
        names |= {number: as_type(name, str, "a name") for number, name in connection.execute(query).all()}
    if missing := [number for number in numbers if number not in names]:
        raise UsageError(f"it has matches of player {missing[0]}, who is not among its players")
    return [names[number] for number in numbers]
