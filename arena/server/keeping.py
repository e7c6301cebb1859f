"""Bundles on the server's disk: one file each, named by its hash, within the quota of an account."""

import hashlib
import time
from pathlib import Path

from sqlalchemy import Connection, func, insert, select
from starlette.concurrency import run_in_threadpool

from arena.base.saving import draft_of
from arena.server import audit
from arena.server.accounts import OWNER, WORKER, Account
from arena.server.bundles import read_bundle
from arena.server.refusals import FORBIDDEN, INVALID, MISSING, TOO_LARGE, RefusedError, refusing
from arena.server.schema import bundles
from arena.server.state import ServerState


async def keep_bundle(server: ServerState, account: Account, digest: str, content: bytes) -> None:
    """Check a bundle and keep it; one that is there already is not kept twice. `RefusedError` for one that lies."""
    await run_in_threadpool(_keep, server, account, digest, content)


def bundle_file(server: ServerState, account: Account, digest: str) -> Path:
    """Return the file of a bundle; `RefusedError` for accounts that neither uploaded it nor play games."""
    with server.reading() as connection:
        uploaded = connection.execute(select(bundles.c.account).where(bundles.c.digest == digest)).scalar_one_or_none()
    file = server.config.bundles / f"{digest}.tar"
    if uploaded is None or not file.exists() or (account.role not in (OWNER, WORKER) and uploaded != account.id):
        raise RefusedError(MISSING, f"there is no bundle {digest[:12]}")
    return file


def require_programs(server: ServerState, agent: str) -> None:
    """Refuse programs where the server was not told that its workers contain them."""
    if agent.startswith("cmd:") and not server.config.takes_programs:
        raise RefusedError(
            FORBIDDEN, "this server takes no programs: it has no sandbox for them; specs and snapshots it takes"
        )


def _keep(server: ServerState, account: Account, digest: str, content: bytes) -> None:
    if hashlib.sha256(content).hexdigest() != digest:
        raise RefusedError(INVALID, "the bundle has another hash than its address says")
    with refusing():
        require_programs(server, read_bundle(content).agent)
    most = server.config.bundles_mb * 10**6

    def operation(connection: Connection) -> None:
        if connection.execute(select(bundles).where(bundles.c.digest == digest)).first():
            return
        mine = select(func.coalesce(func.sum(bundles.c.bytes), 0)).where(bundles.c.account == account.id)
        if connection.execute(mine).scalar_one() + len(content) > most:
            raise RefusedError(TOO_LARGE, f"your bundles would take more than {server.config.bundles_mb} MB")
        new = {"digest": digest, "account": account.id, "bytes": len(content), "created": time.time()}
        connection.execute(insert(bundles).values(new))
        audit.note(connection, account.id, "bundle", f"{digest[:12]}, {len(content):,} bytes")
        server.config.bundles.mkdir(parents=True, exist_ok=True)
        with draft_of(server.config.bundles / f"{digest}.tar") as draft:
            draft.write_bytes(content)

    server.writer.do(operation)
