"""A training that loses its numbers: it says where, names the last good snapshot, and goes on from it."""

import subprocess
import sys

import pytest
import torch

from arena.base.errors import DivergedError, UsageError
from arena.policy.divergence import broken_loss, broken_tensor
from arena.policy.registry import learning_algorithm
from arena.training.gym_run import make_gym_run
from arena.training.options import GymRunOptions
from arena.training.run import PolicyRun
from arena.training.tasks import GymTask

pytestmark = pytest.mark.full

STEPS = {"steps": 400, "snapshots": 4, "environments": 5, "moves": 20, "test_episodes": 2, "threads": 1}


def run_of(algo: str, folder, resume=False, **settings) -> PolicyRun:
    config = learning_algorithm(algo).config(**settings)
    return make_gym_run(GymTask("CartPole-v1"), algo, config, GymRunOptions(out=folder, resume=resume, **STEPS))


def lose(run: PolicyRun, after: int) -> None:
    """Train, and break a weight of the policy once so many snapshots have been written."""

    def watch(progress):
        if progress.snapshots > after:  # it counts the one under way
            with torch.no_grad():
                next(run.policy.parameters()).flatten()[0] = float("nan")

    run.train(watch)


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_it_names_the_place_the_last_good_snapshot_and_what_would_help(algo, tmp_path):
    settings = {"batch_size": 32} | ({"buffer_size": 500} if algo == "dqn" else {})
    with pytest.raises(DivergedError) as told:
        lose(run_of(algo, tmp_path / "run", **settings), after=2)
    line = str(told.value)
    assert line.startswith("training has diverged at update ")
    assert "weight: " in line, "the tensor that is broken"
    assert f"the last good snapshot is {tmp_path / 'run' / 'snapshot-0002'}: resume from it with --resume" in line
    assert "--learning-rate below" in line
    assert ("--max-grad-norm below 0.5" in line) == (algo == "ppo")
    assert not (tmp_path / "run" / "snapshot-0003").exists(), "nothing broken is saved"


def test_it_goes_on_from_there_with_gentler_settings(tmp_path):
    with pytest.raises(DivergedError):
        lose(run_of("ppo", tmp_path), after=1)
    with pytest.raises(UsageError, match=r"hidden=64 cannot change: .* has hidden=128"):
        run_of("ppo", tmp_path, resume=True, hidden=64)
    again = run_of("ppo", tmp_path, resume=True, learning_rate=1e-4, max_grad_norm=0.1)
    assert again.progress().snapshots == 1
    assert again.policy.optim.param_groups[0]["lr"] == 1e-4
    again.train()
    assert (tmp_path / "snapshot-0004").exists()
    with pytest.raises(UsageError, match=r"learning_rate=0.5 cannot change: .* has learning_rate=0.0001"):
        run_of("ppo", tmp_path, resume=True, learning_rate=0.5)


def test_before_the_first_snapshot_it_begins_again(tmp_path):
    with pytest.raises(DivergedError, match="there is no snapshot yet: start again with --resume"):
        lose(run_of("ppo", tmp_path), after=0)
    run_of("ppo", tmp_path, resume=True, learning_rate=1e-4).train()


def test_the_command_says_it_in_one_line_with_status_2(tmp_path):
    words = ["train", "gym:CartPole-v1", "a2c", "--steps", "2000", "--snapshots", "1", "--learning-rate", "1e35"]
    ended = subprocess.run(
        [sys.executable, "-m", "arena", *words, "--threads", "1", "--out", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("arena: ")]
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "diverged at update" in line
    assert "--learning-rate below 1e+35" in line


def test_what_is_no_number():
    net = torch.nn.Linear(2, 2)
    assert broken_tensor(net) is None
    with torch.no_grad():
        net.bias[1] = float("inf")
    assert broken_tensor(net) == "bias"
    assert broken_loss({"loss": 1.0, "kl": float("nan")}) is None
    assert broken_loss({"loss/vf": [1.0, float("inf")]}) == "loss/vf = inf"
