"""Checkpoints: what is written, what comes back, and kills in between."""

import hashlib
import json
import os

import numpy as np
import pytest
import torch

from agents.configs.on_policy import PPOConfig
from agents.configs.value_based import DQNConfig
from arena.base.errors import CheckpointError, UsageError
from arena.base.folders import recover_folder, write_folder
from arena.data import Batch
from arena.data.flat import flatten, unflatten
from arena.env import GameVectorEnv
from arena.policy.checkpoint import save_policy
from arena.policy.registration import Spaces
from arena.policy.registry import agent_kind, make_agent, make_game
from arena.policy.snapshots import find_snapshot, read_config

CONFIGS = {"ppo": PPOConfig(channels=4, hidden=8), "dqn": DQNConfig(hidden=8)}


def saved(folder, algo="ppo", spec="connect_four"):
    """A policy of random weights, and its checkpoint."""
    game = make_game(spec)
    policy = agent_kind(algo).algorithm.build(Spaces.of_game(game), CONFIGS[algo], True)
    save_policy(folder, policy, algo, game, CONFIGS[algo], {"env_step": 7})
    return game, policy


@pytest.mark.parametrize("algo", CONFIGS)
def test_a_checkpoint_plays_as_what_was_saved(tmp_path, algo):
    game, policy = saved(tmp_path / "c", algo)
    loaded = make_agent(f"{algo}:{tmp_path / 'c'}", game)
    assert not loaded.training
    assert loaded.optim is None
    policy.eval()
    env = GameVectorEnv(game, 30)
    obs, _ = env.reset()
    for _ in range(6):
        act = policy(Batch(obs=obs)).act
        assert np.array_equal(loaded(Batch(obs=obs)).act, act)
        obs, *_ = env.step(np.where(env.mask[:, 3], act, env.mask.argmax(axis=1)))
    for name, tensor in policy.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor)


def test_what_is_written_can_be_read_by_people(tmp_path):
    saved(tmp_path / "c")
    assert sorted(os.listdir(tmp_path / "c")) == ["config.json", "weights.safetensors"]
    assert os.listdir(tmp_path) == ["c"]
    told = read_config(tmp_path / "c")
    assert told["algorithm"] == "ppo"
    assert (told["game"], told["options"]) == ("connect_four", {"rows": 6, "columns": 7, "k": 4})
    assert (told["config"]["hidden"], told["env_step"]) == (8, 7)
    weights = (tmp_path / "c" / "weights.safetensors").read_bytes()
    assert told["sha256"] == hashlib.sha256(weights).hexdigest()


def test_a_loaded_policy_shares_no_memory_with_the_saved_one(tmp_path):
    game, policy = saved(tmp_path / "c")
    loaded = make_agent(f"ppo:{tmp_path / 'c'}", game)
    before = [parameter.clone() for parameter in loaded.parameters()]
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter += 1
    assert all(torch.equal(now, then) for now, then in zip(loaded.parameters(), before, strict=True))


def test_a_run_folder_means_its_newest_snapshot(tmp_path):
    for number in (1, 2, 10):
        saved(tmp_path / f"snapshot-{number:04d}")
    (tmp_path / ".snapshot-0011-new").mkdir()
    assert find_snapshot(tmp_path).name == "snapshot-0010"
    assert find_snapshot(tmp_path / "snapshot-0002").name == "snapshot-0002"


class KilledError(BaseException):
    """A kill, as far as files can tell."""


@pytest.mark.parametrize("calls", [0, 1])
def test_a_kill_while_a_folder_is_replaced_leaves_the_old_one(tmp_path, monkeypatch, calls):
    folder = tmp_path / "training"
    write_folder(folder, {"state": b"old"})
    replace, left = os.replace, [calls]

    def dying(source, target):
        if left[0] == 0:
            raise KilledError
        left[0] -= 1
        replace(source, target)

    monkeypatch.setattr(os, "replace", dying)
    with pytest.raises(KilledError):
        write_folder(folder, {"state": b"new"})
    monkeypatch.undo()
    recover_folder(folder)
    assert (folder / "state").read_bytes() == b"old"
    write_folder(folder, {"state": b"newer", "more": b"!"})
    assert (folder / "state").read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["training"], "nothing is left lying about"
    recover_folder(folder)
    assert (folder / "state").read_bytes() == b"newer"


def test_arrays_of_every_shape_survive_a_file():
    """Scalars too: torch's optimizers count steps in tensors without axes."""
    batch = Batch(a={"b": np.array(3.5), "c": np.zeros((2, 0))}, d=torch.tensor(7), e=np.arange(6).reshape(2, 3).T)
    back = unflatten(flatten(batch))
    assert (back.a.b.shape, back.a.c.shape, back.d.shape, back.e.shape) == ((), (2, 0), (), (3, 2))
    assert back.e.tolist() == [[0, 3], [1, 4], [2, 5]]


def broken(folder, **changed):
    """Change entries of `config.json`; None takes one out."""
    told = json.loads((folder / "config.json").read_text()) | changed
    (folder / "config.json").write_text(json.dumps({key: value for key, value in told.items() if value is not None}))


@pytest.mark.parametrize("key", ["algorithm", "game", "options", "config", "sha256", "format"])
def test_an_incomplete_description_is_refused(tmp_path, key):
    game, _ = saved(tmp_path / "c")
    broken(tmp_path / "c", **{key: None})
    with pytest.raises(CheckpointError, match=r"config\.json"):
        make_agent(f"ppo:{tmp_path / 'c'}", game)


@pytest.mark.parametrize("config", [{"hidden": 0}, {"hidden": "many"}, {"hidden": 8, "depth": 3}])
def test_settings_that_mean_nothing_are_refused(tmp_path, config):
    game, _ = saved(tmp_path / "c")
    broken(tmp_path / "c", config=config)
    with pytest.raises(CheckpointError, match=r"config\.json: .*(hidden|depth)"):
        make_agent(f"ppo:{tmp_path / 'c'}", game)


def test_another_network_is_refused_by_name(tmp_path):
    game, _ = saved(tmp_path / "c")
    broken(tmp_path / "c", config={"hidden": 9, "channels": 4})
    with pytest.raises(CheckpointError, match="the weights do not fit the network, which differs in actor"):
        make_agent(f"ppo:{tmp_path / 'c'}", game)


def test_a_learned_agent_needs_a_folder():
    with pytest.raises(UsageError, match="'ppo' needs a folder: ppo:runs/NAME"):
        make_agent("ppo", make_game("connect_four"))


def evaluated(run, number, evaluation):
    saved(run / f"snapshot-{number:04d}")
    file = run / f"snapshot-{number:04d}" / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"evaluation": evaluation}))


def test_the_best_snapshot_of_a_run_has_the_highest_mean_score(tmp_path):
    evaluated(tmp_path, 1, {"random": 0.9, "one-ply": 0.2})
    evaluated(tmp_path, 2, {"random": 0.8, "one-ply": 0.5})
    evaluated(tmp_path, 3, {"random": 1.0, "one-ply": 0.3})
    evaluated(tmp_path, 4, {"random": 0.0, "one-ply": 0.0})
    assert find_snapshot(tmp_path / "best").name == "snapshot-0003", "of equal ones the newest"
    assert find_snapshot(tmp_path / "latest").name == "snapshot-0004"
    assert make_agent(f"ppo:{tmp_path / 'best'}", make_game("connect_four")) is not None


def test_returns_below_zero_have_a_best_one_as_well(tmp_path):
    evaluated(tmp_path, 1, {"return": -200.0})
    evaluated(tmp_path, 2, {"return": -150.0})
    evaluated(tmp_path, 3, {"return": -180.0})
    assert find_snapshot(tmp_path / "best").name == "snapshot-0002"


def test_there_is_no_best_one_where_none_was_evaluated(tmp_path):
    saved(tmp_path / "snapshot-0001")
    with pytest.raises(CheckpointError, match=r"no snapshot in .* was evaluated"):
        find_snapshot(tmp_path / "best")
    with pytest.raises(CheckpointError, match="was evaluated"):
        find_snapshot(tmp_path / "nowhere" / "best")
