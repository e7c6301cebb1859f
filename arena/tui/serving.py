"""Screens in a browser, by textual-serve: for this machine alone unless asked otherwise, and for no other page."""

import asyncio
import logging
import socket
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.server import Server

from arena.errors import UsageError

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
"""Gives the keyboard to the screen as soon as it shows; else nothing would hear a key before the first click."""


def serve(command: str, host: str, port: int) -> None:
    """Run `command` for everybody who opens the page, until Ctrl-C; `UsageError` if the address cannot be had."""
    try:
        ScreenServer(command, host, port).serve()
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be served: {error.strerror or error}; try another --port") from None


class ScreenServer(Server):
    """A server of screens that answers its own page and no other.

    A page from elsewhere in the same browser could otherwise open a connection and play, train and delete as the user:
    browsers let scripts connect anywhere, and name the page they come from. On the loopback address, the name that was
    asked for has to be a loopback name too, which stops those who have the browser take their own name for this one.
    """

    def __init__(self, command: str, host: str, port: int):
        reached = socket.gethostname() if host in EVERYWHERE else host
        super().__init__(command, host, port, title="arena", public_url=f"http://{reached}:{port}")
        self._open: set[asyncio.Task[None]] = set()
        self._names = LOOPBACK if host in LOOPBACK else ()

    def initialize_logging(self) -> None:
        """Say what goes wrong, and nothing else."""
        logging.basicConfig(level="WARNING", format="arena: %(message)s")
        logging.getLogger("asyncio").setLevel("ERROR")  # it warns of every screen that is open at the end

    async def on_startup(self, app: web.Application) -> None:
        """Say where the page is."""
        print(f"The arena is at {self.public_url}; Ctrl-C ends it.", flush=True)
        if not self._names:
            print(f"Whoever reaches {self.host}:{self.port} may use it as you.", flush=True)

    async def on_shutdown(self, app: web.Application) -> None:
        """End the screens that are open: the server waits for them."""
        for screen in self._open:
            screen.cancel()

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A screen, from its beginning to its end."""
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
        """Turn other pages away, and keep our own from asking anybody else for anything."""
        origin = request.headers.get("Origin")  # of pages without one of their own it is "null"
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
