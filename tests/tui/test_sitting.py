"""A sitting: clocks, draws, several people and their curtain, agents that are hurried, games that are kept."""

import asyncio
import threading

import numpy as np
import pytest
from textual import events

from arena.cli.play import Options, screen
from arena.data.batch import Batch
from arena.match.replay import replay
from arena.match.time_control import TimeControl
from arena.match.verdict import MatchRecord, Reason, forfeit
from arena.policy.registry import make_game
from arena.store import Store
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.curtain import CurtainScreen
from arena.tui.screens.play import PlayScreen
from arena.tui.services.match_recorder import MatchRecorder
from arena.tui.state.clocks import Clocks
from arena.tui.widgets.board import Board
from arena.tui.widgets.choices import Choices
from tests.tui.agents import FirstLegal, Patient, Silent
from tests.tui.helpers import last_line, move_and_let_think, my_turn, notice, screen_text, shows, type_move, until

pytestmark = pytest.mark.full


class Proud(FirstLegal):
    """Expects to win."""

    def forward(self, batch, state=None):
        return Batch(super().forward(batch, state), value=np.full(len(batch.obs), 0.9))


class Hurried(Patient):
    """Thinks until it is hurried."""

    def hurry(self):
        self.go_on.set()


def table(*others, game="tic_tac_toe", **terms):
    return ArenaApp(PlayScreen(make_game(game), others, PlayOptions(**terms)))


async def test_a_clock_may_stand_at_nothing_when_it_is_wound():
    app = table(("bot", FirstLegal()), control=TimeControl(0.0))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        assert app.screen.sitting.position.verdict.reason is Reason.LATE


@pytest.mark.parametrize(("key", "played"), [("escape", 2), ("ctrl+u", 0)])
async def test_an_agent_is_hurried_if_asked_or_if_its_game_is_left(key, played):
    agent = Hurried()
    app = table(("bot", agent))
    async with app.run_test(size=(80, 24)) as pilot:
        await move_and_let_think(pilot, "b2")
        await pilot.press(key)
        await my_turn(pilot, played)
        assert len(app.screen.match.positions) == played + 1
        assert agent.go_on.is_set()


async def test_one_that_hangs_is_stopped_loses_and_plays_again(tmp_path, faulty_agents):
    options = Options("tic_tac_toe", ("faulty:hangs",), hints="random", store=str(tmp_path / "games.db"))
    with screen(options) as shown:
        app = ArenaApp(shown)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app.screen.sitting.my_turn, 60)
            await type_move(pilot, "b2")
            await my_turn(pilot, 2)
            await type_move(pilot, "c3")
            await until(pilot, lambda: app.screen.jobs.current == "advance")
            await pilot.press("ctrl+f")  # the screen is alive
            assert app.screen.query_one(Board).flipped
            await pilot.press("escape", "escape")
            await until(pilot, lambda: app.screen.sitting.position.verdict)
            assert "was late (was stopped) and loses" in notice(app)
            await pilot.press("ctrl+u")
            await until(pilot, lambda: app.screen.sitting.my_turn and len(app.screen.match.positions) == 3, 60)


def test_clocks_are_told_what_time_it_is():
    clocks = Clocks(TimeControl(10), 2)
    clocks.run(1, 0)
    clocks.run(None, 4)
    assert (clocks.left(0, 99), clocks.left(1, 99)) == (10, 6)


async def test_a_clock_is_seen_to_run_while_a_person_thinks():
    app = table(("bot", FirstLegal()), control=TimeControl(300))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await shows(pilot, "4:58")


async def test_who_thinks_for_long_can_be_asked_to_move():
    app = table(("bot", Patient()))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await until(pilot, lambda: "bot thinks; esc asks it to move now" in notice(app))
        await pilot.press("escape")


async def test_who_runs_out_of_time_loses():
    app = table(("bot", FirstLegal()), control=TimeControl(0.6))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        assert app.screen.sitting.position.verdict.reason is Reason.LATE
        assert "● you are late (clock 0.6) and lose" in notice(app)


async def test_an_agent_runs_out_of_time_too():
    agent = Patient()
    app = table(("bot", agent), control=TimeControl(6.0))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        agent.go_on.set()
        assert app.screen.sitting.position.verdict.offender == 1
        await shows(pilot, "○ bot was late")


async def test_the_time_left_is_shown():
    app = table(("bot", FirstLegal()), control=TimeControl(300))
    async with app.run_test(size=(100, 30)) as pilot:
        await my_turn(pilot)
        await shows(pilot, "5:00")
        await until(pilot, lambda: "4:5" in screen_text(app))


@pytest.mark.parametrize(("agent", "said"), [(Silent, "reports no value"), (Proud, "expects more than a draw")])
async def test_an_agent_that_hopes_for_more_declines_a_draw(agent, said):
    app = table(("bot", agent()))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 2)
        await pilot.press("ctrl+d")
        assert said in notice(app)
        assert app.screen.sitting.my_turn


async def test_an_agent_that_hopes_for_no_more_accepts():
    app = table(("bot", FirstLegal()))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 2)
        await pilot.press("ctrl+d")
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        assert "a draw by agreement" in notice(app)
        assert app.screen.match.standings() == "½ – ½"


async def test_games_without_draws_by_agreement_say_so():
    app = table(("bot", FirstLegal()), game="kuhn_poker")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        assert "draw" not in last_line(app)


async def test_two_people_agree_on_a_draw_or_do_not():
    app = table(("Ada", None))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 1)
        await pilot.press("ctrl+d")
        await type_move(pilot, "a1")
        await my_turn(pilot, 2)
        assert "a draw is offered" in notice(app)
        await type_move(pilot, "a2")
        await my_turn(pilot, 3)
        assert app.screen.sitting.draw_offer.by is None
        await pilot.press("ctrl+d")
        await type_move(pilot, "c3")
        await my_turn(pilot, 4)
        await pilot.press("ctrl+d")
        assert app.screen.sitting.position.verdict.reason is Reason.AGREED


async def test_two_people_play_on_one_board():
    app = table(("Ada", None))
    async with app.run_test(size=(80, 24)) as pilot:
        for number, text in enumerate(["b1", "a1", "b2", "a2", "b3"]):
            await my_turn(pilot, number)
            await type_move(pilot, text)
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        assert "● you win" in notice(app)


async def test_a_curtain_hides_the_hand_of_one_from_the_other():
    app = table(("Ada", None), game="kuhn_poker", seed=3)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, CurtainScreen))
        await shows(pilot, "you, it is your turn")
        hands = []
        for name in ("you", "Ada"):
            await until(pilot, lambda: isinstance(app.screen, CurtainScreen))
            assert "│" not in screen_text(app)
            await shows(pilot, f"{name}, it is your turn")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, PlayScreen) and app.screen.sitting.my_turn)
            hands.append(screen_text(app))
            letters = app.screen.sitting.position.picture.letters.ravel().tolist()
            assert letters.count("?") == 1
            await type_move(pilot, "pass")
        assert hands[0] != hands[1]
        await until(pilot, lambda: isinstance(app.screen, PlayScreen) and app.screen.sitting.position.verdict)


async def test_moves_without_a_cell_are_clicked():
    app = table(("bot", FirstLegal()), game="kuhn_poker")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        await shows(pilot, "or ›  pass   bet")
        await pilot.click(Choices, offset=(len(" or ›  pass   ") + 1, 0))
        await until(pilot, lambda: len(app.screen.match.positions) > 1)
        assert app.screen.match.positions[1].move == "bet"


async def test_moves_without_a_cell_take_the_lines_that_they_need():
    app = table(("bot", FirstLegal()), game="hanabi")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        legal = list(app.screen.sitting.position.legal.values())
        await shows(pilot, *legal, "fireworks", "deck: 40", "^q back")
        line, text = next(
            (y, line) for y, line in enumerate(screen_text(app).splitlines()) if line.rstrip().endswith(legal[-1])
        )
        await pilot.click(offset=(text.rindex(legal[-1]) + 1, line))
        await until(pilot, lambda: len(app.screen.match.positions) > 1)
        assert app.screen.match.positions[1].move == legal[-1]


async def test_seats_change_at_once_if_asked():
    app = table(("bot", FirstLegal()))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("ctrl+x")
        await my_turn(pilot, 1)
        assert app.screen.sitting.seat == 1
        assert app.screen.match.series.game == 0
        await type_move(pilot, "b2")
        await my_turn(pilot, 3)
        await pilot.press("ctrl+x")
        assert "^x again" in notice(app)


async def test_thoughts_are_shown_after_the_game_or_if_minds_are_open():
    app = table(("bot", FirstLegal()))
    async with app.run_test(size=(100, 30)) as pilot:
        for number, text in enumerate(["b1", "b2", "b3"]):
            await my_turn(pilot, 2 * number)
            await type_move(pilot, text)
            if number == 0:
                await my_turn(pilot, 2)
                await pilot.press("ctrl+o")
                assert "bot thought" not in screen_text(app)
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        await pilot.press("o")
        await shows(pilot, "○ bot thought")
        await pilot.press("left", "left", "left")
        assert app.screen.shown == 2
    app = table(("bot", FirstLegal()), show_thoughts=True)
    async with app.run_test(size=(100, 30)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "b2")
        await my_turn(pilot, 2)
        await shows(pilot, "○ bot thought")


async def test_finished_games_are_kept_and_can_be_replayed(tmp_path):
    url = tmp_path / "games.db"
    app = table(("bot", FirstLegal()), recorder=MatchRecorder(str(url)))
    async with app.run_test(size=(100, 24)) as pilot:
        for number, text in enumerate(["b1", "b2", "b3"]):
            await my_turn(pilot, 2 * number)
            await type_move(pilot, text)
        await until(pilot, lambda: "kept: arena replay 1" in notice(app))
        await pilot.press("ctrl+n")
        await my_turn(pilot, 1)
        await pilot.press("ctrl+r", "ctrl+r")
        await until(pilot, lambda: "kept: arena replay 2" in notice(app))
    with Store(url, create=False) as store:
        first, second = store.match(1).record, store.match(2).record
    assert first.players == ("you", "bot")
    assert replay(first).moves == ("b1", "a1", "b2", "a2", "b3")
    assert second.players == ("bot", "you")
    assert replay(second).match.verdict.reason is Reason.RESIGNED


async def test_a_game_is_kept_even_if_nobody_waits_to_hear_its_number(tmp_path):
    url, recorder = tmp_path / "games.db", MatchRecorder(str(tmp_path / "games.db"))
    record = MatchRecord("tic_tac_toe", ("you", "bot"), 0, (), (0, 1), forfeit(2, 0, Reason.RESIGNED))
    waiters = [asyncio.create_task(recorder.keep(record)) for _ in range(3)]
    await asyncio.sleep(0)
    for waiter in waiters:
        waiter.cancel()
    await asyncio.gather(*waiters, return_exceptions=True)
    recorder.finish()
    with Store(url, create=False) as store:
        assert [match.id for match in store.matches()] == [3, 2, 1]


async def test_a_store_that_cannot_be_written_is_said_and_the_game_goes_on(tmp_path):
    (tmp_path / "games.db").write_text("this is no database, and was here before")
    app = table(("bot", FirstLegal()), recorder=MatchRecorder(str(tmp_path / "games.db")))
    async with app.run_test(size=(140, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press("ctrl+r", "ctrl+r")
        await until(pilot, lambda: "not kept: store" in notice(app))
        await pilot.press("ctrl+n")
        await my_turn(pilot, 1)


async def test_three_sit_at_one_table():
    app = table(("a", FirstLegal()), ("b", FirstLegal()), game="kuhn_poker:players=3")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        await type_move(pilot, "pass")
        await until(pilot, lambda: app.screen.sitting.position.verdict or app.screen.sitting.my_turn)
        if app.screen.sitting.my_turn:
            await type_move(pilot, app.screen.sitting.position.legal[min(app.screen.sitting.position.legal)])
        await until(pilot, lambda: app.screen.sitting.position.verdict)


async def test_pasted_garbage_is_refused():
    app = table(("bot", FirstLegal()))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        app.screen.query_one("Entry").post_message(events.Paste("\x1b[31m☃" * 500 + "\n\n\x00"))
        await pilot.pause()
        await pilot.press("enter")
        assert "\n" not in notice(app)
        assert app.screen.sitting.my_turn


def test_a_thread_of_agents_is_a_daemon():
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "agents")


async def test_a_session_of_hands_ends_with_its_balance():
    app = table(("bot", FirstLegal()), game="texas_holdem", hands=2)
    async with app.run_test(size=(120, 40)) as pilot:
        for hand in (1, 2):
            await shows(pilot, f"hand {hand} of 2")
            while not app.screen.sitting.over:
                await until(pilot, lambda: app.screen.sitting.my_turn or app.screen.sitting.over)
                if app.screen.sitting.my_turn:
                    app.screen.sitting.play(next(iter(app.screen.sitting.position.legal)))
                    await pilot.pause()
            if hand == 1:
                await pilot.press("n")
        await shows(pilot, "the session is over: you", "after 2 hands")
        assert "next game" not in screen_text(app)
        await pilot.press("n")
        assert app.screen.match.series.game == 1
