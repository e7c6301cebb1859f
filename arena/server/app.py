"""The application: its state, its doors, and errors as answers that tell nothing of the server's own."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import arena
from arena.base.errors import UsageError
from arena.server import metrics
from arena.server.api import routes
from arena.server.audit import log
from arena.server.bundles import MOST_BYTES
from arena.server.counting import count_waiting
from arena.server.database import Writer
from arena.server.doors import Doors, RateLimit
from arena.server.live_api import live_routes
from arena.server.pages.forms import forms, posted
from arena.server.pages.live import live
from arena.server.pages.owning import owner_forms, owner_pages
from arena.server.pages.reading import reading
from arena.server.pages.rendering import error_page
from arena.server.refusals import CLOSED, INVALID, RefusedError
from arena.server.renewals import Renewals
from arena.server.state import ServerConfig, ServerState
from arena.store import Store

THREADS = 4
"""Threads that answer requests."""


def make_app(store: Store, config: ServerConfig) -> FastAPI:
    """Return the application over an open store, which its caller closes; `app.state.server.close()` ends a thread."""
    app = FastAPI(
        title="Arena", version=arena.__version__, docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json",
        lifespan=_few_threads,
    )  # fmt: skip
    writer = Writer(store, afterwards=count_waiting)
    state = app.state.server = ServerState(store, writer, config, Renewals(writer))
    for router in (routes, live_routes, reading, live, forms, posted, owner_pages, owner_forms):
        app.include_router(router)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UsageError, _unavailable)
    app.add_exception_handler(Exception, _failed)
    rate = RateLimit(config.rate, config.burst)
    app.add_middleware(Doors, hosts=config.hosts, rate=rate, most_bundle=MOST_BYTES, is_key=state.is_key)
    app.add_middleware(RequestLog, state=state)

    @app.get("/health", include_in_schema=False)
    def health() -> Response:
        """Say whether the database can be read, and whether jobs are given out."""
        with state.reading():
            return JSONResponse({"status": "draining" if state.draining else "ok"})

    @app.get("/metrics", include_in_schema=False)
    def metrics_page() -> Response:
        """Return figures in the text format of Prometheus."""
        with state.reading() as connection:
            return PlainTextResponse(metrics.text(connection, state))

    return app


@asynccontextmanager
async def _few_threads(app: FastAPI) -> AsyncIterator[None]:
    """Answer by few threads at once: each more takes turns of the interpreter from the one that writes."""
    current_default_thread_limiter().total_tokens = THREADS
    yield


class RequestLog:
    """Logs and counts the requests to an application with status and time to the answer; no query, key or body."""

    def __init__(self, app: ASGIApp, state: ServerState):
        self._app, self._state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered, and log it as its answer begins."""
        began = time.perf_counter()

        async def send_and_log(message: Message) -> None:
            if message["type"] == "http.response.start":
                seconds, status = time.perf_counter() - began, message["status"]
                self._state.requests.add(status, seconds)
                path = getattr(scope.get("route"), "path", "(none)")
                log("request", method=scope["method"], path=path, status=status, ms=round(1000 * seconds, 1))
            await send(message)

        await self._app(scope, receive, send_and_log)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return _answer(request, str(error), error.status)


def _invalid(request: Request, error: Exception) -> Response:
    """Name the fields that are wrong, without the values."""
    assert isinstance(error, RequestValidationError)
    faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
    return _answer(request, "; ".join(faults), INVALID)


def _unavailable(request: Request, error: Exception) -> Response:
    """Hide what the store says of itself: its message names files of this machine."""
    log("error", error=str(error))
    return _answer(request, "the server cannot do this now; try again later", CLOSED)


def _failed(request: Request, error: Exception) -> Response:
    log("error", error=repr(error))
    return _answer(request, "an error of the server; it has been logged", 500)


def _answer(request: Request, detail: str, status: int) -> Response:
    """Say why something was not done: as JSON to programs, as a page to people."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": detail}, status)
    return error_page(request, status, detail)
