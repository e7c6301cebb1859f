"""End to end in real terminals: a training is begun with its screen, followed from another terminal, and killed."""

import os
import signal
import time

import pytest

from arena.training.live_files import read_status
from arena.tui.screens.training import POLL_S
from tests.tui.terminal import ARENA, Terminal, require_tmux

pytestmark = pytest.mark.full

LONG = "train tic_tac_toe ppo --steps 100000000 --snapshots 5000 --boards 64 --evaluation-games 2 --threads 1"


@pytest.fixture
def terminals():
    require_tmux()
    opened = [Terminal(120, 34), Terminal(100, 30)]
    yield opened
    for terminal in opened:
        terminal.close()


def wait_for(condition, seconds=90):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_training_outlives_its_screen_and_is_followed_from_elsewhere(terminals, tmp_path):
    mine, other = terminals
    folder = tmp_path / "runs" / "long"
    before = mine.settings()
    mine.enter(f"clear; {ARENA} {LONG} --out {folder} --ui; echo status=$?")
    mine.wait_for("● running")
    status = read_status(folder)
    try:
        mine.wait_for("move [1-9] of")
        mine.wait_for("A random|B random|C random")
        other.enter(f"{ARENA} runs {folder}")
        other.wait_for("read-only.*● running")
        other.press("Space")
        other.wait_for("this screen is read-only")
        mine.press("Space")
        other.wait_for("‖ paused")
        mine.press("Space")
        other.wait_for("● running")
        mine.press("s")
        wait_for(lambda: list(folder.glob("step-*/config.json")))
        mine.press("q")
        mine.wait_for("The training goes on; arena runs ")
        mine.wait_for("status=0")
        assert mine.settings() == before
        assert read_status(folder).state == "running"
        os.kill(status.pid, signal.SIGKILL)
        other.wait_for("ended without a word")
        other.wait_for("○ killed")
    finally:
        if read_status(folder).at_work:
            os.kill(status.pid, signal.SIGKILL)


def test_what_is_wrong_with_a_training_is_said_and_nothing_is_left_running(terminals, tmp_path):
    mine, _ = terminals
    mine.enter(
        f"clear; {ARENA} train tic_tac_toe ppo --steps 10 --snapshots 20 --out {tmp_path}/runs/short --ui; "
        "echo status=$?"
    )
    mine.wait_for("--steps 10 are too few for --snapshots 20")
    time.sleep(3 * POLL_S)
    assert "are too few" in mine.screen(), "what was said stays"
    mine.press("q")
    mine.wait_for("status=2")
    assert not (tmp_path / "runs" / "short" / "live").exists()
