"""All that changes something from a browser: signing in and out, keys, submissions. Every form carries its token."""

import hashlib
from typing import Annotated

from anyio import from_thread
from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from arena.server import accounts, bots, ladders, submissions
from arena.server.accounts import Account
from arena.server.api import Id, LadderName, Server
from arena.server.keeping import keep_bundle
from arena.server.pages.rendering import page
from arena.server.pages.sessions import (
    SESSION,
    SignedIn,
    Visitor,
    end_session,
    require_token,
    session_key,
    set_cookie,
)
from arena.server.refusals import RefusedError
from arena.server.state import ServerState

forms = APIRouter(include_in_schema=False)
posted = APIRouter(include_in_schema=False, dependencies=[Depends(require_token)])
Word = Annotated[str, Form(max_length=200)]


@forms.get("/sign-in")
def sign_in_form(request: Request, account: Visitor) -> Response:
    """Ask for a key."""
    return page(request, "sign_in.html", account, fault="")


@posted.post("/sign-in")
def sign_in(request: Request, server: Server, key: Word = "") -> Response:
    """Begin a session with a key."""
    try:
        with server.reading() as connection:
            account = accounts.account_of(connection, key.strip())
    except RefusedError as error:
        return page(request, "sign_in.html", None, error.status, fault=str(error))
    return _with_session(request, server, account, RedirectResponse("/account", 303))


@posted.post("/sign-out")
def sign_out(request: Request, server: Server) -> Response:
    """End the session, here and on the server."""
    key = session_key(request)
    if key is not None:
        server.writer.do(lambda connection: accounts.revoke_secret(connection, key))
    response = RedirectResponse("/", 303)
    end_session(request, response)
    return response


@forms.get("/register")
def register_form(request: Request, server: Server, account: Visitor) -> Response:
    """Ask for a name and an invitation."""
    return page(request, "register.html", account, fault="", approval=server.config.approval)


@posted.post("/register")
def register(request: Request, server: Server, name: Word = "", invitation: Word = "") -> Response:
    """Make an account, show its first key, and begin a session if it is open."""
    given, approval = invitation.strip() or None, server.config.approval
    try:
        account, key = server.writer.do(lambda connection: accounts.register(connection, name.strip(), given, approval))
    except RefusedError as error:
        return page(request, "register.html", None, error.status, fault=str(error), approval=approval)
    response = page(request, "key.html", None, key=key, state=account.state, name=account.name)
    return _with_session(request, server, account, response) if account.state == "active" else response


@forms.get("/account")
def account_page(request: Request, server: Server, account: Visitor) -> Response:
    """Show one's keys and bots."""
    if account is None:
        return RedirectResponse("/sign-in", 303)
    with server.reading() as connection:
        keys = accounts.list_keys(connection, account.id)
        mine = bots.list_bots(connection, account=account.id)
        names = {one.id: one.name for one in ladders.list_all(connection)}
    return page(request, "account.html", account, keys=keys, bots=mine[::-1], ladders=names)


@posted.post("/account/keys")
def new_key(request: Request, server: Server, account: SignedIn, name: Word = "") -> Response:
    """Make a key and show it, this once."""

    def operation(connection: Connection) -> str:
        accounts.require_name(name.strip(), "key")
        return accounts.add_key(connection, account.id, name.strip())

    key = server.writer.do(operation)
    return page(request, "key.html", account, key=key, state=account.state, name=account.name)


@posted.post("/account/keys/{number}/revoke")
def revoke_key(server: Server, account: SignedIn, number: Id) -> Response:
    """Revoke a key of one's own."""
    server.writer.do(lambda connection: accounts.revoke_key(connection, account.id, number))
    return RedirectResponse("/account", 303)


@forms.get("/ladders/{name}/submit")
def submit_form(request: Request, server: Server, account: Visitor, name: LadderName) -> Response:
    """Ask for a bot."""
    if account is None:
        return RedirectResponse("/sign-in", 303)
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
    return _submit_page(request, server, account, visible)


@posted.post("/ladders/{name}/submit")
def submit(
    request: Request,
    server: Server,
    account: SignedIn,
    name: LadderName,
    bot: Word = "",
    agent: Annotated[str, Form(max_length=400)] = "",
    bundle: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Enter a bot, by its spec or as a bundle, and show its page."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
    try:
        row = submissions.submit(server, account, name, bot.strip(), agent.strip(), _kept(server, account, bundle))
    except RefusedError as error:
        return _submit_page(request, server, account, visible, str(error), error.status)
    return RedirectResponse(f"/bots/{row['id']}", 303)


@posted.post("/bots/{number}/withdraw")
def withdraw(server: Server, account: SignedIn, number: Id) -> Response:
    """Withdraw a bot of one's own."""
    server.writer.do(lambda connection: bots.withdraw_bot(connection, account, number))
    return RedirectResponse(f"/bots/{number}", 303)


def _kept(server: ServerState, account: Account, bundle: UploadFile | None) -> str | None:
    """Keep an uploaded bundle and return its hash; None where no file was chosen."""
    content = b"" if bundle is None else bundle.file.read()
    if not content:
        return None
    account.require("submitter")
    digest = hashlib.sha256(content).hexdigest()
    from_thread.run(keep_bundle, server, account, digest, content)
    return digest


def _submit_page(
    request: Request,
    server: ServerState,
    account: Account,
    visible: ladders.LadderRow,
    fault: str = "",
    status: int = 200,
) -> Response:
    with server.reading() as connection:
        mine = bots.list_bots(connection, ladder=visible.id, account=account.id)
    programs = server.config.takes_programs
    return page(
        request, "submit.html", account, status, ladder=visible, fault=fault, bots=mine[::-1], programs=programs
    )


def _with_session(request: Request, server: ServerState, account: Account, response: Response) -> Response:
    """Begin a session of an account with this answer."""
    key = server.writer.do(lambda connection: accounts.session(connection, account.id))
    set_cookie(request, response, SESSION, key)
    return response
