"""Screens in a browser, by textual-serve: for those who have the token, and never for pages of other sites."""

import asyncio
import hmac
import logging
import re
import secrets
import socket
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.app_service import AppService
from textual_serve.server import Server

from arena.base.errors import UsageError

LOOPBACK = ("127.0.0.1", "localhost")
EVERYWHERE = ("0.0.0.0", "::")
LISTENING = """
<script>
  const waiting = setInterval(() => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys && document.body.classList.contains("-first-byte")) {
      clearInterval(waiting);
      keys.focus();
    }
  }, 50);
</script>
"""
"""Script that focuses the screen once it shows; without it, no key works before the first click."""


TOKEN_BYTES = 24
MONTH_S = 30 * 24 * 3600
HOST = re.compile(r"[\w.\-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?")
"""What a `Host` may be: it is written into the page."""


def serve(command: str, host: str, port: int, read_only: bool = False) -> None:
    """Run `command` for everybody who opens the page by its token, until Ctrl-C.

    With `read_only` keys and the mouse do nothing. Raises `UsageError` if the address is not available.
    """
    try:
        ScreenServer(command, host, port, read_only).serve()
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be served: {error.strerror or error}; try another --port") from None


class ScreenServer(Server):
    """A server of screens that answers only its own page, and only those who have its token.

    The token is new for each server, and in the address that it prints; a browser that has opened that keeps it in a
    cookie, which scripts cannot read and other sites cannot send.

    Of pages: otherwise one of another site, open in the same browser, could connect and play, train and delete as the
    user: browsers let scripts connect anywhere, but send the origin of the page. On the loopback address the requested
    host name has to be a loopback name too, which stops DNS rebinding (a foreign name that resolves to this machine).
    """

    def __init__(self, command: str, host: str, port: int, read_only: bool = False):
        reached = socket.gethostname() if host in EVERYWHERE else host
        super().__init__(command, host, port, title="arena", public_url=f"http://{reached}:{port}")
        self._open: set[asyncio.Task[None]] = set()
        self._names = LOOPBACK if host in LOOPBACK else ()
        self._token, self._cookie = secrets.token_urlsafe(TOKEN_BYTES), f"arena-{port}"
        self._read_only = read_only

    def initialize_logging(self) -> None:
        """Log warnings and errors only."""
        logging.basicConfig(level="WARNING", format="arena: %(message)s")
        logging.getLogger("asyncio").setLevel("ERROR")  # it warns of every screen that is open at the end

    async def on_startup(self, app: web.Application) -> None:
        """Print the address of the page."""
        print(f"The arena is at {self.public_url}/?token={self._token}; Ctrl-C ends it.", flush=True)
        may = "watch" if self._read_only else "play, train and delete as you"
        warning = "" if self._names else "; nothing is encrypted, so others on the network may read it on its way"
        print(f"Whoever has this address may {may}{warning}.", flush=True)

    async def on_shutdown(self, app: web.Application) -> None:
        """End the open screens, for which the server would wait."""
        for screen in self._open:
            screen.cancel()

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a screen from start to end."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            return await super().handle_websocket(request)
        finally:
            self._open.discard(task)

    async def _process_messages(self, websocket: web.WebSocketResponse, app_service: AppService) -> None:
        """Pass on what a browser sends; read-only, all but keys and the mouse."""
        if not self._read_only:
            await super()._process_messages(websocket, app_service)
            return
        async for message in websocket:
            kind, value = message.json() if message.type == web.WSMsgType.TEXT else ("", {})
            if kind == "resize":
                await app_service.set_terminal_size(value["width"], value["height"])
            elif kind == "ping":
                await websocket.send_json(["pong", value])

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Reject requests of other pages, and forbid our page to connect anywhere else."""
        origin = request.headers.get("Origin")  # "null" for pages without an origin, such as files
        host = request.host
        ours = {f"{name}:{self.port}" for name in self._names} or {host, urlsplit(self.public_url).netloc}
        if (self._names and host not in ours) or (origin is not None and urlsplit(origin).netloc not in ours):
            raise web.HTTPForbidden(text="this page is for its own server")
        if not HOST.fullmatch(host):
            raise web.HTTPForbidden(text="this is no name of a server")
        self._admit(request)
        response = await handler(request)
        if request.path == "/" and isinstance(response, web.Response) and response.text is not None:
            page = response.text.replace(urlsplit(self.public_url).netloc, host)  # the cookie is for this name
            response.text = page + LISTENING
        if not response.prepared:
            sockets = " ".join(f"ws://{name}" for name in sorted(ours))
            response.headers["Content-Security-Policy"] = (
                f"default-src 'self' {' '.join(sorted(ours))} 'unsafe-inline' 'wasm-unsafe-eval' data: blob:; "
                f"connect-src 'self' {sockets}; frame-ancestors 'none'"
            )
        return response

    def _admit(self, request: web.Request) -> None:
        """Turn away who has no token; give a browser that brings it a cookie, and take it out of the address."""
        brought = request.query.get("token")
        if brought is not None and request.path == "/" and self._is_token(brought):
            entered = web.HTTPFound("/")
            entered.set_cookie(self._cookie, brought, max_age=MONTH_S, httponly=True, samesite="Strict")
            raise entered
        if not self._is_token(request.cookies.get(self._cookie, "")):
            raise web.HTTPForbidden(text="open the address that the server has printed; it ends in a token")

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())
