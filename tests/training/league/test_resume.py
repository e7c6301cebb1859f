"""A training that is killed and resumed ends where it would have ended anyway, byte for byte."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from arena.base.errors import CheckpointError, UsageError
from arena.cli.main import main
from tests.training.league.small import FULL, FULL_WORDS, LEAGUE, left_behind, training, words

pytestmark = pytest.mark.full

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


def test_killed_and_resumed(tmp_path, capsys):
    training("dqn", tmp_path / "whole", FULL, **LONG).train()
    command = words("dqn", tmp_path / "killed", FULL_WORDS, **LONG)
    kill_after(command, tmp_path / "killed", epoch=2)
    assert main(["train", str(tmp_path / "killed"), "--resume"]) == 0
    assert f"dqn:{tmp_path / 'killed'} is trained" in capsys.readouterr().out
    assert left_behind(tmp_path / "killed") == left_behind(tmp_path / "whole")


def test_cut_off_before_the_first_snapshot_it_begins_anew(tmp_path):
    training("ppo", tmp_path / "whole").train()
    training("ppo", tmp_path / "killed")
    training("ppo", tmp_path / "killed", resume=True).train()
    assert left_behind(tmp_path / "killed") == left_behind(tmp_path / "whole")


class CutError(Exception):
    """Ends a training from within."""


@pytest.mark.parametrize(("algo", "league"), [("dqn", LEAGUE), ("ppo", FULL)])
def test_cut_off_again_and_again(algo, league, tmp_path):
    """Whatever games are under way at the end of a turn, whoever sits in them and whoever learns next, they go on."""

    def cut(progress):
        if progress.step > limit:
            raise CutError

    training(algo, tmp_path / "whole", league).train()
    for limit in (3000, 5000, 7000, 9000):
        with pytest.raises(CutError):
            training(algo, tmp_path / "cut", league, resume=limit > 3000).train(cut)
    training(algo, tmp_path / "cut", league, resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")


def test_a_restored_league_answers_the_same_next_pairing(tmp_path):
    whole = training("ppo", tmp_path / "run", FULL)

    def cut(progress):
        if progress.step > 7000:
            raise CutError

    with pytest.raises(CutError):
        whole.train(cut)
    answers = []
    for _ in range(2):
        restored = training("ppo", tmp_path / "run", FULL, resume=True)
        restored.begin_turn()
        seated = restored.current_learner.seating(np.arange(200))
        answers.append(
            [
                restored.current_learner.record.name,
                restored.league.next_opponents,
                restored.current_learner.seating.plan,
            ]
        )
        answers[-1].append(restored.current_learner.seating.manager.labels[seated].tolist())
    assert answers[0] == answers[1]
    assert len(answers[0][1]) == 3, "main agent and both exploiters"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"algo": "dqn"}, "algorithm='dqn' cannot change: .* has algorithm='ppo'"),
        ({"league": LEAGUE}, r"self_play=0\.4 cannot change: .* has self_play=0\.25"),
        ({"seed": 4}, "seed=4 cannot change: .* has seed=3"),
    ],
)
def test_a_run_of_something_else_is_refused(changed, message, tmp_path):
    training("ppo", tmp_path / "run", FULL)
    changed = {"algo": "ppo", "league": FULL} | changed
    before = left_behind(tmp_path / "run")
    with pytest.raises(UsageError, match=message):
        training(changed.pop("algo"), tmp_path / "run", changed.pop("league"), resume=True, **changed)
    assert left_behind(tmp_path / "run") == before


def test_a_state_that_cannot_be_read_is_refused(tmp_path):
    training("ppo", tmp_path / "run", steps=1100, snapshots=2).train()
    state = tmp_path / "run" / "training" / "state.json"
    state.write_text(json.dumps({"epoch": 1}))
    with pytest.raises(CheckpointError, match="the state of the run in "):
        training("ppo", tmp_path / "run", steps=1100, snapshots=2, resume=True)


def test_a_finished_training_stays_as_it_is(tmp_path, capsys):
    command = words("ppo", tmp_path / "run", steps=1100, snapshots=2)
    assert main(command) == 0
    before = left_behind(tmp_path / "run")
    capsys.readouterr()
    assert main([*command, "--resume"]) == 0
    out = capsys.readouterr().out
    assert "this run is finished" in out
    assert f"to train longer: arena train {tmp_path / 'run'} --resume --steps 2200" in out
    assert left_behind(tmp_path / "run") == before
