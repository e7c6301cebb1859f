"""A training that is killed and resumed ends where it would have ended anyway, byte for byte."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from arena.cli.main import main
from tests.league.small import left_behind, training, words

LONG = {"steps": 20_000}  # each of the five snapshots takes long enough to be killed in


def kill_after(command: list[str], folder, epoch: int) -> None:
    """Run a training until it has written a snapshot of this number and has begun the next; then SIGKILL."""
    child = subprocess.Popen([sys.executable, "-m", "arena", *command], stderr=subprocess.PIPE, text=True)
    state, told, deadline = folder / "training" / "state.json", 0, time.monotonic() + 120
    while told < epoch and child.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
            told = json.loads(state.read_text())["epoch"]
        time.sleep(0.005)
    time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    _, said = child.communicate()
    assert child.returncode == -signal.SIGKILL, said
    assert told < 5, "killed too late"


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_killed_and_resumed(algo, tmp_path, capsys):
    training(algo, tmp_path / "whole", **LONG).train()
    kill_after(words(algo, tmp_path / "killed", **LONG), tmp_path / "killed", epoch=2)
    assert main([*words(algo, tmp_path / "killed", **LONG), "--resume"]) == 0
    assert f"{algo}:{tmp_path / 'killed'} is trained" in capsys.readouterr().out
    assert left_behind(tmp_path / "killed") == left_behind(tmp_path / "whole")


def test_cut_off_before_the_first_snapshot_it_begins_anew(tmp_path):
    training("ppo", tmp_path / "whole").train()
    training("ppo", tmp_path / "killed")
    training("ppo", tmp_path / "killed", resume=True).train()
    assert left_behind(tmp_path / "killed") == left_behind(tmp_path / "whole")


class CutError(Exception):
    """Ends a training from within."""


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_cut_off_again_and_again(algo, tmp_path):
    """Whatever games are under way at a snapshot, and whoever sits in them, they go on."""

    def cut(progress):
        if progress.step > limit:
            raise CutError

    training(algo, tmp_path / "whole").train()
    for limit in (3000, 5000, 7000, 9000):
        with pytest.raises(CutError):
            training(algo, tmp_path / "cut", resume=limit > 3000).train(cut)
    training(algo, tmp_path / "cut", resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")


def test_a_finished_training_stays_as_it_is(tmp_path, capsys):
    command = words("ppo", tmp_path / "run", steps=1100, snapshots=2)
    assert main(command) == 0
    before = left_behind(tmp_path / "run")
    capsys.readouterr()
    assert main([*command, "--resume"]) == 0
    assert "this run is finished" in capsys.readouterr().out
    assert left_behind(tmp_path / "run") == before
