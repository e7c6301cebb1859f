"""Random keys and clicks on any screen, drawn from a seed."""

import os
import random
from collections.abc import Sequence

from textual.pilot import Pilot

KEYS = [*"abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789"]  # no q, which leaves
NAMED = ["left", "right", "up", "down", "home", "end", "enter", "escape", "tab", "space", "backspace", "pageup"]
NAMED += ["pagedown", "plus", "minus", "question_mark", "delete", "f1", "ctrl+a", "shift+tab", "comma", "slash"]
SIZES = [(80, 24), (120, 40), (60, 16), (30, 8), (200, 60)]
SHAKES = int(os.environ.get("ARENA_SHAKES", "0"))
"""Number of keys on every screen; 0 for the small number that each test sets."""
BURST = 10
"""Keys that come faster than they are handled."""


async def shake(pilot: Pilot[None], times: int, seed: int, without: Sequence[str] = ()) -> None:
    """Press keys, click and now and then resize, so many times in all; `without` are keys that are left out."""
    rng = random.Random(seed)
    keys = [key for key in [*KEYS, *NAMED * 2] if key not in without]
    for number in range(times):
        chance = rng.random()
        if chance < 0.9:
            pilot.app.simulate_key(rng.choice(keys))
        elif chance < 0.995:
            await pilot.pause()  # the screen has the size of the terminal then
            width, height = pilot.app.size
            await pilot.click(offset=(rng.randrange(width), rng.randrange(height - 1)))  # the line of keys leaves
        else:
            await pilot.resize_terminal(*rng.choice(SIZES))
        if number % BURST == 0:
            await pilot.pause()
    await pilot.resize_terminal(80, 24)
    await pilot.pause()
