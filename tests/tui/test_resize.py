"""A terminal that grows and shrinks: boards are drawn to their new width at once."""

import pytest

from arena.match.files import WrittenMatch
from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.play import PlayScreen
from arena.tui.screens.replay import ReplayScreen
from arena.tui.screens.watch import WatchScreen
from arena.tui.state.pace import SLOWEST
from arena.tui.widgets.board import Board
from tests.tui.agents import FirstLegal
from tests.tui.helpers import screen_text, until

pytestmark = pytest.mark.full

SIZES = ((120, 40), (200, 60), (80, 24), (200, 60))


def two():
    return [("left", FirstLegal()), ("right", FirstLegal())]


SCREENS = {
    "play": lambda game: PlayScreen(game, two()[:1]),
    "watch": lambda game: WatchScreen(game, two(), speed=SLOWEST),
    "replay": lambda game: ReplayScreen(WrittenMatch(game, ("left", "right"), ())),
}


def cropped(app):
    """Lines of the board that are not drawn from end to end."""
    board = app.screen.query_one(Board)
    lines = screen_text(app).splitlines()[board.region.y : board.region.bottom]
    drawn = [line[board.region.x : board.region.right].rstrip() for line in lines]
    wanted = ["".join(run.text for run in line).rstrip() for line in board._lines]
    return [pair for pair in zip(wanted, drawn, strict=True) if pair[0] != pair[1]]


@pytest.mark.parametrize(("kind", "name"), [("play", "connect_four"), ("watch", "chess"), ("replay", "hex")])
async def test_a_board_is_drawn_to_its_new_width(kind, name):
    app = ArenaApp(SCREENS[kind](make_game(name)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.jobs.current in (None, "advance"))
        widths = set()
        for size in SIZES:
            await pilot.resize_terminal(*size)
            board = app.screen.query_one(Board)
            await until(pilot, lambda board=board: board._lines and not cropped(app), 20)
            widths.add(board.region.width)
        assert len(widths) > 1, "its cells change size"
