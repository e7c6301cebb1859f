"""Jobs: leased, renewed, reported.

A job is one table of bots and one opening, played from all sides. A worker holds it by a lease, which it renews while
it plays; when a lease runs out, the next worker gets the job. A report is accepted once, from who holds the lease,
and is in the store with the job's new state in one transaction; so a server, a worker or a network that dies at any
moment loses nothing and plays nothing twice. They are planned, and their results counted, by `arena.server.counting`.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, and_, func, insert, or_, select, update

from arena.base.errors import UsageError
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.verdict import MatchRecord
from arena.policy.registry import make_game
from arena.server.accounts import OWNER, digest_of
from arena.server.ladders import LadderRow, LadderRules, ladder_numbered
from arena.server.matchmaking import seatings
from arena.server.refusals import CONFLICT, FORBIDDEN, MISSING, RefusedError, refusing
from arena.server.schema import accounts, bots, jobs, workers
from arena.store.matches import add_games
from arena.tournament.openings import random_openings_of
from games.engine.actions import Action

LADDER, QUALIFICATION, VERIFICATION, LIVE = "ladder", "qualification", "verification", "live"
IN_TURN = (QUALIFICATION, VERIFICATION, LIVE), (LADDER,)
"""Kinds of jobs as they are given out: those beside the plan of a ladder first."""
LEASE_S = 90.0
"""Seconds, at least, after which a job is anybody's again if its worker has not renewed it..."""
RENEWALS = 3
"""times within them."""
MOST_RENEWALS_PER_S = 100.0
"""Renewals a second of all workers: where there are more of them, leases last longer, as in Nomad's heartbeats."""
HEARD_S = 60.0
"""Seconds after which it is noted anew that a worker has been heard of."""
MOST_TRIES = 5
"""Times that a job is given out before it is void: something in it ends workers."""
CANDIDATES = 50
"""Open jobs that a worker may choose from: it must not verify itself."""
RANDOM = "random"
"""Whom newcomers meet."""


@dataclass(frozen=True)
class Seat:
    """A player of a job."""

    player: str
    """Its name in the store."""
    agent: str
    """Its spec, with {folder} for where its bundle lies."""
    bundle: str | None = None
    """Hash of its bundle."""


@dataclass(frozen=True)
class Job:
    """A job as a worker needs it."""

    id: int
    kind: str
    rules: LadderRules
    table: tuple[Seat, ...]
    seed: int
    opening: tuple[Action, ...]
    lease: str = ""
    """Token of who holds it."""
    lease_s: float = LEASE_S
    """Seconds after which it has to be renewed."""
    live: int | None = None
    """The live game that it is to play in, against a person."""


def add_job(
    connection: Connection, ladder: LadderRow, kind: str, table: Sequence[int | None], seed: int, **more: Any
) -> None:
    """Add a job beside the plan of a ladder; None at a table is the agent `random`."""
    opening = random_openings_of(make_game(ladder.rules.game), ladder.rules.openings, 1, seed)[0]
    connection.execute(insert(jobs).values(job_row(ladder.id, kind, table, seed, opening) | more))


def job_row(
    ladder: int, kind: str, table: Sequence[int | None], seed: int, opening: Sequence[Action]
) -> dict[str, Any]:
    """Return the values of a job that nobody has begun."""
    new = {"ladder": ladder, "kind": kind, "bots": list(table), "seed": seed, "opening": list(opening)}
    return new | {"state": "open", "tries": 0, "checked": "", "created": time.time()}


def lease_job(connection: Connection, worker: int, sandboxed: bool) -> Job | None:
    """Give an open job to a worker, those beside the plan first; None if there is none for it.

    Programs go to workers that have a sandbox alone, and verifications to workers of accounts that have not played the
    job before, or of an owner, who is believed.
    """
    now = time.time()
    _end_late(connection, now)
    for kinds in IN_TURN:
        query = select(jobs).where(jobs.c.state == "open", jobs.c.kind.in_(kinds))
        query = query.order_by(jobs.c.id).limit(CANDIDATES)
        with connection.execute(query) as candidates:
            for row in candidates:
                job = read_job(connection, row)
                if not _may_play(connection, row, worker) or (_has_program(job) and not sandboxed):
                    continue
                lease, lease_s = secrets.token_urlsafe(18), _lease_seconds(connection)
                leased = {"state": "leased", "worker": worker, "lease": digest_of(lease), "lease_s": lease_s}
                leased |= {"expires": now + lease_s, "tries": row.tries + 1}
                connection.execute(update(jobs).where(jobs.c.id == row.id).values(leased))
                return replace(job, lease=lease, lease_s=lease_s)
    return None


def read_report(connection: Connection, number: int, lease: str, lines: Sequence[str]) -> list[MatchRecord]:
    """Return the games that a worker reports, each replayed; `RefusedError` if they are not those of its job."""
    row = _leased_job(connection, number, lease)
    job = read_job(connection, row)
    if job.kind == LIVE:
        raise RefusedError(CONFLICT, f"job {number} is a live game, whose moves are played one by one")
    sides = seatings(len(job.table))
    if len(lines) != len(sides):
        raise RefusedError(CONFLICT, f"job {number} has {len(sides)} games, not {len(lines)}")
    records = []
    with refusing(f"job {number}"):
        for line, side in zip(lines, sides, strict=True):
            game, record = from_json_line(line)
            due = (job.rules.game, tuple(job.table[place].player for place in side), job.seed, "", job.opening)
            if (game.label, record.players, record.seed, record.start, record.opening) != due:
                raise UsageError("a game of other players, another seed, opening, start or game was reported")
            records.append(record)
    return records


def report_job(connection: Connection, number: int, lease: str, records: Sequence[MatchRecord]) -> bool:
    """Take the games of a job; return False if they were reported before, by the same lease and alike."""
    row, digest = _leased_job(connection, number, lease), result_digest(records)
    if row.state != "leased":
        if row.digest != digest:
            raise RefusedError(CONFLICT, f"job {number} was reported before, with other games")
        return False
    done = {"state": "done", "digest": digest, "finished": time.time()}
    if row.kind == LADDER:
        ladder = ladder_numbered(connection, row.ladder)
        first = row.number * len(records)
        add_games(connection, ladder.run, enumerate(records, start=first))
    else:
        game = make_game(records[0].game)
        done |= {"games": [to_json_line(game, record) for record in records]}
    connection.execute(update(jobs).where(jobs.c.id == number).values(done))
    played_by = workers.c.id == row.worker
    connection.execute(update(workers).where(played_by).values(games=workers.c.games + len(records), seen=time.time()))
    return True


def read_job(connection: Connection, row: Row[Any]) -> Job:
    """Return the job of a row."""
    ladder = ladder_numbered(connection, row.ladder)
    numbers = [number for number in row.bots if number is not None]
    known = {bot.id: bot for bot in connection.execute(select(bots).where(bots.c.id.in_(numbers)))}
    places = [None if number is None else known[number] for number in row.bots]
    table = tuple(
        Seat(f"{RANDOM}-{place}" if place else RANDOM, RANDOM)
        if bot is None
        else Seat(bot.player, bot.agent, bot.bundle)
        for place, bot in enumerate(places)
    )
    opening = tuple(tuple(action) if isinstance(action, list) else action for action in row.opening)
    return Job(row.id, row.kind, ladder.rules, table, row.seed, opening, live=row.live)


def result_digest(records: Sequence[MatchRecord]) -> str:
    """Return a hash of all that a seed repeats of games: moves and verdicts, not times."""
    known = [
        (record.players, record.seed, record.actions, record.verdict.returns, record.verdict.reason)
        for record in records
    ]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def holds_live(connection: Connection, live: int, lease: str) -> bool:
    """Return whether this is the lease by which a worker plays in a live game."""
    by_lease = jobs.c.live == live, jobs.c.state == "leased", jobs.c.lease == digest_of(lease)
    return connection.execute(select(jobs.c.id).where(*by_lease)).first() is not None


def end_live(connection: Connection, live: int) -> None:
    """End the job of a live game that is over."""
    ended = {"state": "counted", "finished": time.time()}
    connection.execute(update(jobs).where(jobs.c.live == live).values(ended))


def leased_jobs(connection: Connection, numbers: Sequence[int]) -> dict[int, Row[Any]]:
    """Return jobs by number, each with the state of its worker (`worker_state`)."""
    query = select(jobs, workers.c.state.label("worker_state")).join_from(jobs, workers, isouter=True)
    return {row.id: row for row in connection.execute(query.where(jobs.c.id.in_(numbers)))}


def require_leased(row: Row[Any] | None, number: int, lease: str) -> Row[Any]:
    """Return the row of a job that was leased by this token last; `RefusedError` for other jobs."""
    if row is None:
        raise RefusedError(MISSING, f"there is no job {number}")
    if row.lease is None or not secrets.compare_digest(row.lease, digest_of(lease)):
        raise RefusedError(CONFLICT, f"job {number} is not held by this lease: it ran out, or was another's")
    if row.state == "leased" and row.worker_state not in (None, "active"):
        raise RefusedError(FORBIDDEN, "this worker is blocked")
    return row


def _leased_job(connection: Connection, number: int, lease: str) -> Row[Any]:
    return require_leased(leased_jobs(connection, [number]).get(number), number, lease)


def _may_play(connection: Connection, row: Row[Any], worker: int) -> bool:
    """Return whether a worker may have a job: results are verified by other accounts, or by an owner's workers."""
    if row.kind != VERIFICATION:
        return True
    of_whom = select(accounts.c.id, accounts.c.role).join_from(workers, accounts)
    own = connection.execute(of_whom.where(workers.c.id == worker)).one()
    voted = select(jobs.c.worker).where(or_(jobs.c.id == row.of, and_(jobs.c.of == row.of, jobs.c.state == "done")))
    first = connection.execute(select(jobs.c.worker).where(jobs.c.id == row.of)).scalar_one()
    others = connection.execute(of_whom.where(workers.c.id.in_(voted))).all()
    return first != worker and (own.role == OWNER or own.id not in {other.id for other in others})


def _has_program(job: Job) -> bool:
    return any(seat.agent.startswith("cmd:") for seat in job.table)


def _lease_seconds(connection: Connection) -> float:
    leases: int = connection.execute(select(func.count()).where(jobs.c.state == "leased")).scalar_one()
    return max(LEASE_S, RENEWALS * leases / MOST_RENEWALS_PER_S)


def _end_late(connection: Connection, now: float) -> None:
    """End the leases that have run out; a job that was given out too often is void."""
    late = jobs.c.state == "leased", jobs.c.expires < now
    if connection.execute(select(jobs.c.id).where(*late).limit(1)).first() is not None:
        connection.execute(update(jobs).where(*late, jobs.c.tries >= MOST_TRIES).values(state="void", finished=now))
        connection.execute(update(jobs).where(*late).values(state="open", lease=None))
