"""Runs: what was begun once under a key, and goes on under that key until it is finished."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from arena.errors import UsageError
from arena.store.schema import runs


@dataclass(frozen=True)
class Run:
    """A tournament, an import, or whatever else adds matches; as it was when it was asked for."""

    id: int
    kind: str
    key: str
    """Of everything that fixes its matches."""
    game: str | None
    """Label of its game; None where it holds matches of several."""
    config: dict[str, Any]
    players: tuple[str, ...]
    started: float
    """Seconds since 1970."""
    finished_at: float | None

    @property
    def finished(self) -> bool:
        """Whether all its matches are there."""
        return self.finished_at is not None


def open_run(
    connection: Connection, kind: str, key: str, game: str | None, config: dict[str, Any], players: Sequence[str]
) -> Run:
    """Begin the run with that key, or go on with it; `UsageError` if it is of another kind, game or players."""
    found = _with_key(connection, key)
    if found is None:
        new = {"kind": kind, "key": key, "game": game, "config": config, "players": list(players)}
        connection.execute(insert(runs).values(**new, started=time.time()))
        found = _with_key(connection, key)
        assert found is not None
    told, asked = (found.kind, found.game, found.players), (kind, game, tuple(players))
    if told != asked:
        raise UsageError(f"run {key!r} is {_said(*told)}, not {_said(*asked)}")
    return found


def run_numbered(connection: Connection, run: int) -> Run:
    """The run with that number; `UsageError` if there is none."""
    row = connection.execute(select(runs).where(runs.c.id == run)).one_or_none()
    if row is None:
        raise UsageError(f"there is no run {run}")
    return _read(row)


def finish_run(connection: Connection, run: int) -> None:
    """Note that all matches of a run are there; a finished one stays as it is."""
    if not run_numbered(connection, run).finished:
        connection.execute(update(runs).where(runs.c.id == run).values(finished=time.time()))


def _with_key(connection: Connection, key: str) -> Run | None:
    row = connection.execute(select(runs).where(runs.c.key == key)).one_or_none()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> Run:
    return Run(row.id, row.kind, row.key, row.game, row.config, tuple(row.players), row.started, row.finished)


def _said(kind: str, game: str | None, players: Sequence[str]) -> str:
    return f"{kind} of {game or 'several games'} with {', '.join(players) or 'nobody'}"
