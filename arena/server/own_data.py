"""What a person may take away, and have deleted.

Deleting leaves the games, which are other people's results as well, but nothing in them that says whose they were:
players get a number for a name. Account, keys, memberships and bundles go; the log keeps what was done, under a
number.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select, update

from arena.server import audit
from arena.server.accounts import Account
from arena.server.history import rating_history
from arena.server.live_games import PLAYING, VOID, WAITING, played_by, read_live, write_change
from arena.server.refusals import CONFLICT, RefusedError
from arena.server.schema import accounts, bots, bundles, jobs, keys, live_games, members, workers
from arena.server.schema import audit as entries
from arena.store.players import rename_player


def export_data(connection: Connection, account: Account) -> dict[str, Any]:
    """Return all that the server has about an account, as JSON values."""
    tables = {"keys": keys, "bots": bots, "bundles": bundles, "workers": workers, "audit": entries}
    own = {
        name: [
            {column: value for column, value in row._mapping.items() if not (name == "keys" and column == "digest")}
            for row in connection.execute(select(table).where(table.c.account == account.id))
        ]
        for name, table in tables.items()
    }
    row = connection.execute(select(accounts).where(accounts.c.id == account.id)).one()
    for bot in own["bots"]:
        bot["history"] = rating_history(connection, bot["id"])
    live = [dict(one._mapping) for one in connection.execute(select(live_games).where(played_by(account.id)))]
    return {"account": dict(row._mapping), **own, "live_games": live}


def delete_data(connection: Connection, account: Account, folder: Path) -> list[Path]:
    """Delete an account and what is its own; return the files to be removed once that is on disk.

    Raises `RefusedError` for the last owner, after whom nobody could open anything.
    """
    owners = select(accounts.c.id).where(accounts.c.role == "owner", accounts.c.state == "active")
    if connection.execute(owners).scalars().all() == [account.id]:
        raise RefusedError(CONFLICT, "you are the only owner; make another one first")
    for bot in connection.execute(select(bots).where(bots.c.account == account.id)).all():
        player = f"deleted-{bot.id}"
        rename_player(connection, bot.player, player)
        gone = {"state": "withdrawn", "name": player, "player": player, "bundle": None, "agent": "random", "reason": ""}
        connection.execute(update(bots).where(bots.c.id == bot.id).values(gone))
        waiting = jobs.c.ladder == bot.ladder, jobs.c.state.in_(("open", "leased"))
        for job in connection.execute(select(jobs).where(*waiting)).all():
            if bot.id in job.bots:  # a worker cannot have the bundle any more; the void is counted as it comes
                connection.execute(update(jobs).where(jobs.c.id == job.id).values(state="void", lease=None))
    digests = connection.execute(select(bundles.c.digest).where(bundles.c.account == account.id)).scalars().all()
    for table in (bundles, keys, members):
        connection.execute(delete(table).where(table.c.account == account.id))
    gone = {"name": f"deleted-{account.id}", "state": "closed"}
    connection.execute(update(accounts).where(accounts.c.id == account.id).values(gone))
    connection.execute(
        update(workers).where(workers.c.account == account.id).values(state="blocked", reason="deleted", machine={})
    )
    connection.execute(update(entries).where(entries.c.account == account.id).values(detail=""))
    under_way = played_by(account.id), live_games.c.state.in_((WAITING, PLAYING))
    for row in connection.execute(select(live_games).where(*under_way)).all():
        write_change(connection, read_live(connection, row), state=VOID)
    audit.note(connection, account.id, "delete")
    return [folder / f"{digest}.tar" for digest in digests]
