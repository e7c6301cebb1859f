"""Submissions: a bot enters a ladder in one way, whether a program or a browser sends it."""

from typing import Any

from sqlalchemy import Connection

from arena.server import bots, ladders
from arena.server.accounts import Account
from arena.server.bundles import read_bundle
from arena.server.keeping import bundle_file, require_programs
from arena.server.refusals import INVALID, RefusedError, refusing
from arena.server.state import ServerState


def submit(
    server: ServerState, account: Account, ladder: str, name: str, agent: str | None, bundle: str | None
) -> dict[str, Any]:
    """Enter a bot, or a new version of it, and return its row: by its spec, or by the hash of an uploaded bundle.

    Raises `RefusedError` unless it is one of the two, for bundles of others, for programs where none are taken, and as
    `arena.server.bots.submit_bot` does.
    """
    if bool(agent) == bool(bundle):
        raise RefusedError(INVALID, "a bot is the spec of an agent or a bundle, one of the two")
    spec = agent or ""
    if bundle:
        with refusing():
            spec = read_bundle(bundle_file(server, account, bundle).read_bytes()).agent
        require_programs(server, spec)

    def operation(connection: Connection) -> dict[str, Any]:
        visible = ladders.visible_ladder(connection, ladder, account)
        return bots.submit_bot(connection, account, visible, name, spec, bundle or None)

    return server.writer.do(operation)
