"""Pages in a real Chromium: register, submit, watch, step by keys, on a phone and a desk, in either theme."""

import asyncio
import threading
import time

import pytest
import uvicorn

from arena.server import accounts
from arena.server.worker import Worker
from tests.server.playing import filled
from tests.tui.browser import open_page

WATCHED = """window.faults = [];
addEventListener("error", (event) => faults.push(event.message || String(event.target.src)), true);
addEventListener("securitypolicyviolation", (event) => faults.push(event.violatedDirective));"""
TYPED = "(name, value) => document.querySelector(`[name=${name}]`).value = value"


@pytest.fixture
def address(site):
    """The address of a server with some games, on a port of its own."""
    Worker(filled(site), "w", False).run(most=14)
    config = uvicorn.Config(site.client.app, port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


async def visit(page, url: str) -> None:
    """Open a page, which fits the window and has no error."""
    await page.ask("Page.navigate", url=url)
    path = url.partition("//")[2].partition("/")[2].partition("?")[0]
    await page.wait_for(f"document.readyState == 'complete' && location.pathname == '/{path}' && !!window.faults")
    assert await page.value("document.documentElement.scrollWidth <= innerWidth"), url
    assert await page.value("faults.join()") == ""


async def look(page, url: str, width: int, theme: str) -> str:
    """Visit every page at a width in a theme; return the colour of the paper."""
    await page.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
    await page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    for path in ("/", "/ladders/small", "/bots/1", "/matches/1", "/workers", "/sign-in", "/register"):
        await visit(page, url + path)
    return str(await page.value("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.full
def test_a_visitor_in_a_browser(site, address):
    with site.store.writing() as connection:
        invitation = accounts.invite(connection, "submitter")

    async def go() -> None:
        async with open_page("about:blank") as page:
            await page.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCHED)
            papers = {
                (width, theme): await look(page, address, width, theme)
                for width in (360, 1280)
                for theme in ("light", "dark")
            }
            assert papers[360, "light"] == papers[1280, "light"] != papers[360, "dark"] == papers[1280, "dark"]
            await visit(page, address + "/matches/1?move=0")
            for key, move in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
                await page.ask("Input.dispatchKeyEvent", type="keyDown", key=key)
                await page.wait_for(f"document.querySelector('#walk').innerText.includes('Move {move} of')")
            await visit(page, address + "/ladders/small/live")
            await page.wait_for("!!document.querySelector('#live svg.board')")
            await visit(page, address + "/register")
            await page.value(f"({TYPED})('name', 'eve'); ({TYPED})('invitation', '{invitation}')")
            await page.value("document.querySelector('main form').submit()")
            await page.wait_for("document.querySelector('#key')?.innerText.startsWith('arena_')")
            await visit(page, address + "/ladders/small/submit")
            await page.value(f"({TYPED})('bot', 'mine'); ({TYPED})('agent', 'alphabeta:2')")
            await page.value("document.querySelector('main form').submit()")
            await page.wait_for("document.querySelector('h1')?.innerText == 'mine.1'")
            assert "qualifying" in str(await page.value("document.body.innerText"))

    asyncio.run(go())
