"""`arena serve`: a game is played in a browser by clicks, and no page but its own is let in."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import pytest

from arena.cli.main import main
from arena.match.verdict import Reason
from arena.policy.registry import make_game
from arena.store import Store
from arena.tui.app import ArenaApp
from arena.tui.drawing.board import cell_at
from arena.tui.screens.play import PlayScreen
from arena.tui.widgets.board import Board
from tests.tui.agents import FirstLegal
from tests.tui.browser import open_page, require_browser
from tests.tui.helpers import until

pytestmark = pytest.mark.full

BOX = """
(() => { const box = document.querySelector('.xterm-screen').getBoundingClientRect();
         return [box.left, box.top, box.width, box.height]; })()
"""
CHARACTER = 9, 19
"""Pixels of one in the browser, at the font size of the page."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def served(tmp_path):
    """Serves a command; the port, and the path with the token."""
    started = []

    def start(command: str, *options: str) -> tuple[int, str]:
        port = free_port()
        words = [sys.executable, "-m", "arena", "serve", command, "--port", str(port), *options]
        place = Path(__file__).parents[2]
        environment = os.environ | {"PYTHONPATH": str(place)}
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment))
        line = started[-1].stdout.readline()
        said = re.fullmatch(rf"The arena is at http://127.0.0.1:{port}(/\?token=[\w-]{{32}}); Ctrl-C ends it.\n", line)
        assert said is not None
        deadline = time.monotonic() + 120
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 5).close()
                return port, said[1]
            assert time.monotonic() < deadline
            time.sleep(0.05)

    yield start
    for server in started:
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


async def tops(width: int, height: int) -> list[tuple[float, float]]:
    """Where the top cell of each column of connect_four is on a screen of that size, in characters."""
    app = ArenaApp(PlayScreen(make_game("connect_four"), [("random", FirstLegal())]))
    async with app.run_test(size=(width, height)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        board = app.screen.query_one(Board)
        cells = [
            (x, y, cell_at(board.view.picture, board.scale, x, y)) for x in range(board.size.width) for y in (4, 5)
        ]
        return [
            min((board.region.x + x + 1.5, board.region.y + y + 0.5) for x, y, cell in cells if cell == (0, column))
            for column in range(7)
        ]


async def test_a_game_is_played_to_its_end_by_clicks(served, tmp_path):
    require_browser()
    (port, path), store = served("play connect_four random --hints random"), tmp_path / "runs" / "arena.db"
    async with open_page(f"http://127.0.0.1:{port}{path}") as page:
        await page.wait_for("!!document.querySelector('.xterm-screen')")
        await page.wait_for("document.activeElement.className == 'xterm-helper-textarea'")  # keys are heard
        left, top, width, height = await page.value(BOX)
        places = await tops(int(width // CHARACTER[0]), int(height // CHARACTER[1]))
        deadline, clicks = time.monotonic() + 240, 0
        while not store.exists() or not Store(store).matches():
            assert time.monotonic() < deadline, "the game does not end"
            x, y = places[clicks % 7]
            await page.click(left + x * CHARACTER[0], top + y * CHARACTER[1])  # refused when it is not its turn
            clicks += 1
            await asyncio.sleep(0.5)
    with Store(store, create=False) as kept:
        record = kept.match(1).record
    assert set(record.players) == {"you", "random"}
    assert record.verdict.reason is Reason.FINISHED
    assert len(record.actions) >= 7
    assert len(set(record.actions[::2])) > 1  # the person's, in more than one column


async def test_other_pages_and_other_names_are_turned_away(served):
    port, path = served("play tic_tac_toe random --hints random")
    url = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(f"{url}{path}") as answer:
            assert str(answer.url) == f"{url}/", "the token is out of the address"
            assert answer.status == 200
            policy = answer.headers["Content-Security-Policy"]
            assert "fonts" not in policy
            assert f"ws://127.0.0.1:{port}" in policy
        async with session.get(f"{url}/", headers={"Host": f"evil.example:{port}"}) as answer:
            assert answer.status == 403
        for origin in ("http://evil.example", "null", f"http://localhost:{port + 1}"):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await session.ws_connect(f"{url}/ws", headers={"Origin": origin})
        async with session.ws_connect(f"{url}/ws", headers={"Origin": f"http://localhost:{port}"}) as websocket:
            assert not websocket.closed


async def test_nobody_is_let_in_without_the_token(served):
    port, path = served("play tic_tac_toe random --hints random")
    url = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        for place in ("/", "/?token=", f"/{path[1:-1]}", "/static/js/textual.js", f"/static/js/textual.js{path[1:]}"):
            async with session.get(url + place) as answer:
                assert answer.status == 403, place
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await session.ws_connect(f"{url}/ws")
        async with session.get(url + path, allow_redirects=False) as answer:
            cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        headers = {"Cookie": cookie.partition(";")[0]}
        async with session.get(f"{url}/static/js/textual.js", headers=headers) as answer:
            assert answer.status == 200


async def received(websocket, silence_s):
    """What comes until nothing has come for so many seconds."""
    shown = b""
    with contextlib.suppress(TimeoutError):
        while True:
            message = await websocket.receive(silence_s)
            shown += message.data if isinstance(message.data, bytes) else b""
    return shown


async def screen_after(session, url, keys):
    """What the screen of a command shows after some keys, beyond what it has shown before."""
    async with session.ws_connect(f"{url}/ws?width=80&height=24") as websocket:
        shown, deadline = b"", time.monotonic() + 60
        while b"your move" not in shown and time.monotonic() < deadline:
            shown += await received(websocket, silence_s=1)
        await websocket.send_json(["stdin", keys])
        return await received(websocket, silence_s=2)


@pytest.mark.parametrize("options", [[], ["--read-only"]])
async def test_keys_do_nothing_where_visitors_may_only_look(served, options, tmp_path):
    """`?` opens the help of a screen."""
    port, path = served("play tic_tac_toe random --hints random", *options)
    url = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(url + path) as answer:
            assert answer.status == 200
        shown = await screen_after(session, url, "?")
    assert (len(shown) > 500) == (not options)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["serve", "play tic_tac_toe random random"], "has 2 seats, one of them yours; name 1 agent, not 2"),
        (["serve", "play tic_tac_to random"], "unknown game 'tic_tac_to'"),
        (["serve", "dance"], "unknown command 'dance'"),
        (["serve", "games"], "arena games shows no screen"),
        (["serve", "--port", "0"], "--port 0 is not between 1 and 65535"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(words, message, capsys):
    assert main(words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_port_that_is_taken_is_said(capsys):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        assert main(["serve", "--port", str(one.getsockname()[1])]) == 2
    assert "cannot be served" in capsys.readouterr().err
