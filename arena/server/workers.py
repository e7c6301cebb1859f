"""Workers: who plays the games, with which versions, on which machine."""

import time
from typing import Any

from sqlalchemy import Connection, insert, select, update

import arena
from arena.server import audit
from arena.server.accounts import Account, require_name
from arena.server.jobs import HEARD_S
from arena.server.refusals import FORBIDDEN, MISSING, OUTDATED, RefusedError
from arena.server.schema import accounts, jobs, workers
from arena.server.verification import residuals

PROTOCOL = 3
"""Version of what goes over the wire and of how a job becomes games; raised when either changes."""
VERSION = f"{arena.__version__}/{PROTOCOL}"
"""What a worker must be."""
ALIVE_S = 300.0
"""Seconds after which a worker that has not been heard of is gone."""


def register_worker(connection: Connection, account: Account, name: str, version: str, machine: dict[str, Any]) -> int:
    """Return the number of a worker, new or known; `RefusedError` for other versions and blocked ones.

    One that begins again has forgotten the jobs that it held: others get them at once.
    """
    account.require("worker")
    require_name(name, "worker")
    if version != VERSION:
        raise RefusedError(
            OUTDATED, f"this server needs workers of version {VERSION}, and this is {version[:40]}: update it"
        )
    now = time.time()
    row = connection.execute(select(workers).filter_by(account=account.id, name=name)).one_or_none()
    if row is not None:
        connection.execute(update(workers).where(workers.c.id == row.id).values(machine=machine, seen=now))
        leased = jobs.c.worker == row.id, jobs.c.state == "leased"
        connection.execute(update(jobs).where(*leased).values(expires=now - 1))
        return require_active(connection, account, row.id)
    new = {"account": account.id, "name": name, "machine": machine, "state": "active", "reason": "", "games": 0}
    key = connection.execute(insert(workers).values(new | {"created": now, "seen": now})).inserted_primary_key
    assert key is not None
    audit.note(connection, account.id, "worker", name)
    return int(key[0])


def require_active(connection: Connection, account: Account, worker: int) -> int:
    """Return the number of a worker of the account, which is heard of; `RefusedError` for others and blocked ones."""
    row = connection.execute(select(workers).filter_by(id=worker, account=account.id)).one_or_none()
    if row is None:
        raise RefusedError(MISSING, f"you have no worker {worker}")
    if row.state != "active":
        raise RefusedError(FORBIDDEN, f"the worker {row.name} is blocked: {row.reason}")
    if row.seen < (now := time.time()) - HEARD_S:
        connection.execute(update(workers).where(workers.c.id == worker).values(seen=now))
    return worker


def unblock_worker(connection: Connection, worker: int) -> None:
    """Let a worker play again; `RefusedError` if there is none of that number."""
    values = {"state": "active", "reason": ""}
    if not connection.execute(update(workers).where(workers.c.id == worker).values(values)).rowcount:
        raise RefusedError(MISSING, f"there is no worker {worker}")
    audit.note(connection, None, "unblock", f"worker {worker}")


def list_workers(connection: Connection) -> list[dict[str, Any]]:
    """Return all workers, those heard of last first, with the p-value of their residuals."""
    tested = residuals(connection)
    query = select(workers, accounts.c.name.label("of")).join_from(workers, accounts).order_by(workers.c.seen.desc())
    return [
        {
            "id": row.id,
            "name": row.name,
            "account": row.of,
            "state": row.state,
            "reason": row.reason,
            "games": row.games,
            "seen": row.seen,
            "alive": row.seen > time.time() - ALIVE_S,
            "p_value": tested.get(row.id, (0, None))[1],
        }
        for row in connection.execute(query)
    ]
