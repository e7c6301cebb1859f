"""A headless Chromium for end-to-end tests, driven over its DevTools protocol."""

import asyncio
import base64
import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
COMPLAINTS = ("error", "warning", "assert")
"""Kinds of lines in the console that something is wrong with."""
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1100,700")


def require_browser() -> str:
    """The path of a Chromium; skips without one, fails in continuous integration, where there must be."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is not installed, and CI=true asks for the tests in a browser")
        pytest.skip("chromium is not installed")
    return found


class Page:
    """One page: what it is asked over its socket, and the mouse."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse):
        self._socket, self._numbers = socket, itertools.count(1)
        self.complaints: list[str] = []
        """Errors and warnings of the console, once `Log.enable` and `Runtime.enable` were asked."""

    async def ask(self, method: str, **params: object) -> dict:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            answer = await self._socket.receive_json(timeout=60)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            if (
                answer["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")
                or answer["params"].get("type") in COMPLAINTS
            ):
                self.complaints.append(str(answer["params"]))

    async def value(self, script: str) -> object:
        """Return the value of a script."""
        result = await self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            pressed = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            await self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **pressed)

    async def wait_for(self, script: str, seconds: float = 90) -> object:
        """The value of a script as soon as it is true of something."""
        deadline = time.monotonic() + seconds
        while not (value := await self.value(script)):
            assert time.monotonic() < deadline, f"{script} did not come to pass"
            await asyncio.sleep(0.1)
        return value

    async def picture(self, path: Path) -> None:
        """Save what is to be seen."""
        path.write_bytes(base64.b64decode((await self.ask("Page.captureScreenshot"))["data"]))


@contextlib.asynccontextmanager
async def open_page(url: str) -> AsyncIterator[Page]:
    """A browser with this page open; both are gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            require_browser(),
            *OPTIONS,
            f"--user-data-dir={profile}",
            "--remote-debugging-port=0",
            "about:blank",
        ]
        quiet = subprocess.DEVNULL
        browser = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
        try:
            port = await _port(Path(profile, "DevToolsActivePort"))
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                    pages = [page for page in await answer.json() if page["type"] == "page"]
                async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    page = Page(socket)
                    await page.ask("Page.enable")
                    await page.ask("Page.navigate", url=url)
                    yield page
        finally:
            os.killpg(browser.pid, signal.SIGTERM)  # it may be a script that started the browser
            browser.wait(20)


async def _port(file: Path) -> int:
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_text().strip()):
        assert time.monotonic() < deadline, "chromium does not start"
        await asyncio.sleep(0.05)
    return int(file.read_text().split()[0])
