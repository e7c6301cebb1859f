"""Agents that break the rules lose, and one calm line says so."""

import pytest

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.play import PlayScreen
from arena.tui.screens.watch import WatchScreen
from tests.tui.agents import Cheating, Crashing, FirstLegal
from tests.tui.helpers import notice, shows, until

pytestmark = pytest.mark.full

FAULTS = [
    (Crashing, "○ bad crashed (ArithmeticError: lost count) and loses"),
    (Cheating, "○ bad made an illegal move (action 99) and loses"),
]


@pytest.mark.parametrize(("fault", "said"), FAULTS)
async def test_in_a_series_the_offender_loses_and_the_next_game_begins(fault, said):
    agents = [("good", FirstLegal()), ("bad", fault())]
    app = ArenaApp(WatchScreen(make_game("connect_four"), agents, games=2, speed=1.0))  # ends stay for seconds
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: app.screen.match.positions[app.screen.shown].verdict)
        assert said in notice(app)
        await shows(pilot, said)
        await shows(pilot, "1. 1")
        await pilot.press("n")
        await until(pilot, lambda: app.screen.match.series.game == 1)
        await until(pilot, lambda: app.screen.match.positions[app.screen.shown].verdict)
        assert notice(app).startswith("●" + said[1:])
        assert app.screen.match.standings() == "2 – 0"


@pytest.mark.parametrize(("fault", "said"), FAULTS)
async def test_against_a_person_the_offender_loses_and_a_new_game_can_be_had(fault, said):
    app = ArenaApp(PlayScreen(make_game("connect_four"), [("bad", fault())]))
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        await pilot.press("4", "enter")
        await until(pilot, lambda: app.screen.match.positions[-1].verdict)
        assert said in notice(app)
        assert app.screen.match.standings() == "1 – 0"
        await pilot.press("ctrl+u")
        await until(pilot, lambda: app.screen.sitting.my_turn)
        assert len(app.screen.match.positions) == 1


@pytest.mark.parametrize(("fault", "said"), [(Crashing, "lost count"), (Cheating, "its move is illegal")])
async def test_a_hint_that_goes_wrong_costs_nothing(fault, said):
    app = ArenaApp(PlayScreen(make_game("connect_four"), [("bad", fault())]))
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        await pilot.press("tab")
        await until(pilot, lambda: "has no hint" in notice(app))
        assert said in notice(app)
        assert app.screen.sitting.my_turn
