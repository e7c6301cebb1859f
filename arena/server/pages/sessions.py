"""Cookies of browsers: a session is a key that ends by itself; forms carry a token made of the cookie."""

import hashlib
import hmac
import secrets
from typing import Annotated

from fastapi import Depends, Form, Request
from fastapi.responses import Response

from arena.server import accounts
from arena.server.accounts import SESSION_S, Account
from arena.server.api import Server, server_of
from arena.server.refusals import FORBIDDEN, UNKNOWN_KEY, RefusedError

SESSION, VISIT = "arena_session", "arena_visit"
"""Cookies of who is signed in, and of who is not yet."""


def cookie_name(request: Request, name: str) -> str:
    """Return a cookie's name; behind TLS one that no other host may set."""
    return f"__Host-{name}" if server_of(request).config.secure_cookies else name


def session_key(request: Request) -> str | None:
    """Return the key of the browser's session."""
    return request.cookies.get(cookie_name(request, SESSION))


def visitor(request: Request, server: Server) -> Account | None:
    """Return the account that is signed in; None for passers-by, and where a session has ended."""
    key = session_key(request)
    if key is None:
        return None
    try:
        with server.reading() as connection:
            return accounts.account_of(connection, key)
    except RefusedError:
        return None


Visitor = Annotated[Account | None, Depends(visitor)]


def signed_in(account: Visitor) -> Account:
    """Return the account that is signed in; refuse passers-by."""
    if account is None:
        raise RefusedError(UNKNOWN_KEY, "sign in first")
    return account


SignedIn = Annotated[Account, Depends(signed_in)]


def form_token(secret: str) -> str:
    """Return the token of the forms of a browser with this cookie."""
    return hmac.digest(secret.encode(), b"form", hashlib.sha256).hex()


def require_token(request: Request, token: Annotated[str, Form(max_length=64)] = "") -> None:
    """Refuse a form that was not made for this browser."""
    secret = session_key(request) or request.cookies.get(cookie_name(request, VISIT), "")
    if not secret or not hmac.compare_digest(form_token(secret).encode(), token.encode()):
        raise RefusedError(FORBIDDEN, "this form is not of this browser's session: load the page and send it again")


def new_visit() -> str:
    """Return the cookie of a browser that is not signed in."""
    return secrets.token_urlsafe(24)


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Give a browser a cookie that no script reads, and that other sites' forms do not send."""
    response.set_cookie(
        cookie_name(request, name),
        value,
        max_age=int(SESSION_S),
        httponly=True,
        samesite="lax",
        secure=server_of(request).config.secure_cookies,
    )


def end_session(request: Request, response: Response) -> None:
    """Take the session's cookie away."""
    secure = server_of(request).config.secure_cookies
    response.delete_cookie(cookie_name(request, SESSION), httponly=True, samesite="lax", secure=secure)
