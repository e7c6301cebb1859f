"""Matches: insertion and queries."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from sqlalchemy import Column, Connection, Row, Select, delete, exists, func, insert, or_, select

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.base.typed import Range, Time, as_type
from arena.match.json_lines import LARGEST_SEED
from arena.match.verdict import MatchRecord, Reason, Verdict, results
from arena.store.many import execute_many
from arena.store.moves import MOST_BYTES, pack, pack_numbers, unpack, unpack_numbers
from arena.store.numbers import chunks, known_numbers, numbers_of, storable
from arena.store.runs import run_numbered
from arena.store.schema import games, matches, players, seats

Seat = Annotated[int, Range(0, 2**15)]
RESULTS = {"win": 1, "draw": 0, "loss": -1}
PACKED = ("moves", "move_ms", "shown", "transcripts")
"""Columns of bytes."""
ADD_MATCHES, ADD_SEATS = insert(matches), insert(seats)


@dataclass(frozen=True)
class MatchFilter:
    """Conditions on matches, all of which must hold."""

    player: str | None = None
    """A player of the match."""
    game: str | None = None
    """Label of the game, or its name for any options."""
    result: Literal["win", "draw", "loss"] | None = None
    """Result of `player`; without one, only "draw" is possible."""
    reason: Reason | None = None
    """Reason of the verdict."""
    min_length: int = 0
    """Fewest moves, the opening included."""
    max_length: int | None = None
    """Most moves."""
    run: int | None = None
    """Number of the run."""

    def __post_init__(self) -> None:
        require_at_least(0, **numbers_in(self, "min_length", "max_length"))
        if self.result not in (None, *RESULTS):
            raise UsageError(f"result={self.result!r} is none of {', '.join(RESULTS)}")
        if self.result in ("win", "loss") and self.player is None:
            raise UsageError(f"result={self.result!r} is that of a player: name one, or ask for 'draw'")


@dataclass(frozen=True)
class StoredMatch:
    """A match in the store."""

    id: int
    run: int
    number: int
    """Number of the match in its run."""
    added: float
    """Time of insertion, in seconds since 1970."""
    record: MatchRecord


def add_games(connection: Connection, run: int, played: Iterable[tuple[int, MatchRecord]]) -> None:
    """Add matches by their number in the run; existing numbers stay unchanged."""
    run_numbered(connection, run)
    for part in chunks(list(played)):
        numbers = [number for number, _ in part]
        there = select(matches.c.number).where(
            matches.c.run == run, matches.c.number.between(min(numbers), max(numbers))
        )
        old = set(connection.execute(there).scalars().all())
        new: dict[int, MatchRecord] = {}
        for number, record in part:
            if number not in old:
                new.setdefault(number, record)
        if new:
            _add_new(connection, run, new)


def replace_games(connection: Connection, run: int, played: Iterable[tuple[int, MatchRecord]]) -> None:
    """Put matches in the place of those of the same numbers in the run, under new numbers of the store."""
    corrected = list(played)
    for part in chunks([number for number, _ in corrected]):
        wrong = select(matches.c.id).where(matches.c.run == run, matches.c.number.in_(part))
        numbers = connection.execute(wrong).scalars().all()
        connection.execute(delete(seats).where(seats.c.match.in_(numbers)))
        connection.execute(delete(matches).where(matches.c.id.in_(numbers)))
    add_games(connection, run, corrected)


def _add_new(connection: Connection, run: int, new: Mapping[int, MatchRecord]) -> None:
    labels = numbers_of(connection, games, {record.game for record in new.values()})
    names = numbers_of(connection, players, {name for record in new.values() for name in record.players})
    now, first = time.time(), newest(connection) + 1
    match_rows, seat_rows = [], []
    for match, (number, record) in enumerate(new.items(), start=first):
        game, returns = labels[record.game], record.verdict.returns
        match_rows.append({"id": match} | _match_row(run, number, record, game, now))
        for seat, (name, seat_return, result) in enumerate(zip(record.players, returns, results(returns), strict=True)):
            sat = {"match": match, "seat": seat, "player": names[name]}
            seat_rows.append(sat | {"earned": seat_return, "result": result})
    execute_many(connection, ADD_MATCHES, match_rows)
    execute_many(connection, ADD_SEATS, seat_rows)


def _match_row(run: int, number: int, record: MatchRecord, game: int, now: float) -> dict[str, Any]:
    verdict = record.verdict
    if not 0 <= record.seed <= LARGEST_SEED:
        raise UsageError(f"match {number} has the seed {record.seed}, which is not between 0 and 2**63 - 1")
    if record.actions[: len(record.opening)] != record.opening:
        raise UsageError(f"match {number} does not begin with its opening {record.opening}")
    return {
        "run": run,
        "number": number,
        "game": game,
        "seed": record.seed,
        "opening": len(record.opening),
        "length": len(record.actions),
        "moves": pack(record.actions),
        "reason": verdict.reason.value,
        "offender": verdict.offender,
        "detail": storable(verdict.detail),  # an exception's text may hold any characters
        "added": now,
        "move_ms": None if record.move_ms is None else pack_numbers(record.move_ms),
        "shown": record.shown,
        "transcripts": record.transcripts,
        "start": record.start or None,
    }


def played(connection: Connection, run: int, after: int, limit: int) -> list[tuple[int, MatchRecord]]:
    """Return the first `limit` matches of a run with numbers above `after`, in order of number."""
    query = _all_columns().where(matches.c.run == run, matches.c.number > after).order_by(matches.c.number).limit(limit)
    return [(match.number, match.record) for match in _read(connection, query)]


def returns_of(connection: Connection, run: int, numbers: Sequence[int]) -> dict[int, list[float]]:
    """Return the returns of matches of a run, by seat, without their moves."""
    returns: dict[int, list[float]] = {}
    for part in chunks(list(numbers)):
        query = select(matches.c.number, seats.c.earned).join_from(matches, seats)
        query = query.where(matches.c.run == run, matches.c.number.in_(part)).order_by(matches.c.number, seats.c.seat)
        for number, seat_return in connection.execute(query):
            returns.setdefault(number, []).append(seat_return)
    return returns


def matches_like(
    connection: Connection, wanted: MatchFilter, limit: int, before_id: int | None, skip: int
) -> list[StoredMatch]:
    """Return the newest fitting matches below number `before_id`, the newest first, without the first `skip`."""
    number, query = _like(connection, wanted)
    if before_id is not None:
        query = query.where(number < before_id)
    return _numbered(connection, query.order_by(number.desc()).limit(limit).offset(skip))[::-1]


def count_like(connection: Connection, wanted: MatchFilter, before_id: int | None) -> int:
    """Return the number of fitting matches below number `before_id`."""
    number, query = _like(connection, wanted)
    if before_id is not None:
        query = query.where(number < before_id)
    return connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()


def newest(connection: Connection) -> int:
    """Return the highest number of a match, 0 if there are none."""
    return connection.execute(select(func.max(matches.c.id))).scalar_one() or 0


def matches_after(connection: Connection, wanted: MatchFilter, after_id: int, limit: int) -> list[StoredMatch]:
    """Return the oldest fitting matches above number `after_id`, the oldest first."""
    number, query = _like(connection, wanted)
    return _numbered(connection, query.where(number > after_id).order_by(number).limit(limit))


def match_numbered(connection: Connection, number: int) -> StoredMatch:
    """Return the match of a number; `UsageError` if there is none."""
    stored = _read(connection, _all_columns().where(matches.c.id == number))
    if not stored:
        raise UsageError(f"there is no match {number}")
    return stored[0]


def _like(connection: Connection, wanted: MatchFilter) -> tuple[Column[int], Select[Any]]:
    """Return the column of match numbers, and a query for those that fit.

    With a player the query uses the index of seats, in which a player's matches are few and in order.
    """
    number: Column[int] = matches.c.id
    query: Select[Any] = select(number)
    if wanted.player is not None:
        number = seats.c.match
        player = known_numbers(connection, players, [wanted.player]).get(wanted.player, -1)
        query = select(number).distinct().join_from(seats, matches).where(seats.c.player == player)
        if wanted.result is not None:
            query = query.where(seats.c.result == RESULTS[wanted.result])
    elif wanted.result is not None:
        query = query.where(exists().where(seats.c.match == number, seats.c.result == RESULTS[wanted.result]))
    if wanted.game is not None:
        fits = or_(games.c.label == wanted.game, games.c.label.startswith(f"{wanted.game}(", autoescape=True))
        query = query.where(matches.c.game.in_(connection.execute(select(games.c.id).where(fits)).scalars().all()))
    if wanted.reason is not None:
        query = query.where(matches.c.reason == wanted.reason.value)
    if wanted.min_length > 0:
        query = query.where(matches.c.length >= wanted.min_length)
    if wanted.max_length is not None:
        query = query.where(matches.c.length <= wanted.max_length)
    if wanted.run is not None:
        query = query.where(matches.c.run == wanted.run)
    return number, query


def _numbered(connection: Connection, query: Select[Any]) -> list[StoredMatch]:
    """Return the matches whose numbers a query selects, the oldest first."""
    stored: list[StoredMatch] = []
    for part in chunks(sorted(connection.execute(query).scalars())):
        stored += _read(connection, _all_columns().where(matches.c.id.in_(part)).order_by(matches.c.id))
    return stored


def _all_columns() -> Select[Any]:
    """Return a query for all columns of matches, those of bytes cut just above their size limit."""
    columns = [column for column in matches.c if column.name not in PACKED]
    packed = [func.substr(matches.c[name], 1, MOST_BYTES + 1).label(name) for name in PACKED]
    return select(*columns, *packed, games.c.label).join_from(matches, games)


def _read(connection: Connection, query: Select[Any]) -> list[StoredMatch]:
    rows = connection.execute(query).all()
    sitting: dict[int, list[tuple[str, float]]] = {row.id: [] for row in rows}
    for part in chunks(list(sitting)):
        of_match = (
            select(seats.c.match, players.c.name, seats.c.earned)
            .join_from(seats, players)
            .where(seats.c.match.in_(part))
            .order_by(seats.c.match, seats.c.seat)
        )
        for match, name, seat_return in connection.execute(of_match):
            sitting[match].append((name, seat_return))
    return [StoredMatch(row.id, row.run, row.number, row.added, _record(row, sitting[row.id])) for row in rows]


def _record(row: Row[Any], sitting: Sequence[tuple[str, float]]) -> MatchRecord:
    """Return the record in a row; `UsageError` for impossible values, as SQLite allows any in a column."""
    try:
        as_type(row.added, Time, "added")
        for number in (row.id, row.run, row.number):
            as_type(number, int, "a number of it")
        actions, reason = unpack(row.moves), Reason(row.reason)
        move_ms = None if row.move_ms is None else unpack_numbers(row.move_ms)
        opening = as_type(row.opening, Annotated[int, Range(0, len(actions))], "opening")
        as_type(row.length, Annotated[int, Range(0, MOST_BYTES)], "length")
        offender = as_type(row.offender, Seat | None, "offender")
        verdict = Verdict(
            tuple(_return(seat_return) for _, seat_return in sitting), reason, offender, _text(row.detail)
        )
        names = tuple(_text(name) for name, _ in sitting)
        if not names or not all(names) or (offender is not None and offender >= len(names)):
            raise UsageError(f"it has the players {', '.join(names)}, and seat {offender} was at fault")
        seed = as_type(row.seed, Annotated[int, Range(0, LARGEST_SEED)], "seed")
        shown = _packed(row.shown, "what it showed")
        words = _packed(row.transcripts, "what was said of its moves")
        start = "" if row.start is None else _text(row.start)
        opened = actions[:opening]
        return MatchRecord(_text(row.label), names, seed, opened, actions, verdict, move_ms, shown, words, start)
    except ValueError as error:
        raise UsageError(f"match {row.id} is damaged: {error}") from error


def _packed(value: Any, what: str) -> bytes | None:
    """Return the bytes of a column, if there are any; `UsageError` for other values and for too many."""
    if value is not None and (not isinstance(value, bytes) or len(value) > MOST_BYTES):
        raise UsageError(f"{what} cannot be read")
    return value


def _text(value: Any) -> str:
    text: str = as_type(value, str, "a name or a text")
    return text


def _return(value: Any) -> float:
    seat_return: float = as_type(value, float, "what a seat earned")
    return seat_return
