"""Thousands of random keys and clicks while agents are watched and matches replayed: nothing breaks, no rule is.

`ARENA_SHAKES=10000 pytest ...` makes 10,000 of them on every screen.
"""

from functools import partial

import numpy as np
import pytest

from arena.tui.app import ArenaApp
from tests.tui.helpers import screen_text
from tests.tui.screens import boards, replay, watch
from tests.tui.shaking import SHAKES, shake

pytestmark = pytest.mark.full


@pytest.mark.slow("presses keys by the thousand")
@pytest.mark.parametrize(
    ("make", "times"),
    [(watch, 150), (partial(watch, name="kuhn_poker"), 80), (replay, 150), (boards, 80)],
)
async def test_random_keys_and_clicks(make, times, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pictures are saved
    screen = make(tmp_path)
    app = ArenaApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await shake(pilot, SHAKES or times, seed=1, without=("s", "S"))
        assert app.is_running
        assert app.return_code is None
        assert screen in app.screen_stack
        while app.screen is not screen:
            await pilot.press("escape")
        assert f"› {screen.game.name}" in screen_text(app)
        for position in getattr(screen, "positions", []):
            assert (np.asarray(position.picture.pieces) < screen.game.num_players).all()
