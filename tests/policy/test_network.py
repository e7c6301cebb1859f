"""Networks that users bring: trained, saved, resumed and played by all algorithms; run only where trusted."""

import json

import pytest
import torch

from arena.base.errors import CheckpointError, UsageError
from arena.cli.main import main
from arena.policy.network import named_network
from arena.policy.registry import learning_algorithm, make_agent, make_game
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.scale import ScaleConfig
from arena.training.league.self_play import SelfPlayTraining
from games.engine.trust import VARIABLE
from tests.env.hosted.worlds import MODULE, spec
from tests.training.league.small import left_behind

NETS = """
from pathlib import Path

import torch
from torch import nn

Path(__file__).with_suffix(".ran").touch()


class Own(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.first = nn.Linear(size, 12)

    def forward(self, obs):
        return torch.sin(self.first(obs.flatten(1)))


def make(observation, action):
    return Own(int(torch.tensor(observation.shape).prod()))


def no_module(observation, action):
    return 3


def wrong_rows(observation, action):
    return nn.Flatten(0)


def fails(observation, action):
    return nn.Linear(10_000, 3)


def raises(observation, action):
    raise KeyError("actions")


class Nan(nn.Module):
    def forward(self, obs):
        return obs.flatten(1) / 0


def nan(observation, action):
    return Nan()
"""
SMALL = {"ppo": {"hidden": 16, "batch_size": 32}, "dqn": {"hidden": 16}, "sac": {"hidden": 16, "batch_size": 32}}


@pytest.fixture
def nets(tmp_path, monkeypatch):
    """A file of networks; nothing is trusted yet."""
    monkeypatch.setenv(VARIABLE, MODULE)
    file = tmp_path / "my_nets.py"
    file.write_text(NETS)
    return file


def training(name, algo, out, network, scale=None, **changed):
    settings = {"steps": 192, "snapshots": 3, "boards": 4, "moves": 8, "evaluation": ("random",), "seed": 3}
    run = RunConfig(out=out, evaluation_games=2, threads=1, network=network, **settings | changed)
    league = LeagueConfig(self_play=0.5, pool=0.5, opponents=1)
    config = learning_algorithm(algo).config(**SMALL.get(algo, {}))
    return SelfPlayTraining(make_game(name), algo, config, run, league, scale)


class CutError(Exception):
    """Ends a training from within."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "algo"), [("tic_tac_toe", "ppo"), ("tic_tac_toe", "dqn"), (spec("race"), "ppo"), (spec("steer"), "sac")]
)
def test_a_league_with_a_network_that_is_cut_off_and_resumed_ends_as_it_would_have(name, algo, nets, tmp_path):
    def cut(progress):
        if progress.step > 64:
            raise CutError

    network = f"{nets}:make"
    snapshot = training(name, algo, tmp_path / "whole", network).train()
    with pytest.raises(CutError):
        training(name, algo, tmp_path / "cut", network).train(cut)
    training(name, algo, tmp_path / "cut", network, resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")
    assert json.loads((snapshot / "config.json").read_text())["network"] == network
    policy = make_agent(f"{algo}:{snapshot}", make_game(name))
    assert {"Own", "BroughtBody"} <= {type(part).__name__ for part in policy.modules()}


@pytest.mark.full
@pytest.mark.parametrize("algo", ["a2c", "c51", "rainbow", "iqn", "fqf", "discrete-sac", "alphazero", "nfsp", "mmd"])
def test_every_family_learns_with_it(algo, nets, tmp_path):
    policy = training("tic_tac_toe", algo, tmp_path / algo, f"{nets}:make", steps=64, snapshots=1).policy
    assert "Own" in {type(part).__name__ for part in policy.modules()}


@pytest.mark.full
def test_workers_build_it_too(nets, tmp_path):
    for workers in ("1", "2"):
        scale = ScaleConfig(workers=workers, shares=2)
        training("tic_tac_toe", "ppo", tmp_path / workers, f"{nets}:make", scale).train()
    assert left_behind(tmp_path / "1") == left_behind(tmp_path / "2")


def test_a_checkpoint_brings_no_file_in(nets, tmp_path, monkeypatch):
    folder = training("tic_tac_toe", "ppo", tmp_path / "run", f"{nets}:make", steps=64, snapshots=1).train()
    monkeypatch.setenv(VARIABLE, "")
    moved = tmp_path / "elsewhere" / "my_nets.py"
    moved.parent.mkdir()
    nets.rename(moved)
    nets.with_suffix(".ran").unlink()
    with pytest.raises(CheckpointError, match="is not run because a file names it: name it with --network"):
        make_agent(f"ppo:{folder}", make_game("tic_tac_toe"))
    assert not moved.with_suffix(".ran").exists()
    monkeypatch.setenv(VARIABLE, str(moved))
    assert make_agent(f"ppo:{folder}", make_game("tic_tac_toe")) is not None
    assert moved.with_suffix(".ran").exists()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("nothing", "has no function 'nothing'"),
        ("no_module", "a network is a torch.nn.Module, not int"),
        ("wrong_rows", "not features of shape (2, F)"),
        ("fails", "the network Linear failed: RuntimeError"),
        ("raises", "my_nets.py:raises made no network: KeyError: 'actions'"),
        ("nan", "features that are not finite"),
    ],
)
def test_bad_networks_are_refused_at_the_start_in_a_line(function, told, nets, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["train", "tic_tac_toe", "ppo", "--network", f"{nets}:{function}", "--out", str(out)]) == 2
    line, *_ = capsys.readouterr().err.splitlines()
    assert told in line
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "told"), [("nets", "FILE.py:FUNCTION"), ("my_nets.py", "FILE.py:FUNCTION"), ("no.py:make", "no file")]
)
def test_bad_names_are_refused(name, told):
    with pytest.raises(UsageError, match=told):
        named_network(name)


def test_an_algorithm_without_a_network_refuses_one(nets, tmp_path):
    from arena.policy.checkpoint import build_policy
    from arena.training.tasks import GymTask

    algorithm = learning_algorithm("psrl")
    with pytest.raises(UsageError, match="no network whose body could be another"):
        build_policy(
            algorithm, GymTask("FrozenLake-v1"), algorithm.config(), True, network=named_network(f"{nets}:make")
        )


def test_the_usual_weights_are_those_of_before(tmp_path, nets):
    plain = training("tic_tac_toe", "ppo", tmp_path / "a", "", steps=64, snapshots=1).policy
    assert "Own" not in {type(part).__name__ for part in plain.modules()}
    own = training("tic_tac_toe", "ppo", tmp_path / "b", f"{nets}:make", steps=64, snapshots=1).policy
    again = training("tic_tac_toe", "ppo", tmp_path / "c", f"{nets}:make", steps=64, snapshots=1).policy
    assert all(torch.equal(one, two) for one, two in zip(own.parameters(), again.parameters(), strict=True))
