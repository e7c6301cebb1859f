"""Random keys and clicks on screens that list and lead on, where nothing else opens: nothing breaks.

`ARENA_SHAKES=10000 pytest ...` makes 10,000 of them on every screen.
"""

import pytest

from arena.base.errors import UsageError
from arena.tui.app import ArenaApp
from tests.tui.helpers import NotToday, screen_text
from tests.tui.screens import LISTS, furnished
from tests.tui.shaking import SHAKES, shake

pytestmark = pytest.mark.full


@pytest.mark.slow("presses keys by the thousand")
@pytest.mark.parametrize("make", LISTS)
async def test_random_keys_and_clicks(make, tmp_path, monkeypatch):
    def start(words, log):
        raise UsageError(f"nothing is started today: {' '.join(words)}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("arena.tui.screens.home.start", start)
    with furnished(tmp_path) as folder:
        screen = make(folder)
        app = ArenaApp(screen, NotToday())
        async with app.run_test(size=(80, 24)) as pilot:
            await shake(pilot, SHAKES or 150, seed=1)
            assert app.is_running
            assert app.return_code is None
            assert screen in app.screen_stack
            while app.screen is not screen:
                await pilot.press("escape")
            assert " › ".join(("arena", *screen.places)) in screen_text(app)
