"""Photograph the pages of a ladder server in Chromium, for the documentation.

    python scripts/server_pictures.py [--seconds 60] [--out scripts/pictures]

Starts the demonstration of `arena server`, lets its bots play for so many seconds, and has two people begin a game of
Connect Four on it. Writes server-ladder.png, server-match.png and server-live.png.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.server.client import Client

LADDER = "connect-four"
MOVES = (3, 3, 2, 4, 3, 3)
"""Columns of the game that is being played."""
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
LOADED_MS = 3000
"""After this time a page is photographed, though its events never end."""


@contextmanager
def demonstration(folder: Path) -> Iterator[str]:
    """Run the demonstration of a server in a folder; yield its address."""
    command = [sys.executable, "-m", "arena", "server", "--demo", "--port", "0", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(address for line in server.stdout if (address := re.search(r"http://[\d.]+:\d+", line)))
            yield address[0]
        finally:
            server.terminate()


def play(address: str, folder: Path) -> int:
    """Have two people begin a game; return its number."""
    command = [sys.executable, "-m", "arena", "server", "key"]
    clients = {}
    for name in ("ada", "bob"):
        made = subprocess.run(
            [*command, name, "--role", "viewer", "--data", str(folder)], capture_output=True, text=True, check=True
        )
        clients[name] = Client(address, made.stdout.split()[-1])
    wishes = {"opponent": "bob", "clock": "10m+5s"}
    live = clients["ada"].post(f"/ladders/{LADDER}/live", wishes)
    clients["bob"].post(f"/ladders/{LADDER}/live", {"opponent": "ada"})
    for place, action in enumerate(MOVES):
        mover = clients[("ada", "bob")[place % 2]]
        mover.post(f"/live/{live['id']}/moves", {"place": place, "action": action})
    return int(live["id"])


def photograph(browser: str, url: str, file: Path, size: Sequence[int]) -> None:
    """Write a page as PNG, `size` pixels wide and high."""
    window = ",".join(map(str, size))
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={window}", f"--timeout={LOADED_MS}"]
    subprocess.run(
        [browser, *options, f"--screenshot={file}", url], check=True, capture_output=True, timeout=20 + LOADED_MS / 1000
    )


def main() -> int:
    """Write the pictures; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the bots play")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "pictures", metavar="DIR")
    arguments = parser.parse_args()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        parser.error(f"none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as folder, demonstration(Path(folder)) as address:
        time.sleep(arguments.seconds)
        live = play(address, Path(folder))
        match = Client(address).get(f"/ladders/{LADDER}/games?limit=1")[0]
        middle = f"{address}/matches/{match['id']}?move={match['length'] // 2}"
        photograph(browser, f"{address}/ladders/{LADDER}", arguments.out / "server-ladder.png", (760, 860))
        photograph(browser, middle, arguments.out / "server-match.png", (420, 800))
        photograph(browser, f"{address}/live/{live}", arguments.out / "server-live.png", (420, 640))
    return 0


if __name__ == "__main__":
    sys.exit(main())
