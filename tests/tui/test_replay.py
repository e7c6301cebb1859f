"""Stepping through a match that was played before, its analysis, and its export."""

from dataclasses import replace

import pytest
from PIL import Image

from arena.match.files import WrittenMatch, read_match
from arena.match.transcripts import SpokenMove, pack
from arena.match.verdict import Reason, Verdict, forfeit
from arena.policy.registry import make_game
from arena.policy.transcript import SpokenAnswer, Transcript
from arena.tui.app import ArenaApp
from arena.tui.screens.replay import ReplayScreen
from arena.tui.widgets.board import Board
from tests.tui.agents import Crashing, FirstLegal
from tests.tui.helpers import notice, screen_text, shows, until
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full

ACTIONS = (0, 1, 2, 3, 4, 5, 6)
WON = WrittenMatch(make_game("tic_tac_toe"), ("ada", "bob"), ACTIONS, verdict=Verdict((1.0, -1.0)))


def make_app(written=WON, **options):
    return ArenaApp(ReplayScreen(written, **options))


async def until_read(pilot, positions=8):
    await until(pilot, lambda: len(pilot.app.screen.match.positions) == positions)


async def type_answer(pilot, text):
    await until(pilot, lambda: len(pilot.app.screen_stack) == 3)
    pilot.app.screen.query_one("Input").value = text
    await pilot.press("enter")


async def test_steps_and_jumps():
    app = make_app(called="match 17")
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        screen, board = app.screen, app.screen.query_one(Board)
        await shows(pilot, "match 17    0 of 7", "● ada", "○ bob", "1. a1", "4. c1")
        for key, shown in (("right", 1), ("end", 7), ("left", 6), ("home", 0), ("left", 0)):
            await pilot.press(key)
            assert screen.shown == shown
            await until(pilot, lambda shown=shown: (board.view.picture.pieces >= 0).sum() == shown)
        await pilot.press("end")
        assert "● ada wins after 7 moves" in notice(app)


async def test_goes_to_a_move_by_number():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        screen = app.screen
        await pilot.press("g")
        await type_answer(pilot, "5")
        await until(pilot, lambda: screen.shown == 5)
        for nonsense in ("8", "-1", "x", "²"):
            await pilot.press("g")
            await type_answer(pilot, nonsense)
            await until(pilot, lambda said=f"'{nonsense}' is not a move from 0 to 7": said in notice(app))
        await pilot.press("g", "escape")
        assert screen.shown == 5


async def test_plays_by_itself_and_stops_at_the_end():
    app = make_app(speed=64)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("space")
        await until(pilot, lambda: app.screen.shown == 7)
        assert not app.screen.playing


async def test_an_agent_analyses_the_position_shown():
    app = make_app(analysts=[("first", FirstLegal())], at=3)
    async with app.run_test(size=(100, 30)) as pilot:
        await until_read(pilot)
        await shows(pilot, "○ first", "expects −0.25", "b1  ███")
        await pilot.press("right")
        await shows(pilot, "● first", "b2  ███")
        await pilot.press("a", "right")
        await shows(pilot, "first is off")
        assert set(app.screen.match.answers) == {3, 4}
        await pilot.press("A")
        await until(pilot, lambda: set(app.screen.match.answers) == set(range(7)))
        await shows(pilot, "value for ●")


async def test_the_agent_is_chosen_on_the_screen():
    app = make_app()
    async with app.run_test(size=(100, 30)) as pilot:
        await until_read(pilot)
        await shows(pilot, "a: have the positions analysed")
        await pilot.press("a")
        await type_answer(pilot, "rendom")
        await shows(pilot, "unknown agent 'rendom'; did you mean 'random'?")
        await pilot.press("w")
        await type_answer(pilot, "alphabeta:2")
        await shows(pilot, "alphabeta:2", "expects")


async def test_an_agent_that_crashes_says_so_and_the_match_goes_on():
    app = make_app(analysts=[("bad", Crashing())])
    async with app.run_test(size=(100, 30)) as pilot:
        await until_read(pilot)
        await shows(pilot, "ArithmeticError: lost count")
        await pilot.press("right")
        assert app.screen.shown == 1


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (forfeit(2, 1, Reason.RESIGNED), "○ bob resigns"),
        (forfeit(2, 1, Reason.LATE, "no move within 5 s"), "○ bob was late (no move within 5 s) and loses"),
        (None, "the record ends here, without a result"),
    ],
)
async def test_a_match_that_was_broken_off(verdict, said):
    broken = WrittenMatch(WON.game, WON.players, ACTIONS[:3], verdict=verdict)
    app = make_app(broken)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot, 4 + (verdict is not None))
        await pilot.press("end")
        await shows(pilot, said)


async def test_hidden_hands_are_backs_until_they_are_opened():
    poker = WrittenMatch(make_game("kuhn_poker"), ("ada", "bob"), (0,), seed=5)
    app = make_app(poker)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot, 2)
        await shows(pilot, "▒▒▒")
        await pilot.press("c")
        await until(pilot, lambda: "▒" not in screen_text(app))
        await pilot.press("c")
        await shows(pilot, "▒▒▒")


@pytest.mark.parametrize(("name", "said"), [("out.png", "position 3 is in out.png"), ("out.gif", "8 positions are in")])
async def test_pictures_of_it(name, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = make_app(at=3)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("e")
        await type_answer(pilot, name)
        await until(pilot, lambda: said in notice(app))
        with Image.open(tmp_path / name) as picture:
            assert getattr(picture, "n_frames", 1) == (8 if name.endswith("gif") else 1)
        await pilot.press("e")
        await type_answer(pilot, name)
        await shows(pilot, f"{name} is there already")


async def test_its_record_and_what_there_is_no_format_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        for name, said in (
            ("a.jsonl", "the match is in a.jsonl"),
            ("a.pgn", "tic_tac_toe is not written as .pgn; .jsonl, .gif or .png will do"),
            ("no/a.gif", "cannot be"),
        ):
            await pilot.press("e")
            await type_answer(pilot, name)
            await until(pilot, lambda said=said: said in notice(app))
    assert read_match(tmp_path / "a.jsonl").actions == ACTIONS


async def test_pictures_of_screen_and_board_are_saved_by_a_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = make_app(at=2)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("s", "s", "S")
        await until(pilot, lambda: (tmp_path / "tic_tac_toe-2.png").exists())
        assert (tmp_path / "arena-replay-tic_tac_toe.svg").read_text().startswith("<svg")
        assert (tmp_path / "arena-replay-tic_tac_toe-2.svg").exists()
        await shows(pilot, "the board is saved as tic_tac_toe-2.png")


@pytest.mark.parametrize(("key", "closing"), [("question_mark", "escape"), ("g", "escape"), ("g", "enter")])
async def test_keys_that_come_too_fast_close_a_dialog_and_nothing_below(key, closing):
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        screen = app.screen
        await pilot.press(key)
        await until(pilot, lambda: app.screen is not screen)
        for _ in range(3):
            app.simulate_key(closing)
        await until(pilot, lambda: app.screen is screen)


async def test_shows_what_a_language_model_was_asked_and_answered():
    answers = (
        SpokenAnswer("unreadable", "Hm [b]\x1b[2J", remark="no move"),
        SpokenAnswer("move", "Final Answer: c1", move="c1"),
    )
    spoken = SpokenMove(2, 0, Transcript("The rules.", "Which move?", answers, "c1"))
    app = make_app(replace(WON, transcripts=pack([spoken])))
    async with app.run_test(size=(80, 40)) as pilot:
        await until_read(pilot)
        await pilot.press("p")
        assert "no words were kept of this move" in notice(app)
        await pilot.press("right", "right", "p")
        await shows(
            pilot, "ada, move 3", "Which move?", "Hm [b]\\x1b[2J", "Answer: unreadable", "Answer: move c1", "The rules."
        )
        check_snapshot(app, "words-80x40")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))


async def test_says_that_nobody_thought_in_words():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("p")
        assert "no player of this match thinks in words" in notice(app)
