"""Keys and clicks at random: whatever a person does, a screen stays alive."""

import random

MOVES = ["up", "down", "left", "right", "tab", "enter", "escape", "pagedown", "pageup", "home", "end", "space", "x"]
NAMES = {"?": "question_mark", ":": "colon", "+": "plus", "-": "minus"}


async def at_random(pilot, steps, letters, seed=7, not_on=lambda app: False):
    """Press keys (moves, and the letters of the screen) and click anywhere, so many times.

    Where `not_on` holds, escape is pressed instead.
    """
    rng = random.Random(seed)
    keys = MOVES + [NAMES.get(letter, letter) for letter in letters]
    for _ in range(steps):
        width, height = pilot.app.size
        if not_on(pilot.app):
            await pilot.press("escape")
        elif rng.random() < 0.3:
            await pilot.click(offset=(rng.randrange(width), rng.randrange(height)), times=rng.choice([1, 2]))
        elif rng.random() < 0.03:
            await pilot.resize_terminal(rng.randrange(20, 140), rng.randrange(5, 50))
        else:
            await pilot.press(rng.choice(keys))
