"""Templates as answers, with what every page shows; the stylesheet and the script; errors as pages."""

import time
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from arena.base.text import printable
from arena.server.accounts import Account
from arena.server.pages.board import colour_rules
from arena.server.pages.sessions import VISIT, cookie_name, form_token, new_visit, session_key, set_cookie

TEMPLATES = Environment(
    loader=PackageLoader("arena.server.pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def page(request: Request, template: str, account: Account | None, status: int = 200, **shown: Any) -> Response:
    """Return a template as a page; a browser without a cookie gets one, for the tokens of forms."""
    secret = session_key(request) if account else request.cookies.get(cookie_name(request, VISIT))
    new = None if secret else new_visit()
    token = form_token(secret or new or "")
    text = TEMPLATES.get_template(template).render(account=account, token=token, path=request.url.path, **shown)
    response = HTMLResponse(text, status, {"Cache-Control": "no-store"})
    if new is not None:
        set_cookie(request, response, VISIT, new)
    return response


def error_page(request: Request, status: int, detail: str) -> Response:
    """Return why a request was refused as a page."""
    text = TEMPLATES.get_template("error.html").render(
        account=None, token="", path=request.url.path, status=status, detail=detail
    )
    return HTMLResponse(text, status)


@cache
def static_file(name: str) -> str:
    """Return the stylesheet or the script."""
    text = files("arena.server.pages").joinpath("static", name).read_text(encoding="utf-8")
    return f"{text}\n{colour_rules()}\n{_heat_rules()}" if name == "arena.css" else text


def _heat_rules() -> str:
    """Return the colours of payoffs, from 0 to 10 tenths of a point."""
    return "\n".join(
        f".heat-{tenth}{{background:color-mix(in srgb,var(--win) {10 * tenth}%,var(--loss))}}" for tenth in range(11)
    )


def _ago(at: float) -> str:
    """Return how long ago a time was, in its largest unit."""
    seconds = max(time.time() - at, 0.0)
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), (1.0, "s"))
    return f"{seconds / size:.0f} {unit} ago"


TEMPLATES.filters |= {"printable": printable, "ago": _ago}
