"""A person plays by keys, by mouse and by typing."""

import threading

import pytest
from textual import events

from arena.match.verdict import Reason
from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.help import HelpScreen
from arena.tui.screens.play import PlayScreen
from arena.tui.state.live_match import LiveMatch
from arena.tui.widgets.board import Board
from arena.tui.widgets.entry import Entry
from tests.tui.agents import FirstLegal, Patient, Silent
from tests.tui.helpers import (
    click_cell,
    last_line,
    move_and_let_think,
    my_turn,
    notice,
    screen_text,
    shows,
    type_move,
    until,
)

pytestmark = pytest.mark.full


def make_app(name="tic_tac_toe", agent=None, seat=0):
    return ArenaApp(PlayScreen(make_game(name), [("bot", agent or FirstLegal())], PlayOptions(seat)))


def moves(screen):
    return [position.move for position in screen.match.positions[1:]]


async def test_a_game_by_arrows_and_enter():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        for keys, played in ((["up", "enter"], 2), (["down", "enter"], 4)):
            await pilot.press(*keys)
            await my_turn(pilot, played)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen.match.positions[-1].verdict)
        assert moves(app.screen) == ["b1", "a1", "b2", "a2", "b3"]
        assert "● you win after 5 moves" in notice(app)
        assert app.screen.match.standings() == "1 – 0"


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_a_game_by_clicks(size):
    app = make_app()
    async with app.run_test(size=size) as pilot:
        for row in range(3):
            await my_turn(pilot, 2 * row)
            await click_cell(pilot, row, 1)
        await until(pilot, lambda: app.screen.match.positions[-1].verdict)
        assert moves(app.screen) == ["b1", "a1", "b2", "a2", "b3"]


async def test_a_game_by_typing():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        for number, text in enumerate(["b1", "B2", "b3"]):
            await my_turn(pilot, 2 * number)
            await type_move(pilot, text)
        await until(pilot, lambda: app.screen.match.positions[-1].verdict)
        assert moves(app.screen) == ["b1", "a1", "b2", "a2", "b3"]


async def test_clicking_anywhere_in_a_column_drops_a_disc_there():
    app = make_app("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await click_cell(pilot, 0, 3)
        await my_turn(pilot, 2)
        assert moves(app.screen) == ["4", "1"]
        assert app.screen.query_one(Board).view.picture.pieces[5, 3] == 0


async def test_a_click_on_a_flipped_board_means_the_cell_that_is_seen():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("ctrl+f")
        await until(pilot, lambda: screen_text(app).index(" c ") < screen_text(app).index(" a "))
        await click_cell(pilot, 0, 1)
        await my_turn(pilot, 2)
        assert moves(app.screen)[0] == "b1"


async def test_the_cursor_lands_where_a_disc_would():
    app = make_app("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "4")
        await my_turn(pilot, 2)
        assert app.screen.query_one(Board).cursor == (4, 3)
        await pilot.press("left", "left", "left")
        assert app.screen.query_one(Board).cursor == (4, 0)
        await pilot.press("left", "up", "right")
        assert app.screen.query_one(Board).cursor == (5, 1)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("a1", "not a legal move"),
        ("c9", "not a cell"),
        ("zzz", "not a cell"),
        ("9", "not a cell"),
        ("bäh", "not a cell"),
    ],
)
async def test_what_cannot_be_played_is_refused_and_nothing_is_lost(typed, said):
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 2)
        await type_move(pilot, typed)
        assert said in notice(app)
        assert "\n" not in notice(app)
        assert app.screen.query_one(Entry).text == ""
        await type_move(pilot, "c3")
        await my_turn(pilot, 4)
        assert moves(app.screen) == ["b2", "a1", "c3", "a2"]


async def test_a_click_on_a_taken_cell_is_refused():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await click_cell(pilot, 1, 1)
        await my_turn(pilot, 2)
        await click_cell(pilot, 1, 1)
        assert "not a legal move" in notice(app)
        assert len(app.screen.match.positions) == 3


async def test_a_move_can_be_typed_right_behind_another():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        entry = app.screen.query_one(Entry)
        for key in ("c", "4", "enter", "b", "2"):  # at once: none waits until the one before has been heard
            entry.post_message(events.Key(key, key))
        await until(pilot, lambda: entry.text == "b2")
        assert "'c4'" in notice(app)
        await pilot.press("enter")
        await my_turn(pilot, 2)
        assert moves(app.screen)[0] == "b2"


async def test_typing_can_be_corrected_and_given_up():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        entry = app.screen.query_one(Entry)
        await pilot.press("b", "h", "q")
        assert entry.text == "bhq"
        await shows(pilot, "move › bhq")
        await pilot.press("backspace", "backspace")
        assert entry.text == "b"
        await pilot.press("escape")
        assert entry.text == ""


async def test_letters_type_moves_and_commands_are_on_ctrl():
    app = make_app("tic_tac_toe:m=6,n=6,k=4")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await shows(pilot, "^d draw")
        await type_move(pilot, "f3")
        await my_turn(pilot, 2)
        assert moves(app.screen)[0] == "f3"
        await pilot.press("f")
        assert app.screen.query_one(Entry).text == "f"
        await pilot.press("escape", "ctrl+f")
        assert app.screen.query_one(Board).flipped


async def test_a_move_after_a_slash_may_begin_with_anything():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("slash", *"?:")
        assert app.screen.query_one(Entry).text == "/?:"
        await pilot.press("escape")
        await type_move(pilot, "/b2")
        await my_turn(pilot, 2)
        assert moves(app.screen)[0] == "b2"


async def test_what_is_said_of_keys_is_true():
    app = make_app("chess")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await shows(pilot, "tab: what bot would play")
        await type_move(pilot, "e4")
        await my_turn(pilot, 2)
        await type_move(pilot, "d4")
        await my_turn(pilot, 4)
        await pilot.press("ctrl+x")
        assert "^x again leaves it for a new one" in notice(app)
        await pilot.press("ctrl+r")
        assert "^r again resigns" in notice(app)
        await pilot.press("question_mark")
        await shows(pilot, "type a move; commands are")
        await pilot.press("escape", "ctrl+r")
        assert "n: next game" in notice(app)
        assert "u undo" in last_line(app), "letters are commands once the game is over"
        assert "resign" not in last_line(app)


async def test_the_hint_shows_on_the_board_and_beside_it_and_goes_again():
    app = make_app("connect_four", make_agent("random", make_game("connect_four")))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.sitting.hints.answer)
        await until(pilot, lambda: screen_text(app).count("14%") == 14)
        await shows(pilot, "● bot would play")
        await pilot.press("tab")
        await until(pilot, lambda: "14%" not in screen_text(app))
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.sitting.hints.answer)
        await type_move(pilot, "4")
        await my_turn(pilot, 2)
        await until(pilot, lambda: "14%" not in screen_text(app))


async def test_a_hint_from_an_agent_without_chances_names_its_move():
    app = make_app(agent=Silent())
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.sitting.hints.answer)
        await until(pilot, lambda: screen_text(app).count("100%") == 2)


async def test_taking_back_returns_to_the_last_decision():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("ctrl+u")
        assert "nothing to take back" in notice(app)
        for number, text in enumerate(["b2", "c3"]):
            await type_move(pilot, text)
            await my_turn(pilot, 2 * number + 2)
        await pilot.press("ctrl+u")
        await my_turn(pilot)
        assert moves(app.screen) == ["b2", "a1"]
        await type_move(pilot, "b3")
        await my_turn(pilot, 4)
        assert moves(app.screen) == ["b2", "a1", "b3", "a2"]


async def test_a_game_that_is_over_can_be_taken_back_and_does_not_count():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        for number, text in enumerate(["b1", "b2", "b3"]):
            await my_turn(pilot, 2 * number)
            await type_move(pilot, text)
        await until(pilot, lambda: app.screen.match.positions[-1].verdict)
        assert app.screen.match.standings() == "1 – 0"
        await pilot.press("ctrl+u")
        await my_turn(pilot)
        assert app.screen.match.standings() == "0 – 0"
        assert moves(app.screen) == ["b1", "a1", "b2", "a2"]


async def test_resigning_loses_and_can_be_taken_back():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 2)
        await pilot.press("ctrl+r")
        assert "^r again resigns" in notice(app)
        await pilot.press("ctrl+r")
        assert app.screen.match.positions[-1].verdict.reason is Reason.RESIGNED
        assert "● you resign" in notice(app)
        assert app.screen.match.standings() == "0 – 1"
        await click_cell(pilot, 0, 0)
        assert "the game is over" in notice(app)
        await pilot.press("ctrl+u")
        await my_turn(pilot)
        assert moves(app.screen) == ["b2", "a1"]


async def test_a_new_game_changes_seats_and_an_unfinished_one_is_left_only_if_asked_twice():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 2)
        await pilot.press("ctrl+n")
        assert "n again" in notice(app)
        assert len(app.screen.match.positions) == 3
        await pilot.press("ctrl+n")
        await my_turn(pilot, 1)
        assert app.screen.sitting.seat == 1
        assert moves(app.screen) == ["a1"]
        assert app.screen.match.standings() == "0 – 0"


async def test_the_second_seat_waits_for_the_first_move():
    app = make_app(seat=1)
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot, 1)
        assert moves(app.screen) == ["a1"]
        await shows(pilot, "○ you")


async def test_a_move_typed_before_it_can_be_played_stays_in_the_line(monkeypatch):
    ready, deal = threading.Event(), LiveMatch.deal
    monkeypatch.setattr(LiveMatch, "deal", lambda *call: ready.wait(600) and deal(*call))
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await type_move(pilot, "b2")
        await shows(pilot, "one moment: the agents get ready", "move › b2")
        ready.set()
        await my_turn(pilot)
        await pilot.press("enter")
        await my_turn(pilot, 2)
        assert moves(app.screen) == ["b2", "a1"]


async def test_the_board_stays_alive_while_the_agent_thinks():
    agent = Patient()
    app = make_app(agent=agent)
    async with app.run_test(size=(80, 24)) as pilot:
        await move_and_let_think(pilot, "b2")
        await pilot.press("ctrl+f")
        assert app.screen.query_one(Board).flipped
        await click_cell(pilot, 0, 0)
        assert "not your turn: bot moves" in notice(app)
        await pilot.press("tab")
        assert "your own turn" in notice(app)
        await until(pilot, lambda: "thinks 1 s" in screen_text(app))
        agent.go_on.set()
        await my_turn(pilot, 2)
        assert moves(app.screen) == ["b2", "a1"]


async def test_a_move_taken_back_from_under_a_thinking_agent_is_gone():
    agent = Patient()
    app = make_app(agent=agent)
    async with app.run_test(size=(80, 24)) as pilot:
        await move_and_let_think(pilot, "b2")
        await pilot.press("ctrl+u")
        assert len(app.screen.match.positions) == 1
        agent.go_on.set()
        await my_turn(pilot)
        await type_move(pilot, "c3")
        await my_turn(pilot, 2)
        assert moves(app.screen) == ["c3", "a1"]


async def test_help_lists_the_keys_and_closes():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await shows(pilot, "take back your last move")
        await shows(pilot, "Tic-tac-toe: m 3, n 3, k 3")
        await pilot.press("escape")
        assert isinstance(app.screen, PlayScreen)


@pytest.mark.parametrize(("key", "status"), [("ctrl+q", 0), ("ctrl+c", 130)])
async def test_leaving(key, status):
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press(key)
    assert app.return_code == status
