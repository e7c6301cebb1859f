"""Moves from a cell to a cell: a person points at the piece, then at where it goes, by mouse and by keys."""

import pytest

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.play import PlayScreen
from arena.tui.state.live_match import Position
from arena.tui.state.pointing import highlighted, pointed, your_move
from arena.tui.widgets.board import Board
from games.chess.fen import position as set_up
from tests.tui.agents import FirstLegal
from tests.tui.helpers import click_cell, my_turn, notice, shows, until

pytestmark = pytest.mark.full


def make_app(game="breakthrough:rows=5,columns=5"):
    """By default Breakthrough on five rows: the person's pieces stand on the row at the bottom."""
    return ArenaApp(PlayScreen(make_game(game), [("bot", FirstLegal())]))


async def test_by_mouse():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        board = app.screen.query_one(Board)
        assert board.view.targets == {(4, column) for column in range(5)}, "the pieces that may move"
        await click_cell(pilot, 4, 1)
        await shows(pilot, "where to?")
        assert app.screen.picked == (4, 1)
        assert board.view.targets == {(3, 0), (3, 1), (3, 2)}
        await click_cell(pilot, 3, 2)
        await my_turn(pilot, 2)
        assert app.screen.match.positions[1].move == "b1-c2"
        assert app.screen.picked is None


async def test_by_keys():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        assert app.screen.query_one(Board).cursor == (4, 2)
        await pilot.press("enter")
        await shows(pilot, "where to?")
        assert app.screen.picked == (4, 2)
        await pilot.press("up")
        await shows(pilot, ">  •  <")
        await pilot.press("enter")
        await my_turn(pilot, 2)
        assert app.screen.match.positions[1].move == "c1-c2"


async def test_a_piece_is_let_go():
    """By escape, by pointing at it again, by pointing where it cannot go; another piece is taken instead."""
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        for let_go in (lambda: pilot.press("escape"), lambda: click_cell(pilot, 4, 0), lambda: click_cell(pilot, 0, 0)):
            await click_cell(pilot, 4, 0)
            await until(pilot, lambda: app.screen.picked == (4, 0))
            await let_go()
            await until(pilot, lambda: app.screen.picked is None)
            assert notice(app) == your_move(app.screen.match.positions[0])
        await click_cell(pilot, 4, 0)
        await click_cell(pilot, 4, 4)
        await until(pilot, lambda: app.screen.picked == (4, 4))
        assert len(app.screen.match.positions) == 1


async def test_escape_empties_the_line_first():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await click_cell(pilot, 4, 0)
        await pilot.press("a", "escape")
        await pilot.pause()
        assert app.screen.picked == (4, 0)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen.picked is None)


async def test_what_cannot_move_says_so():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await click_cell(pilot, 0, 0)
        await shows(pilot, "nothing of yours can move from there")


def test_several_moves_to_one_cell_are_all_meant():
    """A pawn that is promoted; its king moves in one way."""
    game = make_game("chess")
    state = set_up("8/P7/8/8/8/8/7k/K7 w - - 0 1")
    legal = {game.parse_action(state, text): text for text in ("a7a8q", "a7a8r", "a7a8b", "a7a8n", "a1b1")}
    position = Position(state, game.picture(state), 0, legal)
    assert highlighted(position, None) == {(1, 0), (7, 0)}
    assert highlighted(position, (1, 0)) == {(0, 0)}
    picked, meant = pointed(position, (1, 0), (0, 0))
    assert (picked, sorted(position.legal[action] for action in meant)) == (None, ["a7a8b", "a7a8n", "a7a8q", "a7a8r"])
    assert pointed(position, None, (7, 0)) == ((7, 0), [])
    assert pointed(position, (7, 0), (7, 1)) == (None, [game.parse_action(state, "a1b1")])
    assert pointed(position, (7, 0), (0, 0)) == (None, []), "the pawn's cell is not the king's"


async def test_enter_where_no_move_takes_place_says_so():
    app = make_app("tron")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        board = app.screen.query_one(Board)
        assert board.cursor in board.view.targets
        await pilot.press(*["up"] * 10, "enter")
        await shows(pilot, "no move takes place there")
