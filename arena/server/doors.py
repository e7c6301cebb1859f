"""What every request passes before a route sees it: host, origin, size, rate, draining; and headers of every answer."""

import time
from collections import OrderedDict

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.server.refusals import FORBIDDEN, TOO_LARGE, TOO_MANY

UNCHANGING = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every answer: nothing from elsewhere is loaded, nothing is shown within another page."""
MOST_BODY = 2**23
"""Bytes of a body, bundles apart."""
MOST_CALLERS = 50_000
"""Callers whose rates are remembered."""


class RateLimit:
    """A bucket of requests for each caller, which fills by `rate` a second up to `burst`."""

    def __init__(self, rate: float, burst: float):
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: str) -> float:
        """Take a request from a caller's bucket; return 0, or after how many seconds it will have one."""
        now = time.monotonic()
        left, at = self._buckets.pop(caller, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate
        self._buckets[caller] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
        return wait


class Doors:
    """The checks before an application that answers to `hosts` (any if empty)."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], rate: RateLimit, most_bundle: int):
        self._app, self._hosts, self._rate, self._most_bundle = app, hosts, rate, most_bundle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or have the application answer it, with the headers of every answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(Request(scope)) or self._app)(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if self._hosts and host.rpartition(":")[0 if ":" in host else 2] not in self._hosts:
            return _refused(421, "this server does not answer to that name")
        origin = request.headers.get("origin")
        if request.method not in UNCHANGING and origin is not None and origin.partition("://")[2] != host:
            return _refused(FORBIDDEN, "the request comes from another site's page")
        if "transfer-encoding" in request.headers:
            return _refused(411, "the request does not say how long it is")
        length = request.headers.get("content-length", "0")
        most = self._most_bundle if request.url.path.startswith("/api/v1/bundles/") else MOST_BODY
        if not length.isdecimal() or int(length) > most:
            return _refused(TOO_LARGE, f"the request has more than {most:,} bytes")
        wait = self._rate.wait_s(_caller(request))
        if wait:
            return _refused(
                TOO_MANY, f"too many requests; try again in {wait:.1f} s", {"Retry-After": f"{wait + 0.5:.0f}"}
            )
        return None


def _caller(request: Request) -> str:
    """Return whose rate counts: a key's, or the address of those that have none."""
    return request.headers.get("authorization") or (request.client.host if request.client else "")


def _refused(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)
