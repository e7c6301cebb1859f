"""Save the screen of a command as SVG, for the pages.

    python scripts/screenshot.py FILE.svg KEYS [COMMAND WORDS ...]

Without a command it saves the home screen. KEYS, separated by commas, are pressed in turn; a number waits that many
seconds. For example:

    python scripts/screenshot.py watch.svg 12,space,o watch connect_four mcts:5000 alphabeta:6
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

COLUMNS, LINES = 120, 32
DRAWN_S = 2.0
"""Seconds from the last key to the picture."""


def picture(file: Path, keys: Sequence[str], words: Sequence[str]) -> int:
    """Run a command without a terminal, press the keys, and save the picture; return the exit status.

    Textual presses keys and saves pictures by itself, asked by variables of the environment.
    """
    waits = [float(key) for key in keys if key.isdigit()]
    settings = {
        "COLUMNS": COLUMNS,
        "LINES": LINES,
        "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
        "TEXTUAL_PRESS": ",".join(f"wait:{1000 * int(key)}" if key.isdigit() else key for key in keys),
        "TEXTUAL_SCREENSHOT": int(sum(waits) + DRAWN_S),
        "TEXTUAL_SCREENSHOT_LOCATION": file.resolve().parent,
        "TEXTUAL_SCREENSHOT_FILENAME": file.name,
    }
    environment = os.environ | {name: str(value) for name, value in settings.items()}
    return subprocess.run([sys.executable, "-m", "arena", *words], env=environment, check=False).returncode


def main(arguments: list[str]) -> int:
    """Write the picture; return the exit status."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    file, keys, *words = arguments
    return picture(Path(file), keys.split(","), words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
