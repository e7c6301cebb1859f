"""Many games of a series at once."""

import pytest

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.boards import BoardsScreen
from arena.tui.state.pace import FASTEST, SLOWEST
from arena.tui.widgets.tile import Tile
from tests.tui.agents import Crashing, FirstLegal, Patient
from tests.tui.helpers import notice, screen_text, shows, until

pytestmark = pytest.mark.full


def make_app(boards=4, games=6, speed=64.0, name="tic_tac_toe", make=FirstLegal):
    agents = [[("left", FirstLegal()), ("right", make())] for _ in range(boards)]
    return ArenaApp(BoardsScreen(make_game(name), agents, games, speed=speed))


@pytest.mark.parametrize(("boards", "size"), [(4, (80, 24)), (9, (120, 40))])
async def test_all_games_are_played_and_counted_once(boards, size):
    app = make_app(boards, games=10)
    async with app.run_test(size=size) as pilot:
        assert len(app.screen.query(Tile)) == boards
        await until(pilot, lambda: app.screen.finished == 10, seconds=60)
        assert sum(app.screen.series.score) == 10
        await shows(pilot, "10 of 10 games", "left  right  5 – 5", "the series is over, 5 – 5")


async def test_a_board_tells_its_game_and_its_result():
    app = make_app(games=4)
    async with app.run_test(size=(100, 30)) as pilot:
        await shows(pilot, "1  ● left  ○ right", "2  ● right  ○ left", "● right wins after 7 moves")


async def test_pause_holds_all_boards():
    app = make_app(speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "0 moves")
        await pilot.press("space", *["plus"] * 10)
        assert app.screen.speed == FASTEST
        await shows(pilot, "paused", "64 x")
        before = [tile.view for tile in app.screen.query(Tile)]
        await pilot.pause(0.3)
        assert [tile.view for tile in app.screen.query(Tile)] == before
        await pilot.press("space")
        await until(pilot, lambda: app.screen.finished == 6, seconds=60)


async def test_a_board_whose_agent_thinks_for_ever_holds_up_no_other():
    patient = Patient()
    agents = [[("left", FirstLegal()), ("right", agent)] for agent in (patient, FirstLegal())]
    app = ArenaApp(BoardsScreen(make_game("tic_tac_toe"), agents, 3, speed=64))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.finished == 2, seconds=60)
        patient.go_on.set()
        await until(pilot, lambda: app.screen.finished == 3, seconds=60)


async def test_who_crashes_loses_and_the_series_goes_on():
    app = make_app(games=5, make=Crashing)
    async with app.run_test(size=(140, 40)) as pilot:
        await until(pilot, lambda: app.screen.finished == 5, seconds=60)
        await shows(pilot, "crashed (ArithmeticError: lost count) and loses")
        assert notice(app) == "the series is over, 5 – 0"


async def test_hands_are_opened_and_boards_turned_and_resized():
    app = make_app(name="kuhn_poker", speed=SLOWEST)
    async with app.run_test(size=(80, 30)) as pilot:
        await shows(pilot, "▒▒▒")
        await pilot.press("c")
        await until(pilot, lambda: "▒" not in screen_text(app))
        await pilot.press("f")
        await pilot.resize_terminal(160, 60)
        await shows(pilot, "cards")
        assert all(tile.board.flipped for tile in app.screen.query(Tile))
