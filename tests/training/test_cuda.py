"""Every algorithm on a GPU, where there is one: trained, cut off, resumed, and then playing on the CPU."""

import pytest
import torch

from arena.collector.rollout_collector import RolloutCollector
from arena.data import Batch
from arena.policy.checkpoint import load_policy
from games.engine.trust import VARIABLE
from tests.env.hosted.worlds import MODULE, spec
from tests.training.small import GYM, OFFLINE, SELF_PLAY, CutError, gym_run, offline, self_play

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")


def cut(progress):
    if progress.snapshots > 1:
        raise CutError


def trained_in_two_pieces(make):
    with pytest.raises(CutError):
        make().train(cut)
    run = make(resume=True)
    assert 0 < run.progress().snapshots < 3
    run.train()
    assert run.finished
    assert {tensor.device.type for tensor in run.policy.parameters()} <= {"cuda"}
    loaded = load_policy(run.setup.algo, run.setup.algorithm, run.setup.task, str(run.folder))
    for name, tensor in loaded.state_dict().items():
        assert tensor.device.type == "cpu"
        assert torch.isfinite(tensor).all(), name
        torch.testing.assert_close(tensor, run.policy.state_dict()[name].cpu(), msg=name)
    return run, loaded


@pytest.mark.parametrize(("name", "env_id"), GYM)
def test_gymnasium(name, env_id, tmp_path):
    run, loaded = trained_in_two_pieces(
        lambda **changed: gym_run(name, env_id, tmp_path / "run", device="cuda", **changed)
    )
    if name in ("dqn", "td3"):  # moves without chance
        observations = Batch(obs=torch.randn(64, *run.setup.task.spaces.observation.shape).numpy(), info=Batch())
        torch.testing.assert_close(
            torch.as_tensor(loaded(observations).act).float(),
            torch.as_tensor(run.policy.eval()(observations).act).float().cpu(),
            rtol=1e-2,  # products have 10 bits after the point there
            atol=1e-2,
        )


@pytest.mark.parametrize("name", SELF_PLAY)
def test_self_play(name, tmp_path):
    trained_in_two_pieces(lambda **changed: self_play(name, tmp_path / "run", device="cuda", **changed))


def test_self_play_whose_rollouts_are_kept_as_bits(tmp_path):
    trained_in_two_pieces(lambda **changed: self_play("ppo", tmp_path / "run", "go:size=9", device="cuda", **changed))


@pytest.mark.parametrize("name", ["ppo", "dqn"])
def test_self_play_in_a_hosted_game_beside_the_device(name, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, MODULE)
    run, _ = trained_in_two_pieces(
        lambda **changed: self_play(name, tmp_path / "run", spec("early_death"), device="cuda", **changed)
    )
    halves = isinstance(run.learners[0].collector, RolloutCollector)
    assert halves == (name == "ppo")  # the other learns from a buffer on the CPU


@pytest.mark.parametrize(("name", "task"), OFFLINE)
def test_offline(name, task, tmp_path, transitions):
    trained_in_two_pieces(
        lambda **changed: offline(name, task, tmp_path / "run", transitions, device="cuda", **changed)
    )
