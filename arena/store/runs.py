"""Runs: sources of matches, begun and resumed under a key until they are finished."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, or_, select, update

from arena.base.errors import UsageError
from arena.store.numbers import row_of
from arena.store.schema import runs


@dataclass(frozen=True)
class StoredRun:
    """A tournament, an import or another source of matches, as of the time of the query."""

    id: int
    kind: str
    key: str
    """Hash of everything that determines its matches."""
    game: str | None
    """Label of its game; None if it has matches of several games."""
    config: dict[str, Any]
    players: tuple[str, ...]
    started: float
    """Seconds since 1970."""
    finished_at: float | None

    @property
    def finished(self) -> bool:
        """True once all its matches are stored."""
        return self.finished_at is not None


def open_run(
    connection: Connection, kind: str, key: str, game: str | None, config: dict[str, Any], players: Sequence[str]
) -> StoredRun:
    """Begin or resume the run of a key; `UsageError` if it has another kind, game or players."""
    run = _with_key(connection, key)
    if run is None:
        new = {"kind": kind, "key": key, "game": game, "config": config, "players": list(players)}
        connection.execute(insert(runs).values(**new, started=time.time()))
        run = _with_key(connection, key)
        assert run is not None
    stored, requested = (run.kind, run.game, run.players), (kind, game, tuple(players))
    if stored != requested:
        raise UsageError(f"run {key!r} is {_describe(*stored)}, not {_describe(*requested)}")
    return run


def run_numbered(connection: Connection, run: int) -> StoredRun:
    """Return the run of a number; `UsageError` if there is none."""
    row = connection.execute(select(runs).where(runs.c.id == run)).one_or_none()
    if row is None:
        raise UsageError(f"there is no run {run}")
    return _read(row)


def runs_of(connection: Connection, game: str) -> list[StoredRun]:
    """Return the runs of a game (its label), and those of several games, the oldest first."""
    query = select(runs).where(or_(runs.c.game == game, runs.c.game.is_(None))).order_by(runs.c.id)
    return [_read(row) for row in connection.execute(query)]


def finish_run(connection: Connection, run: int) -> None:
    """Mark a run as finished; one that is finished already keeps its time."""
    if not run_numbered(connection, run).finished:
        connection.execute(update(runs).where(runs.c.id == run).values(finished=time.time()))


def _with_key(connection: Connection, key: str) -> StoredRun | None:
    row = connection.execute(select(runs).where(runs.c.key == key)).one_or_none()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> StoredRun:
    return row_of(StoredRun, (row.id, row.kind, row.key, row.game, row.config, row.players, row.started, row.finished))


def _describe(kind: str, game: str | None, players: Sequence[str]) -> str:
    return f"{kind} of {game or 'several games'} with {', '.join(players) or 'nobody'}"
