"""Agents in processes of their own that hang, crash or are late: the screen stays alive, says so, and goes on."""

import pytest

from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens import watch
from arena.tui.screens.watch import WatchScreen
from tests.tui.agents import FirstLegal
from tests.tui.helpers import notice, shows, until

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("faulty_agents")]
GAME = make_game("connect_four")


@pytest.fixture
def against():
    """Makes a series of a good agent against one that is contained, and ends that in the end."""
    made = []

    def make(spec, **limits):
        limited = Limits(**limits)
        made.append(ContainedPolicy(spec, GAME, limited, tells=True, later=True))
        agents = [("good", FirstLegal()), ("bad", made[0])]
        return ArenaApp(WatchScreen(GAME, agents, games=2, speed=1.0, limits=limited))

    yield make
    made[0].close()


async def until_over(pilot):
    screen = pilot.app.screen
    await until(pilot, lambda: screen.position.verdict, 60)


async def test_one_that_hangs_is_given_up_and_the_series_goes_on(against, monkeypatch):
    monkeypatch.setattr(watch, "OFFER_AFTER_S", 1.0)
    app = against("faulty:hangs")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "esc: move now   r: it loses this game   n: next game" in notice(app), 60)
        assert notice(app).startswith("○ bad thinks for")
        await pilot.press(
            "left", "right", "escape", "o", "f", "ctrl+t"
        )  # everything else still works; it cannot be hurried
        assert app.screen.jobs.current == "advance"
        await pilot.press("r")
        await pilot.press("space")
        await until_over(pilot)
        assert "○ bad was late" in notice(app)
        await pilot.press("n")
        await shows(pilot, "game 2 of 2", "1 – 0")


async def test_the_next_game_leaves_one_that_hangs_behind(against, monkeypatch):
    monkeypatch.setattr(watch, "STOP_AFTER_S", 0.5)
    app = against("faulty:hangs")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.shown == 3 and app.screen.jobs.current == "advance", 60)
        await until(pilot, lambda: app.screen.jobs.waited_s > 0.5)
        await pilot.press("n")
        await until(
            pilot, lambda: app.screen.match.series.game == 1 and len(app.screen.match.positions) > 1, seconds=60
        )
        assert app.screen.match.standings() == "0 – 0"


@pytest.mark.slow("waits for faults")
@pytest.mark.parametrize(
    ("spec", "limits", "said"),
    [
        ("faulty:dies", {}, "○ bad crashed (was killed by SIGSEGV"),
        ("faulty:hangs", {"time_per_move": "500ms"}, "○ bad was late (no move within 0.5 s) and loses"),
    ],
)
async def test_one_that_dies_or_is_late_loses_and_is_there_again(spec, limits, said, against):
    app = against(spec, **limits)
    async with app.run_test(size=(100, 30)) as pilot:
        await until_over(pilot)
        assert said in notice(app)
        await pilot.press("n")
        await until(
            pilot, lambda: app.screen.match.series.game == 1 and len(app.screen.match.positions) > 1, seconds=60
        )


async def test_thoughts_of_an_agent_in_a_process_are_seen(against):
    app = against("mcts:50")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: 1 in app.screen.match.answers, 60)
        await pilot.press("space", "end", "left")
        await shows(pilot, "bad thinks", "line ", "expects")
