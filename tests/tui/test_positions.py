"""Positions on a screen: what a person may see of a game that hides something, and that they never change."""

import pytest

from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.play import PlayScreen
from arena.tui.state.live_match import LiveMatch
from arena.tui.widgets.board import Board
from tests.tui.agents import FirstLegal
from tests.tui.helpers import shows, until

pytestmark = pytest.mark.full

KUHN = make_game("kuhn_poker")


def cards(position) -> list[str]:
    return position.picture.letters[:, 0].tolist()


def test_what_those_before_the_screen_may_see():
    table = LiveMatch(KUHN)
    agent = ("bot", FirstLegal())
    (everything,) = table.deal([agent, agent], seed=5)
    assert "?" not in cards(everything)
    for seat in range(2):
        players = [("you", None) if seat == me else agent for me in range(2)]
        (mine,) = table.deal(players, seed=5)
        assert cards(mine)[seat] == cards(everything)[seat]
        assert cards(mine)[1 - seat] == "?"
        assert mine.state["random"] != everything.state["random"], "what chance will do is hidden as well"
    (at_one_keyboard,) = table.deal([("you", None), ("you too", None)], seed=5)
    assert cards(at_one_keyboard) == [cards(everything)[0], "?"]
    assert cards(table.play(1)) == ["?", cards(everything)[1]]
    assert cards(table.play(1)) == cards(everything), "at the end the cards lie open"


async def test_a_game_of_cards_is_played_to_its_end():
    app = ArenaApp(PlayScreen(KUHN, [("bot", FirstLegal())]))
    async with app.run_test(size=(100, 30)) as pilot:
        screen = app.screen
        await until(pilot, lambda: screen.sitting.my_turn)
        board = app.screen.query_one(Board)
        assert cards(screen.match.positions[-1]).count("?") == 1
        height = board.size.height
        await pilot.press(*"bet", "enter")
        await until(pilot, lambda: screen.match.positions[-1].verdict is not None)
        await until(pilot, lambda: board.size.height == height + 1)  # a line below the table says what was done
        await shows(pilot, "player 1 bet, player 2 pass")
        await shows(pilot, "you win after 2 moves")


def test_positions_stay_as_they_were_and_moves_are_named_where_they_were_made():
    table = LiveMatch(make_game("chess"))
    (start,) = table.deal([("you", None), ("bot", FirstLegal())], seed=1)
    kept = start.state.copy()
    assert table.play(table.game.parse_action(start.state, "e4")).move == "e4"
    assert start.state == kept
    _, answered = table.advance()
    assert answered.move in ("a6", "a5", "Na6", "Nc6", "h6", "h5"), "a move of black, in black's own position"


@pytest.mark.parametrize(("name", "moves"), [("connect_four", []), ("tic_tac_toe", [0])])
def test_a_hint_of_a_solver_comes_with_its_line(name, moves):
    game = make_game(name)
    table = LiveMatch(game)
    table.deal([("you", None)] * 2, seed=0, opening=moves)
    hint = table.advise(make_agent("perfect", game), seed=1)
    assert hint.line[0] == game.action_text(table._match.state, hint.answer.action)
    assert len(hint.line) > 3


def test_a_hint_where_chance_may_come_next_is_a_move_alone():
    game = make_game("pig")
    table = LiveMatch(game)
    table.deal([("you", None), ("bot", FirstLegal())], seed=0)
    assert len(table.advise(FirstLegal(), seed=1).line) == 1
