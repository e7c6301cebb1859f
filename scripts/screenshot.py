"""Save the screen of a command as SVG, for the README.

    python scripts/screenshot.py FILE.svg KEYS [COMMAND WORDS ...]

Without a command it saves the home screen. KEYS, separated by commas, are pressed in turn; a number waits that many
seconds. For example:

    python scripts/screenshot.py watch.svg 12,space,o watch connect_four mcts:5000 alphabeta:6
"""

import asyncio
import sys
from pathlib import Path

from arena.base.errors import UsageError
from arena.cli import home
from arena.cli.opening import screen_of, screen_of_command
from arena.tui.app import ArenaApp

SIZE = (120, 32)


async def picture(keys: list[str], words: list[str]) -> str:
    """Return the screen as SVG after these keys have been pressed."""
    with screen_of_command(words) if words else home.screen(home.Options()) as screen:
        async with ArenaApp(screen, screen_of).run_test(size=SIZE) as pilot:  # headless: no terminal is needed
            for key in keys:
                if key.isdigit():
                    await pilot.pause(float(key))
                else:
                    await pilot.press(key)
            await pilot.pause(0.5)
            return pilot.app.export_screenshot(title=" ".join(["arena", *words]))


def main(arguments: list[str]) -> int:
    """Write the picture; return the exit status."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    file, keys, *words = arguments
    try:
        Path(file).write_text(asyncio.run(picture(keys.split(","), words)), encoding="utf-8")
    except UsageError as error:
        print(f"screenshot: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
