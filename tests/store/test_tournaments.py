"""A tournament that keeps its games on a server is killed, goes on, and ends as one with a file that was left alone."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from arena.store import Store

COMMAND = [sys.executable, "-m", "arena", "tournament", "connect_four", "random", "one-ply", "alphabeta:5"]
OPTIONS = ["--games", "8", "--openings", "random:3"]
GAMES = 24


def tables(folder: Path, *options: str) -> list[str]:
    """Ratings and games of a tournament that ran to its end."""
    words = [*COMMAND, *OPTIONS, "--out", "results", *options]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [(folder / "results" / name).read_text() for name in ("ratings.csv", "games.csv")]


def test_a_tournament_on_a_server_goes_on_after_a_kill(postgres, tmp_path):
    for name in ("left_alone", "killed"):
        (tmp_path / name).mkdir()
    expected = tables(tmp_path / "left_alone")
    url = postgres.new_database()
    child = subprocess.Popen([*COMMAND, *OPTIONS, "--store", url], cwd=tmp_path / "killed", stdout=subprocess.DEVNULL)
    with Store(url) as store:
        while len(store.matches()) < 4 and child.poll() is None:
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        before = {match.number: match for match in store.each_match()}
        assert len(before) % 2 == 0
        assert len(before) < GAMES
        assert tables(tmp_path / "killed", "--store", url) == expected
        after = {match.number: match for match in store.each_match()}
        assert len(after) == GAMES
        assert {number: after[number] for number in before} == before
        assert sum(row.games for row in store.ladder(after[0].record.game)) == 2 * GAMES
