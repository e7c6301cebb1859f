"""Leagues shared by several trainers: the snapshots and the game counts that each has published."""

import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields

from sqlalchemy import Connection, bindparam, delete, insert, select

from arena.base.errors import UsageError
from arena.base.typed import Count
from arena.store.numbers import row_of
from arena.store.schema import league_counts, league_snapshots


@dataclass(frozen=True)
class Snapshot:
    """A published, immutable agent."""

    name: str
    """Name, unique in the league."""
    role: str
    learner: str
    """Learner of the snapshot."""
    generation: Count
    """Turn of the learner after which it was written."""
    step: Count
    """Moves in all games of the trainer until then."""
    parent: str | None
    """Snapshot from which the learner continued."""
    sha256: str
    """Hash of the weights."""


@dataclass(frozen=True)
class ResultCount:
    """Results of all games of a kind between two players, as counted by one trainer."""

    kind: str
    """Kind of games: training, evaluation."""
    player: str
    opponent: str
    wins: Count
    draws: Count
    losses: Count


def add_snapshots(connection: Connection, league: str, rows: Sequence[Snapshot]) -> None:
    """Add snapshots and leave stored ones unchanged; `UsageError` for a name with another hash."""
    there = {row.name: row for row in snapshots_of(connection, league)}
    for row in rows:
        if row.name in there and there[row.name].sha256 != row.sha256:
            raise UsageError(f"the league has another {row.name!r} already: each trainer needs a name of its own")
    new = [asdict(row) | {"league": league, "added": time.time()} for row in rows if row.name not in there]
    if new:
        connection.execute(insert(league_snapshots), new)


def snapshots_of(connection: Connection, league: str) -> list[Snapshot]:
    """Return all snapshots of a league, in order of addition."""
    columns = [league_snapshots.c[field.name] for field in fields(Snapshot)]
    order = (league_snapshots.c.added, league_snapshots.c.name)
    query = select(*columns).where(league_snapshots.c.league == league).order_by(*order)
    return [row_of(Snapshot, row) for row in connection.execute(query)]


def put_counts(connection: Connection, league: str, rows: Sequence[ResultCount]) -> None:
    """Replace the counts of the same kind, player and opponent."""
    if not rows:
        return
    table = league_counts
    same = delete(table).where(
        table.c.league == league,
        table.c.kind == bindparam("of_kind"),
        table.c.player == bindparam("of_player"),
        table.c.opponent == bindparam("of_opponent"),
    )
    keys = [{"of_kind": row.kind, "of_player": row.player, "of_opponent": row.opponent} for row in rows]
    connection.execute(same, keys)
    connection.execute(insert(table), [asdict(row) | {"league": league} for row in rows])


def counts_of(connection: Connection, league: str) -> list[ResultCount]:
    """Return all counts of a league."""
    columns = [league_counts.c[field.name] for field in fields(ResultCount)]
    query = select(*columns).where(league_counts.c.league == league)
    return sorted((row_of(ResultCount, row) for row in connection.execute(query)), key=astuple)
