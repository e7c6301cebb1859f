"""The log of who did what: in the database, for the owner, and as a line of JSON on the standard error."""

import json
import logging
import time
from typing import Any

from sqlalchemy import Connection, insert, select

from arena.server.schema import accounts, audit

LOG = logging.getLogger("arena.server")


def note(connection: Connection, account: int | None, action: str, detail: str = "") -> None:
    """Add an entry to the log; `account` is None for commands on the server's own machine."""
    connection.execute(insert(audit).values(at=time.time(), account=account, action=action, detail=detail))
    log("audit", account=account, action=action, detail=detail)


def log(event: str, **fields: Any) -> None:
    """Write a structured line: JSON, in which nothing that came from outside can end a line."""
    LOG.info(json.dumps({"at": round(time.time(), 3), "event": event} | fields))


def entries(connection: Connection, limit: int, before: int | None = None) -> list[dict[str, Any]]:
    """Return the newest entries, the newest first, with names of accounts; with `before` only those below that id."""
    query = select(audit, accounts.c.name).join_from(audit, accounts, audit.c.account == accounts.c.id, isouter=True)
    if before is not None:
        query = query.where(audit.c.id < before)
    rows = connection.execute(query.order_by(audit.c.id.desc()).limit(limit))
    return [
        {"id": row.id, "at": row.at, "account": row.name, "action": row.action, "detail": row.detail} for row in rows
    ]
