"""A learner goes back to its beginnings when its role says so."""

import numpy as np
import pytest
import torch

from arena.policy.optimizer import optimizers_of
from arena.training.league.roles import RESET_PROBABILITY
from arena.training.league.self_play import SelfPlayTraining
from arena.training.league.turns import after_reset
from tests.training.league.small import FULL, training

pytestmark = pytest.mark.full


def test_who_begins_anew_is_as_it_was_at_first(tmp_path):
    made = training("dqn", tmp_path / "run", FULL)
    learner = made.learners[1]
    first = [p.detach().clone() for p in learner.policy.parameters()]

    class EnoughError(Exception):
        pass

    def watch(progress):
        if len(learner.collector.buffer) > 500:
            raise EnoughError

    with pytest.raises(EnoughError):
        made.train(watch)
    (optimizer,) = optimizers_of(learner.policy)
    assert optimizer.state_dict()["state"]
    assert not all(torch.equal(a, b) for a, b in zip(first, learner.policy.parameters(), strict=True))
    made.league.training.add("main-exploiter", "main", 30, 0, 0)
    learner.record.parent = "main-exploiter-0001"
    random = torch.random.get_rng_state()
    learner.restart(made.setup.build_policy_from, seed=5)
    after_reset(made.league, learner.record)
    assert all(torch.equal(a, b) for a, b in zip(first, learner.policy.parameters(), strict=True))
    assert not optimizer.state_dict()["state"]
    assert len(learner.collector.buffer) == 0
    assert made.league.training.recent_scores("main-exploiter", ["main"]) == [0.5]
    assert (learner.record.resets, learner.record.parent) == (1, None)
    assert torch.equal(torch.random.get_rng_state(), random), "nobody else's random numbers are touched"


def test_who_begins_anew_and_how_often(tmp_path, monkeypatch):
    assert RESET_PROBABILITY == {"main": 0.0, "main exploiter": 1.0, "league exploiter": 0.25}
    monkeypatch.setattr(
        "arena.training.league.self_play.RESET_PROBABILITY", RESET_PROBABILITY | {"league exploiter": 1.0}
    )
    made: SelfPlayTraining = training("ppo", tmp_path / "run", FULL, snapshots=2)
    made.train()
    resets = {learner.role: learner.resets for learner in made.league.learners}
    joined = {role: sum(member.role == role for member in made.league.members) for role in resets}
    assert resets == joined | {"main": 0}
    assert resets["league exploiter"] > 0


def test_steps_of_main_agents_become_smaller_and_those_of_exploiters_do_not(tmp_path):
    made = training("ppo", tmp_path / "run", FULL)
    rates = {learner.record.role: [] for learner in made.learners}

    def watch(progress):
        (optimizer,) = optimizers_of(made.current_learner.policy)
        rates[made.current_learner.record.role].append(optimizer.param_groups[0]["lr"])

    made.train(watch)
    assert (np.diff(rates["main"]) < 0).all()
    assert rates["main"][-1] < 0.3 * rates["main"][0]
    assert len(set(rates["main exploiter"] + rates["league exploiter"])) == 1
