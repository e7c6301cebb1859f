"""Screens of watching and replaying as they look, at sizes from 80 x 24 on."""

import pytest

from arena.match.files import WrittenMatch
from arena.match.verdict import Verdict
from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.boards import BoardsScreen
from arena.tui.screens.replay import ReplayScreen
from arena.tui.screens.watch import WatchScreen
from arena.tui.state.pace import SLOWEST
from tests.tui.agents import Telling
from tests.tui.helpers import shows, step, until
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full

TIMES = r"\d:\d\d"


def series(name, screen=WatchScreen, **options):
    return screen(make_game(name), [("first", Telling()), ("second", Telling())], speed=SLOWEST, **options)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_watching(size):
    app = ArenaApp(series("connect_four"))
    async with app.run_test(size=size) as pilot:
        await pilot.press("space", "o")
        await step(pilot, 9)
        await shows(pilot, "second thinks", "line ", "q back")
        check_snapshot(app, f"watch-connect_four-{size[0]}x{size[1]}", TIMES)


@pytest.mark.parametrize(
    ("name", "size"), [("go", (80, 24)), ("hex", (80, 24)), ("chess", (100, 30)), ("kuhn_poker", (80, 24))]
)
async def test_watching_other_games(name, size):
    app = ArenaApp(series(name))
    async with app.run_test(size=size) as pilot:
        await pilot.press("space")
        await step(pilot, 1)
        await shows(pilot, "q back")
        check_snapshot(app, f"watch-{name}-{size[0]}x{size[1]}", TIMES)


@pytest.mark.parametrize("size", [(80, 24), (140, 45)])
async def test_replaying(size):
    written = WrittenMatch(make_game("tic_tac_toe"), ("ada", "bob"), tuple(range(7)), verdict=Verdict((1.0, -1.0)))
    app = ArenaApp(ReplayScreen(written, "match 17", [("telling", Telling())], at=5))
    async with app.run_test(size=size) as pilot:
        await pilot.press("A")
        await until(pilot, lambda: len(app.screen.match.answers) == 7)
        await shows(pilot, "telling", "q back")
        check_snapshot(app, f"replay-{size[0]}x{size[1]}")


async def test_many_boards():
    agents = [[("first", Telling()), ("second", Telling())] for _ in range(9)]
    app = ArenaApp(BoardsScreen(make_game("connect_four"), agents, 9, speed=SLOWEST))
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, "9  ● first  ○ second", "0 moves", "q back")
        check_snapshot(app, "boards-120x40")


@pytest.mark.parametrize("make", [series, lambda name: series(name, openings=[(0, 1)])])
async def test_a_terminal_that_is_too_small_is_told_how_large_it_should_be(make):
    app = ArenaApp(make("connect_four"))
    async with app.run_test(size=(50, 12)) as pilot:
        await shows(pilot, "60 columns", "16 lines", "50 and 12")
        await pilot.resize_terminal(80, 24)
        await shows(pilot, "first", "q back")
        await pilot.resize_terminal(40, 10)
        await shows(pilot, "40 and 10")
