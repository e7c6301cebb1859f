"""What an owner does in a browser: ladders are made and closed, accounts approved and closed, people invited."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from arena.policy.registry import GAMES
from arena.server import accounts, audit, ladders
from arena.server.accounts import Account
from arena.server.api import LadderName, Server
from arena.server.pages.forms import Word
from arena.server.pages.rendering import page
from arena.server.pages.sessions import SignedIn, Visitor, require_token
from arena.server.refusals import INVALID, RefusedError
from arena.server.state import ServerState

owner_pages = APIRouter(include_in_schema=False)
owner_forms = APIRouter(include_in_schema=False, dependencies=[Depends(require_token)])
LATEST = 30
"""Entries of the log that are shown."""


def signed_in_owner(account: SignedIn) -> Account:
    """Return the account of an owner who is signed in; refuse others."""
    account.require()
    return account


Owner = Annotated[Account, Depends(signed_in_owner)]


@owner_pages.get("/owner")
def owner_page(request: Request, server: Server, account: Visitor) -> Response:
    """Show ladders, accounts and the log, with forms that change them."""
    if account is None:
        return RedirectResponse("/sign-in", 303)
    account.require()
    return _page(request, server, account)


@owner_forms.post("/owner/ladders")
def new_ladder(
    request: Request,
    server: Server,
    account: Owner,
    name: Word = "",
    game: Word = "",
    clock: Word = "",
    openings: Word = "random:2",
    private: Word = "",
) -> Response:
    """Make a ladder, and show its page."""
    rules = ladders.LadderRules(
        game.strip(), clock.strip() or None, openings=openings.strip() or "random:2", private=bool(private)
    )
    try:
        made = server.writer.do(lambda connection: ladders.add_ladder(connection, name.strip(), rules, account.id))
    except RefusedError as error:
        return _page(request, server, account, error)
    return RedirectResponse(f"/ladders/{made.name}", 303)


@owner_forms.post("/owner/ladders/{name}/close")
def close_ladder(server: Server, account: Owner, name: LadderName) -> Response:
    """Plan no more jobs on a ladder."""
    server.writer.do(lambda connection: ladders.close_ladder(connection, name, account.id))
    return RedirectResponse("/owner", 303)


@owner_forms.post("/owner/accounts/{name}/{state}")
def set_state(request: Request, server: Server, account: Owner, name: LadderName, state: str) -> Response:
    """Approve an account (active), or close it (closed); not one's own, which nobody could open again."""
    try:
        if state not in ("active", "closed"):
            raise RefusedError(INVALID, f"an account is made active or closed, not {state[:40]!r}")
        if name == account.name:
            raise RefusedError(INVALID, "you are signed in by this account")
        server.writer.do(lambda connection: accounts.set_state(connection, account.id, name, state))
    except RefusedError as error:
        return _page(request, server, account, error)
    return RedirectResponse("/owner", 303)


@owner_forms.post("/owner/invitations")
def invite(
    request: Request, server: Server, account: Owner, role: Word = "submitter", uses: Word = "1", ladder: Word = ""
) -> Response:
    """Make an invitation and show it, this once."""

    def operation(connection: Connection) -> str:
        if not (uses.isascii() and uses.isdecimal() and 1 <= int(uses) <= accounts.MOST_USES):
            raise RefusedError(INVALID, f"an invitation makes 1 to {accounts.MOST_USES} accounts, not {uses[:40]!r}")
        return accounts.invite(connection, role, ladder or None, int(uses), account.id)

    try:
        invitation = server.writer.do(operation)
    except RefusedError as error:
        return _page(request, server, account, error)
    return page(request, "invitation.html", account, invitation=invitation, role=role, uses=int(uses), ladder=ladder)


def _page(request: Request, server: ServerState, account: Account, fault: RefusedError | None = None) -> Response:
    with server.reading() as connection:
        shown: dict[str, Any] = {
            "ladders": ladders.list_all(connection),
            "accounts": accounts.list_accounts(connection),
            "log": audit.entries(connection, LATEST, None),
        }
    words = "" if fault is None else str(fault)
    status = 200 if fault is None else fault.status
    return page(request, "owner.html", account, status, fault=words, games=GAMES.names(), roles=accounts.ROLES, **shown)
