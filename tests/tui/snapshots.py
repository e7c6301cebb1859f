"""Pictures of screens as text: a test compares what is shown with a file that people can read and review as a diff.

`ARENA_SNAPSHOTS=write pytest ...` writes the files anew.
"""

import os
import re
from pathlib import Path

from tests.tui.helpers import screen_text

FOLDER = Path(__file__).parent / "snapshots"


def check_snapshot(app, name: str, *varying: str) -> None:
    """Compare the screen with `snapshots/NAME.txt`; what fits a pattern of `varying` may be anything of its length."""
    shown = "\n".join(line.rstrip() for line in screen_text(app).splitlines()) + "\n"
    for pattern in varying:
        shown = re.sub(pattern, lambda found: "~" * len(found.group()), shown)
    check_text(shown, name)


def check_text(shown: str, name: str) -> None:
    """Compare a text with `snapshots/NAME.txt`."""
    file = FOLDER / f"{name}.txt"
    if os.environ.get("ARENA_SNAPSHOTS") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8"), f"this is not what {file} has:\n{shown}"
