"""Games of a ladder that play by themselves, one after the other."""

import pytest

from arena.base.errors import UsageError
from arena.match.files import WrittenMatch
from arena.match.verdict import Verdict
from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens import replay
from arena.tui.screens.replay import ReplayScreen
from tests.tui.helpers import notice, shows, until

pytestmark = pytest.mark.full

GAME = make_game("tic_tac_toe")
FIRST = WrittenMatch(GAME, ("ada", "bob"), (0, 1, 2, 3, 4, 5, 6), verdict=Verdict((1.0, -1.0)))
SECOND = WrittenMatch(GAME, ("eve", "dan"), (0, 1, 2, 3, 4, 5, 6), verdict=Verdict((1.0, -1.0)))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(replay, "PAUSE_S", 0.1)
    monkeypatch.setattr(replay, "POLL_S", 0.1)


def answers(*given):
    """A source of games that gives these answers one after the other, then none."""
    left = list(given)

    def following():
        answer = left.pop(0) if left else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    return following


async def test_the_next_game_follows_after_a_server_that_was_away(quick):
    source = answers(None, UsageError("the server cannot be reached"), SECOND)
    app = ArenaApp(ReplayScreen(FIRST, "small", speed=1000, next_match=source))
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "watch", "small", "ada")
        await shows(pilot, "eve", "dan", "7 of 7")
        await until(pilot, lambda: "eve wins after 7 moves" in notice(app))


async def test_a_server_that_is_away_is_told(quick):
    def away():
        raise UsageError("the server cannot be reached")

    app = ArenaApp(ReplayScreen(FIRST, "small", speed=1000, next_match=away))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "the server cannot be reached" in notice(app))


async def test_paused_it_stays_with_its_game(quick):
    app = ArenaApp(ReplayScreen(FIRST, "small", speed=2, next_match=answers(*[SECOND] * 50)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: len(app.screen.match.positions) == 8)
        await pilot.press("space", "end")
        await pilot.pause(0.5)
        assert app.screen.written is FIRST
        await pilot.press("space")
        await until(pilot, lambda: app.screen.written is SECOND)
