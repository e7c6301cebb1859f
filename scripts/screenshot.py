"""Draw the README's picture: a game in progress as `arena watch` shows it.

python scripts/screenshot.py FILE.svg [GAME AGENT AGENT]
"""

import asyncio
import sys
from pathlib import Path

from arena.errors import UsageError
from arena.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.watch import WatchScreen

NUM_MOVES = 12
"""How far into the game the picture is taken."""


async def picture(game_name: str, specs: list[str]) -> str:
    """The screen, as SVG, once so many moves are on the board and the next is thought about."""
    game = make_game(game_name)
    screen = WatchScreen(game, [(spec, make_agent(spec, game)) for spec in specs], speed=1)
    async with ArenaApp(screen).run_test(size=(120, 32)) as pilot:  # headless: no terminal is needed
        await pilot.press("space", "o")
        while screen.shown < NUM_MOVES and screen.positions[-1].verdict is None:
            await pilot.press("right")
            await pilot.pause()
        while screen.job is not None:
            await pilot.pause(0.01)
        return pilot.app.export_screenshot(title=f"arena watch {game_name} {' '.join(specs)}")


def main(arguments: list[str]) -> int:
    """Write the picture; returns the exit status."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    game, *specs = arguments[1:] or ["connect_four", "alphabeta:4", "one-ply"]
    try:
        Path(arguments[0]).write_text(asyncio.run(picture(game, specs)), encoding="utf-8")
    except UsageError as error:
        print(f"screenshot: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
