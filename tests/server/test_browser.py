"""Pages in a real Chromium: register, submit, watch, step by keys, on a phone and a desk, in either theme."""

import asyncio

import pytest

from arena.server import accounts
from tests.tui.browser import open_page

WATCHED = """window.faults = [];
addEventListener("error", (event) => faults.push(event.message || String(event.target.src)), true);
addEventListener("securitypolicyviolation", (event) => faults.push(event.violatedDirective));"""
TYPED = "(name, value) => document.querySelector(`[name=${name}]`).value = value"


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
