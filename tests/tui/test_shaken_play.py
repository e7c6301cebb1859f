"""Hundreds of random keys and clicks in games with people: no exception, no illegal move, no hang.

`ARENA_SHAKES=10000 pytest ...` makes 10,000 of them on every screen.
"""

import pytest

from arena.match.match import Match
from arena.match.time_control import TimeControl
from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.play import PlayScreen
from arena.tui.services.match_recorder import MatchRecorder
from tests.tui.agents import FirstLegal
from tests.tui.helpers import until
from tests.tui.shaking import SHAKES, shake

pytestmark = pytest.mark.full


@pytest.mark.slow("presses keys by the thousand")
@pytest.mark.parametrize(
    ("name", "people", "times"),
    [("connect_four", 1, 150), ("breakthrough", 1, 100), ("leduc_poker", 2, 100), ("tic_tac_toe", 2, 80)],
)
async def test_random_keys_and_clicks(name, people, times, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pictures are saved
    game = make_game(name)
    others = [("bot", FirstLegal())] if people == 1 else [("Ada", None)]
    hints = [("random", make_agent("random", game))]
    options = PlayOptions(control=TimeControl(20), hints=hints, recorder=MatchRecorder(str(tmp_path / "arena.db")))
    screen = PlayScreen(game, others, options)
    app = ArenaApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: screen.jobs.current is None)
        await shake(pilot, SHAKES or times, seed=5)
        while app.screen is not screen:
            await pilot.press("enter" if type(app.screen).__name__ == "CurtainScreen" else "escape")
            await pilot.pause()
        await until(pilot, lambda: screen.jobs.current in (None, "hint"))
        match = Match(game, [(str(seat), None) for seat in range(game.num_players)], screen.sitting._seed)
        for position in screen.match.positions[1:]:  # what was played is what the rules allow
            if position.action is not None:
                match.play(position.action)
        assert match.over or screen.sitting.position.verdict or len(screen.sitting.position.legal) == match.legal.sum()
