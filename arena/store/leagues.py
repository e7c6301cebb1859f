"""Leagues that several trainers share: the snapshots that each has published, and what each has counted."""

import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields

from sqlalchemy import Connection, bindparam, delete, insert, select

from arena.errors import UsageError
from arena.store.schema import league_counts, league_snapshots


@dataclass(frozen=True)
class Snapshot:
    """A frozen agent that others may meet; nothing of it changes any more."""

    name: str
    """Its only one in the league."""
    role: str
    learner: str
    """Who it is a snapshot of."""
    generation: int
    """The turn of its learner that it was written after."""
    step: int
    """Moves in all games of its trainer until then."""
    parent: str | None
    """The snapshot that its learner had gone on from."""
    sha256: str
    """Hash of its weights."""


@dataclass(frozen=True)
class Count:
    """What one player has from all its games of a kind against another, as one trainer has counted them."""

    kind: str
    """Of games: training, evaluation."""
    player: str
    opponent: str
    wins: int
    draws: int
    losses: int


def add_snapshots(connection: Connection, league: str, rows: Sequence[Snapshot]) -> None:
    """Add snapshots; those that are there stay as they are. `UsageError` for a name that is another's."""
    there = {row.name: row for row in snapshots_of(connection, league)}
    for row in rows:
        if row.name in there and there[row.name].sha256 != row.sha256:
            raise UsageError(f"the league has another {row.name!r} already: each trainer needs a name of its own")
    new = [asdict(row) | {"league": league, "added": time.time()} for row in rows if row.name not in there]
    if new:
        connection.execute(insert(league_snapshots), new)


def snapshots_of(connection: Connection, league: str) -> list[Snapshot]:
    """All snapshots of a league, in the order in which they were added."""
    columns = [league_snapshots.c[field.name] for field in fields(Snapshot)]
    order = (league_snapshots.c.added, league_snapshots.c.name)
    query = select(*columns).where(league_snapshots.c.league == league).order_by(*order)
    return [Snapshot(*row) for row in connection.execute(query)]


def put_counts(connection: Connection, league: str, rows: Sequence[Count]) -> None:
    """Put counts in place of what was told of the same games before."""
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


def counts_of(connection: Connection, league: str) -> list[Count]:
    """All counts of a league."""
    columns = [league_counts.c[field.name] for field in fields(Count)]
    query = select(*columns).where(league_counts.c.league == league)
    return sorted((Count(*row) for row in connection.execute(query)), key=astuple)
