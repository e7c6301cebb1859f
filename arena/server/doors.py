"""What every request passes before a route sees it: host, origin, size, rate, draining; and headers of every answer."""

import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
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
    """The checks before an application.

    Args:
        app: the application.
        hosts: names that it answers to; any if empty.
        rate: of each key, and of each address for requests without a key that opens an account.
        most_bundle: bytes of a bundle.
        is_key: tells whether a key opens an account; it may wait for the database.

    """

    def __init__(
        self, app: ASGIApp, hosts: tuple[str, ...], rate: RateLimit, most_bundle: int, is_key: Callable[[str], bool]
    ):
        self._app, self._hosts, self._rate, self._most_bundle = app, hosts, rate, most_bundle
        self._is_key = is_key
        self._keys: OrderedDict[str, None] = OrderedDict()

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

        request = Request(scope)
        refusal = self._refusal(request) or await self._limited(request)
        await (refusal or self._app)(scope, receive, send_with_headers)

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
        return None

    async def _limited(self, request: Request) -> Response | None:
        """Refuse a request that comes too soon: for its key or, unless it has been found to be one, for its address.

        So keys that are made up have no rates of their own.
        """
        key = request.headers.get("authorization", "").partition(" ")[2]
        known = key in self._keys
        wait = self._rate.wait_s(key if known else request.client.host if request.client else "")
        if wait:
            detail = f"too many requests; try again in {wait:.1f} s"
            return _refused(TOO_MANY, detail, {"Retry-After": f"{wait + 0.5:.0f}"})
        if key and (known or await self._opens(key)):
            self._keys[key] = None
            self._keys.move_to_end(key)
            if len(self._keys) > MOST_CALLERS:
                self._keys.popitem(last=False)
        return None

    async def _opens(self, key: str) -> bool:
        return await run_in_threadpool(self._is_key, key)


def _refused(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)
