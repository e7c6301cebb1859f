"""Watching a series: pace, stepping, score."""

import pytest

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.watch import WatchScreen
from arena.tui.state.pace import FASTEST, SLOWEST
from arena.tui.widgets.board import Board
from tests.tui.agents import FirstLegal, Patient, Silent
from tests.tui.helpers import last_line, notice, screen_text, shows, until

pytestmark = pytest.mark.full

FIRST_LEGAL_GAME = ["a1", "a2", "a3", "b1", "b2", "b3", "c1"]
"""Tic-tac-toe between two agents that play the lowest number: a1, b2 and... c1, b2, a3 win for the first."""


def make_app(games=1, speed=64.0, agents=None, name="tic_tac_toe"):
    agents = agents or [("left", FirstLegal()), ("right", FirstLegal())]
    return ArenaApp(WatchScreen(make_game(name), agents, games, speed=speed))


def moves(screen):
    return [position.move for position in screen.match.positions[1:]]


async def until_over(pilot):
    screen = pilot.app.screen
    await until(pilot, lambda: screen.match.positions[screen.shown].verdict)


async def until_computed(pilot, position):
    """Wait until the move after a position is known."""
    await until(pilot, lambda: len(pilot.app.screen.match.positions) > position + 1)


async def test_a_game_runs_to_its_end_by_itself():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_over(pilot)
        assert moves(app.screen) == FIRST_LEGAL_GAME
        assert "● left wins after 7 moves" in notice(app)
        assert "the series is over, 1 – 0" in notice(app)
        await shows(pilot, "game 1 of 1    1 – 0")


async def test_a_series_changes_seats_and_keeps_the_score_by_agent():
    app = make_app(games=2)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_over(pilot)
        await shows(pilot, "● left")
        await until(pilot, lambda: app.screen.match.series.game == 1)
        await until_over(pilot)
        await shows(pilot, "○ left")
        assert app.screen.match.standings() == "1 – 1"


async def test_pause_holds_the_board_and_space_goes_on():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space")
        await shows(pilot, "paused")
        held = app.screen.shown
        await until_computed(pilot, held)
        await pilot.pause(0.2)
        assert app.screen.shown == held
        await pilot.press("space")
        await until_over(pilot)


async def test_stepping_forward_and_back_shows_each_position():
    app = make_app(speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space")
        for number in range(1, 4):
            await until_computed(pilot, number - 1)
            await pilot.press("right")
            assert app.screen.shown == number
        board = app.screen.query_one(Board)
        assert (board.view.picture.pieces >= 0).sum() == 3
        await pilot.press("left", "left")
        assert (board.view.picture.pieces >= 0).sum() == 1
        assert app.screen.match.positions[3].move == "a3"
        await shows(pilot, "2. a3")
        await pilot.press("left", "left", "left")
        assert app.screen.shown == 0


async def test_a_move_that_the_board_has_not_shown_is_not_given_away():
    app = make_app(speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_computed(pilot, 0)
        assert app.screen.shown == 0
        await until(pilot, lambda: "1. a1" not in screen_text(app))


async def test_a_step_waits_for_an_agent_that_still_thinks():
    agent = Patient()
    app = make_app(agents=[("slow", agent), ("right", FirstLegal())])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.jobs.current == "advance")
        await pilot.press("right")
        assert app.screen.shown == 0
        agent.go_on.set()
        await until(pilot, lambda: app.screen.shown == 1)
        await pilot.pause(0.1)
        assert app.screen.shown == 1


async def test_thoughts_are_those_of_the_agent_to_move_in_the_position_shown():
    app = make_app(speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_computed(pilot, 0)
        await shows(pilot, "● left thinks")
        await shows(pilot, "expects −0.25")
        await shows(pilot, "a1  ███")
        await pilot.press("right")
        await until_computed(pilot, 1)
        await shows(pilot, "○ right thinks")


async def test_an_agent_that_tells_nothing_is_shown_to_do_so():
    app = make_app(speed=SLOWEST, agents=[("shy", Silent()), ("right", Silent())])
    async with app.run_test(size=(80, 24)) as pilot:
        await until_computed(pilot, 0)
        await shows(pilot, "reports no probabilities")


async def test_the_overlay_writes_chances_into_cells():
    app = make_app(speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_computed(pilot, 0)
        await until(pilot, lambda: screen_text(app).count("100%") == 1)
        await pilot.press("o")
        await until(pilot, lambda: screen_text(app).count("100%") == 2)
        await pilot.press("o")
        await until(pilot, lambda: screen_text(app).count("100%") == 1)


async def test_speed_doubles_and_halves_within_bounds():
    app = make_app(speed=1.0)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space", "plus")
        await shows(pilot, "2 x")
        await pilot.press(*["minus"] * 9)
        assert app.screen.pace.speed == SLOWEST
        await pilot.press(*["plus"] * 12)
        assert app.screen.pace.speed == FASTEST


async def test_the_next_game_can_be_had_at_once_and_the_one_left_does_not_count():
    app = make_app(games=2, speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_computed(pilot, 0)
        await pilot.press("n")
        await until_computed(pilot, 0)
        await shows(pilot, "game 2 of 2    0 – 0")
        assert app.screen.match.seat_names == ["right", "left"]
        await pilot.press("n")
        assert "the last of 2 games" in notice(app)


async def test_the_next_game_need_not_wait_for_thoughts_nobody_wants():
    agent = Patient()
    app = make_app(games=2, agents=[("slow", agent), ("right", FirstLegal())])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.jobs.current == "advance")
        await pilot.press("n")
        await shows(pilot, "game 2 of 2")
        agent.go_on.set()
        await until_over(pilot)
        assert moves(app.screen) == FIRST_LEGAL_GAME


async def test_a_played_out_game_can_be_walked_through_and_counts_once():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until_over(pilot)
        await pilot.press("left", "left", "right", "right", "right", "space")
        assert app.screen.shown == 7
        assert app.screen.match.standings() == "1 – 0"


async def test_an_opening_is_on_the_board_already_and_comes_once_from_every_seat():
    agents = [("left", FirstLegal()), ("right", FirstLegal())]
    screen = WatchScreen(make_game("tic_tac_toe"), agents, 3, speed=SLOWEST, openings=[(4, 8), (2,)])
    app = ArenaApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        for opening in (["b2", "c3"], ["b2", "c3"], ["a3"]):
            await until_computed(pilot, len(opening))
            assert screen.shown == len(opening)
            assert moves(screen)[:-1] == opening
            await shows(pilot, "thinks")
            await pilot.press("left")
            await shows(pilot, "opening")
            await pilot.press("n")


@pytest.mark.parametrize("key", ["f", "ctrl+t", "question_mark"])
async def test_other_keys_do_not_disturb_the_match(key):
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = app.screen
        await pilot.press(key)
        await until(pilot, lambda: screen.match.positions[screen.shown].verdict)
        assert moves(screen) == FIRST_LEGAL_GAME


async def test_the_mouse_presses_the_keys_of_the_bottom_line():
    app = make_app(speed=SLOWEST)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "pause" in last_line(app))
        await pilot.click(offset=(last_line(app).index("pause"), 23))
        await until(pilot, lambda: not app.screen.playing)
