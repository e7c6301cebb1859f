"""Learners by self-play come close to equilibria, as exact exploitability says; seeded, on one thread."""

import pytest
import torch

from arena.analysis.asking import ask_strategy
from arena.analysis.response import exploitability
from arena.analysis.tree import build_tree
from arena.cli.main import main
from arena.policy.registry import learning_algorithm, make_agent, make_game
from arena.training.league.config import RunConfig
from arena.training.league.self_play import SelfPlayTraining

pytestmark = pytest.mark.full


def train(folder, spec, algorithm, run, **config) -> float:
    """Train from scratch, and measure the newest checkpoint."""
    game = make_game(spec)
    options = RunConfig(out=folder, seed=0, snapshots=1, threads=1, evaluation=(), **run)
    SelfPlayTraining(game, algorithm, learning_algorithm(algorithm).config(**config), options).train()
    tree, agent = build_tree(game), f"{algorithm}:{folder}"
    return exploitability(tree, ask_strategy(tree, make_agent(agent, game), agent)).exploitability


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.mark.slow("trains to a score")
def test_magnetic_mirror_descent_solves_kuhn_poker(tmp_path):
    """130,000 games; 0.03 when it was measured."""
    run = {"steps": 300_000, "boards": 128, "moves": 16}
    assert train(tmp_path / "run", "kuhn_poker", "mmd", run, batch_size=1024, hidden=32) < 0.05


@pytest.mark.slow("trains to a score")
def test_neural_fictitious_play_solves_kuhn_poker(tmp_path):
    """66,000 games; 0.067 when it was measured, 0.024 after 166,000. Playing at random is at 0.458."""
    run = {"steps": 160_000, "boards": 256}
    few = {"hidden": 32, "update_per_step": 0.008, "buffer_size": 20_000, "target_update_freq": 50}
    assert train(tmp_path / "run", "kuhn_poker", "nfsp", run, **few) < 0.1


@pytest.mark.slow("trains to a score")
def test_magnetic_mirror_descent_comes_close_in_leduc_poker(tmp_path):
    """150,000 games; 0.40 when it was measured. Playing at random is at 2.374, published NFSP at 0.99 after 960,000."""
    run = {"steps": 700_000, "boards": 512, "moves": 16}
    assert train(tmp_path / "run", "leduc_poker", "mmd", run, batch_size=2048) < 0.6


@pytest.mark.slow("trains to a score")
@pytest.mark.parametrize("algorithm", ["nfsp", "mmd"])
def test_they_train_by_self_play_alone_and_tell_their_chances(algorithm, tmp_path, capsys):
    folder = str(tmp_path / "run")
    words = ["train", "kuhn_poker", algorithm, "--steps", "2000", "--snapshots", "2", "--boards", "128", "--moves", "4"]
    assert main([*words, "--out", folder, "--evaluation-games", "4"]) == 0
    capsys.readouterr()
    assert '"self_play": 1.0' in (tmp_path / "run" / "run.json").read_text()
    assert main(["exploitability", "kuhn_poker", f"{algorithm}:{folder}"]) == 0
    assert "exploitability 0." in capsys.readouterr().out
    assert main(["exploitability", "leduc_poker", f"{algorithm}:{folder}"]) == 2
    assert "plays kuhn_poker" in capsys.readouterr().err
