"""Which moves of a match lost value."""

import numpy as np
import pytest

from arena.data.batch import Batch
from arena.match.files import WrittenMatch
from arena.match.verdict import Verdict
from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.replay import ReplayScreen
from tests.tui.agents import Crashing, FirstLegal, Silent
from tests.tui.helpers import notice, shows, until

pytestmark = pytest.mark.full


class Even(FirstLegal):
    """Expects nothing of any position."""

    def forward(self, batch, state=None):
        return Batch(super().forward(batch, state), value=np.zeros(len(batch.obs)))


def replay_of(moves, analyst, returns, *others):
    game = make_game("tic_tac_toe")
    written = WrittenMatch(game, ("ada", "bob"), moves, verdict=Verdict(returns))
    return ArenaApp(ReplayScreen(written, analysts=[("judge", analyst), *others], analyse_all=True))


async def judged(app, pilot):
    await until(pilot, lambda: len(app.screen.match.answers) == len(app.screen.match.positions) - 1)
    await until(pilot, lambda: "lost much" in notice(app))
    return {number: round(loss, 3) for number, loss in app.screen.lost().items() if loss}


async def test_the_move_that_gave_a_draw_away_is_marked_by_a_perfect_judge():
    # corner, edge: the reply next to the corner loses; all that follows keeps the win
    app = replay_of((0, 1, 4, 8, 3, 5, 6), make_agent("perfect", make_game("tic_tac_toe")), (1.0, -1.0))
    async with app.run_test(size=(120, 40)) as pilot:
        assert await judged(app, pilot) == {2: 1.0}
        await shows(pilot, "a2??", "moves that lost much: ada 0, bob 1; the worst: 1. a2??")
        await pilot.press("m")
        assert app.screen.shown == 1


async def test_a_judge_without_opinions_blames_the_last_move_of_the_loser_or_nobody():
    app = replay_of((0, 3, 1, 4, 2), Even(), (1.0, -1.0))
    async with app.run_test(size=(120, 40)) as pilot:
        assert await judged(app, pilot) == {}
        assert "no move lost much" in notice(app)


class Hopeful(FirstLegal):
    """Expects half a win for whoever is to move."""

    def forward(self, batch, state=None):
        return Batch(super().forward(batch, state), value=np.full(len(batch.obs), 0.5))


async def test_values_are_those_of_the_seat_that_moves():
    app = replay_of((0, 4, 8, 1, 7, 6, 2, 5, 3), Hopeful(), (0.0, 0.0))
    async with app.run_test(size=(120, 40)) as pilot:
        assert await judged(app, pilot) == {number: 1.0 for number in range(1, 9)} | {9: 0.5}


@pytest.mark.parametrize("first", [Silent(), Crashing()])
async def test_an_analyst_without_values_makes_way_for_one_that_has_them(first):
    perfect = make_agent("perfect", make_game("tic_tac_toe"))
    app = replay_of((0, 1, 4, 8, 3, 5, 6), first, (1.0, -1.0), ("sage", perfect))
    async with app.run_test(size=(120, 40)) as pilot:
        assert await judged(app, pilot) == {2: 1.0}
        assert app.screen.analyst == ("sage", perfect)


async def test_the_strongest_agent_is_suggested_where_none_was_named():
    written = WrittenMatch(make_game("tic_tac_toe"), ("ada", "bob"), (0, 4), verdict=None)
    app = ArenaApp(ReplayScreen(written, usual=lambda: "perfect"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: len(app.screen.match.positions) == 3)
        await pilot.press("a")
        await shows(pilot, "analyse with the agent", "perfect")
