"""A terminal that is too small for a screen says how large it should be, at any moment."""

import pytest

from arena.tui.app import ArenaApp
from tests.tui.helpers import screen_text, shows, until
from tests.tui.screens import LISTS, MATCHES, furnished

pytestmark = pytest.mark.full


@pytest.mark.parametrize("make", [*LISTS, *MATCHES])
async def test_it_says_how_large_it_should_be(make, tmp_path):
    with furnished(tmp_path) as folder:
        screen = make(folder)
        app, (columns, lines) = ArenaApp(screen), screen.MINIMUM
        needs = f"this screen needs {columns} columns and {lines} lines; the terminal has"
        async with app.run_test(size=(columns - 1, lines)) as pilot:
            for size in ((columns - 1, lines), (columns, lines - 1)):
                await pilot.resize_terminal(*size)
                told = f"{needs} {size[0]} and {size[1]}"
                await until(pilot, lambda told=told: " ".join(screen_text(app).split()) == told)
                await pilot.resize_terminal(columns, lines)
                await shows(pilot, "arena", "? help", "q ")
