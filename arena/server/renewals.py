"""Renewals of leases: workers hold their jobs for longer while they play.

They are most of what workers ask for. Those that come while the writer is busy are written together, in one operation.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, bindparam, update

from arena.server.accounts import worker_of
from arena.server.database import Writer
from arena.server.jobs import HEARD_S, leased_jobs, require_leased
from arena.server.refusals import RefusedError
from arena.server.schema import jobs, workers

EXTEND = update(jobs).where(jobs.c.id == bindparam("job")).values(expires=bindparam("until"))
HEAR = update(workers).where(workers.c.id == bindparam("worker"), workers.c.seen < bindparam("before"))


@dataclass(frozen=True)
class Renewal:
    """A request to hold a job for longer."""

    key: str
    """Of whoever asks."""
    job: int
    lease: str
    """Token of who holds it."""


class Renewals:
    """Takes renewals in the event loop of a server, and hands them to its writer, as many at once as have come."""

    def __init__(self, writer: Writer):
        self._writer = writer
        self._waiting: list[tuple[Renewal, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def renew(self, renewal: Renewal) -> None:
        """Hold a job for longer; `RefusedError` for a key that is none, or a job that is not held by this lease."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((renewal, future))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await future

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            operation = partial(renew_leases, renewals=[renewal for renewal, _ in batch])
            try:
                refusals = await self._writer.done(operation)
            except Exception as error:  # the database is gone: nothing of it is on disk
                refusals = [error] * len(batch)
            for (_, future), refusal in zip(batch, refusals, strict=True):
                if future.cancelled():  # nobody waits for the answer any more
                    continue
                if refusal is None:
                    future.set_result(None)
                else:
                    future.set_exception(refusal)


def renew_leases(connection: Connection, renewals: Sequence[Renewal]) -> list[Exception | None]:
    """Hold jobs for longer; return for each renewal why it was refused, or None."""
    now = time.time()
    known = {key: _refusal_of_key(connection, key) for key in {renewal.key for renewal in renewals}}
    rows = leased_jobs(connection, [renewal.job for renewal in renewals])
    refusals: list[Exception | None] = []
    extended, heard = [], []
    for renewal in renewals:
        refusal = known[renewal.key]
        try:
            row = require_leased(rows.get(renewal.job), renewal.job, renewal.lease)
        except RefusedError as error:
            refusal = refusal or error
        refusals.append(refusal)
        if refusal is None and row.state == "leased":
            extended.append({"job": row.id, "until": now + row.lease_s})
            heard.append({"worker": row.worker, "before": now - HEARD_S})
    if extended:
        connection.execute(EXTEND, extended)
        connection.execute(HEAR.values(seen=now), heard)
    return refusals


def _refusal_of_key(connection: Connection, key: str) -> RefusedError | None:
    try:
        worker_of(connection, key)
    except RefusedError as error:
        return error
    return None
