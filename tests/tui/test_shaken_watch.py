"""Thousands of random keys and clicks while agents are watched and matches replayed: nothing breaks, no rule is.

`ARENA_SHAKES=30 pytest ...` makes 30 times as many of them.
"""

import os

import numpy as np
import pytest

from arena.match.files import WrittenMatch
from arena.match.verdict import Verdict
from arena.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.boards import BoardsScreen
from arena.tui.screens.replay import ReplayScreen
from arena.tui.screens.watch import WatchScreen
from tests.tui.agents import FirstLegal
from tests.tui.helpers import screen_text
from tests.tui.shaking import shake


def watching(name):
    agents = [("left", FirstLegal()), ("right", FirstLegal())]
    return WatchScreen(make_game(name), agents, games=1000, speed=16)


def boards(name):
    agents = [[("left", FirstLegal()), ("right", FirstLegal())] for _ in range(4)]
    return BoardsScreen(make_game(name), agents, games=1000, speed=16)


def replaying(name):
    won = WrittenMatch(make_game("tic_tac_toe"), ("ada", "bob"), tuple(range(7)), verdict=Verdict((1.0, -1.0)))
    return ReplayScreen(won, analyst=("first", FirstLegal()))


@pytest.mark.parametrize(
    ("make", "name", "times"),
    [
        (watching, "connect_four", 300),
        (watching, "kuhn_poker", 150),
        (replaying, "tic_tac_toe", 300),
        (boards, "tic_tac_toe", 150),
    ],
)
async def test_random_keys_and_clicks(make, name, times, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pictures are saved
    screen = make(name)
    app = ArenaApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await shake(pilot, times * int(os.environ.get("ARENA_SHAKES", "1")), seed=1, without=("s", "S"))
        assert app.is_running
        assert app.return_code is None
        assert screen in app.screen_stack
        while app.screen is not screen:
            await pilot.press("escape")
        assert f"› {screen.game.name}" in screen_text(app)
        for position in getattr(screen, "positions", []):
            assert (np.asarray(position.picture.pieces) < screen.game.num_players).all()
