"""The scripts that readers copy reach the scores that the README gives them."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.full

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow("trains to a score")
def test_dqn_beats_random_as_second_player_on_six_by_six(tmp_path, monkeypatch):
    """The manual's tutorial: a mean reward of 0.9 within 60,000 steps."""
    monkeypatch.chdir(tmp_path)
    tutorial = script("tic_tac_toe")
    _, figures = tutorial.train()
    assert figures["best_reward"] >= 0.9
    assert figures["train_step"] <= 60_000
    saved = tutorial.make_dqn()
    tutorial.load_model(saved, str(tutorial.LOG / "dqn.safetensors"))
    tutorial.watch(saved, saved)


@pytest.mark.slow("trains to a score")
def test_dqn_beats_random_at_pettingzoos_connect_four_from_either_seat():
    """6,000 steps, a seventh of what the script takes, of PettingZoo's own environment; 400 games from each seat."""
    pytest.importorskip("pygame", reason="PettingZoo's classic games need pygame: the dev extra installs it")
    assert script("pettingzoo_dqn").main(seed=0, steps=6_000) >= 0.8
