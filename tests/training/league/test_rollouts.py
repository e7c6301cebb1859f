"""A training whose learners learn from rollouts of tensors is, byte for byte, the one that learns from arrays."""

import pytest

from agents.configs.on_policy import PPOConfig
from arena.collector.collector import Collector
from arena.collector.rollout_collector import RolloutCollector
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_game
from arena.training.evaluation import score_against
from arena.training.league.self_play import SelfPlayTraining
from tests.training.league.small import FULL, LEAGUE, left_behind, run_config, training

pytestmark = pytest.mark.full


@pytest.fixture
def from_arrays(monkeypatch):
    """Return a function that makes trainings learn from arrays, as where games are hosted."""

    def switch(on: bool) -> None:
        monkeypatch.undo()
        if on:
            monkeypatch.setattr("arena.training.league.matchups.device_of_games", lambda *_, **__: None)

    return switch


def learned(folder) -> dict[str, bytes]:
    """All files but the state to resume from, where what nobody reads may differ."""
    return {name: content for name, content in left_behind(folder).items() if not name.startswith("training/")}


@pytest.mark.parametrize("league", [LEAGUE, FULL])
def test_it_learns_what_is_learned_from_arrays(league, tmp_path, from_arrays):
    made = training("ppo", tmp_path / "rollouts", league)
    assert isinstance(made.current_learner.collector, RolloutCollector)
    made.train()
    from_arrays(True)
    other = training("ppo", tmp_path / "arrays", league)
    assert isinstance(other.current_learner.collector, Collector)
    other.train()
    assert learned(tmp_path / "rollouts") == learned(tmp_path / "arrays")


def test_it_learns_to_win(tmp_path):
    config = PPOConfig(batch_size=512, ent_coef=0.02)
    run = run_config(tmp_path / "run", steps=100_000, boards=256, moves=16, snapshots=1)
    made = SelfPlayTraining(make_game("tic_tac_toe"), "ppo", config, run)
    made.train()
    assert score_against(made.game, made.policy, RandomPolicy(seed=1), games=200, seed=1) > 0.85


def test_a_training_goes_on_with_the_other_kind(tmp_path, from_arrays):
    class CutError(Exception):
        pass

    def cut_at(limit):
        def watch(progress):
            if progress.step > limit:
                raise CutError

        return watch

    training("ppo", tmp_path / "whole", FULL).train()
    for number, limit in enumerate((3000, 5000, 7000, 9000)):
        from_arrays(number % 2 == 0)
        with pytest.raises(CutError):
            training("ppo", tmp_path / "cut", FULL, resume=number > 0).train(cut_at(limit))
    from_arrays(False)
    training("ppo", tmp_path / "cut", FULL, resume=True).train()
    assert learned(tmp_path / "cut") == learned(tmp_path / "whole")
