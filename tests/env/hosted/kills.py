"""Leagues in hosted games that are killed from outside in the middle, and resumed.

python -m tests.env.hosted.kills              all environments of the parametrised tests, one after the other
python -m tests.env.hosted.kills oware rps    those with one of these words in their names
python -m tests.env.hosted.kills pettingzoo:pettingzoo.sisl.pursuit_v5    one by its whole name
"""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena.cli.main import main
from tests.training.league.small import LEAGUE_WORDS, left_behind

ROOT = Path(__file__).parents[3]
SNAPSHOTS = 5


def killed_and_resumed(name: str, folder: Path) -> bool:
    """Return whether a league that was killed by SIGKILL after two snapshots leaves what one leaves that was not."""
    command = ["train", name, "ppo", "--steps", "640", "--snapshots", str(SNAPSHOTS), "--boards", "4", "--moves", "8"]
    command += ["--hidden", "16", "--channels", "8", "--batch-size", "32", "--threads", "1", "--seed", "3"]
    command += ["--evaluation", "random", "--evaluation-games", "12", *LEAGUE_WORDS]
    whole, killed = folder / "whole", folder / "killed"
    _arena(*command, "--out", str(whole))
    _kill_after([*command, "--out", str(killed)], killed / "training" / "state.json", epoch=2)
    _arena(*command, "--out", str(killed), "--resume")
    return left_behind(whole) == left_behind(killed)


def _arena(*words: str) -> None:
    """Run a command in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        assert main(list(words)) == 0, said.getvalue()


def _kill_after(words: list[str], state: Path, epoch: int) -> None:
    """Run a training until it has written so many snapshots and has begun the next; then SIGKILL."""
    command = [sys.executable, "-m", "arena", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told, deadline = 0, time.monotonic() + 600
    while told < epoch and child.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
            told = json.loads(state.read_text())["epoch"]
        time.sleep(0.002)
    time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    _, said = child.communicate()
    assert child.returncode == -signal.SIGKILL, said
    assert epoch <= told < SNAPSHOTS, f"killed after {told} snapshots"


def kill_all(words: list[str]) -> int:
    """Kill and resume a league in each environment; return the number of those that end otherwise."""
    from tests.env.hosted.test_hosted import ALL

    whole = [word for word in words if ":" in word]
    parts = [word for word in words if ":" not in word]
    names = [name for name in ALL if not words or any(part in name for part in parts)]
    failed = 0
    for name in [*whole, *names]:
        with tempfile.TemporaryDirectory() as folder:
            same = killed_and_resumed(name, Path(folder))
        failed += not same
        print(f"{name}: {'the same bytes' if same else 'OTHER BYTES'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(kill_all(sys.argv[1:]))
