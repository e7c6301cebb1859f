"""Screens in a browser, by textual-serve: for this machine alone by default, and never for pages of other sites."""

import asyncio
import logging
import socket
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler
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


def serve(command: str, host: str, port: int) -> None:
    """Run `command` for everybody who opens the page, until Ctrl-C; `UsageError` if the address is not available."""
    try:
        ScreenServer(command, host, port).serve()
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be served: {error.strerror or error}; try another --port") from None


class ScreenServer(Server):
    """A server of screens that answers only its own page.

    Otherwise a page of another site, open in the same browser, could connect and play, train and delete as the user:
    browsers let scripts connect anywhere, but send the origin of the page. On the loopback address the requested host
    name has to be a loopback name too, which stops DNS rebinding (a foreign name that resolves to this machine).
    """

    def __init__(self, command: str, host: str, port: int):
        reached = socket.gethostname() if host in EVERYWHERE else host
        super().__init__(command, host, port, title="arena", public_url=f"http://{reached}:{port}")
        self._open: set[asyncio.Task[None]] = set()
        self._names = LOOPBACK if host in LOOPBACK else ()

    def initialize_logging(self) -> None:
        """Log warnings and errors only."""
        logging.basicConfig(level="WARNING", format="arena: %(message)s")
        logging.getLogger("asyncio").setLevel("ERROR")  # it warns of every screen that is open at the end

    async def on_startup(self, app: web.Application) -> None:
        """Print the address of the page."""
        print(f"The arena is at {self.public_url}; Ctrl-C ends it.", flush=True)
        if not self._names:
            print(f"Whoever reaches {self.host}:{self.port} may use it as you.", flush=True)

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
        response = await handler(request)
        if request.path == "/" and isinstance(response, web.Response) and response.text is not None:
            response.text += LISTENING
        if not response.prepared:
            sockets = " ".join(f"ws://{name}" for name in sorted(ours))
            response.headers["Content-Security-Policy"] = (
                f"default-src 'self' {' '.join(sorted(ours))} 'unsafe-inline' 'wasm-unsafe-eval' data: blob:; "
                f"connect-src 'self' {sockets}; frame-ancestors 'none'"
            )
        return response
