"""Neural fictitious self-play: who plays a game, what is imitated, and what comes of it."""

import numpy as np
import pytest
import torch

from agents.algorithms.dqn import DQNPolicy
from agents.algorithms.nfsp import AVERAGE, BEST, NFSPPolicy
from agents.configs.value_based import NFSPConfig
from arena.base.errors import UsageError
from arena.data import Batch
from tests.agents.given import Given, positions, random_masks

pytestmark = pytest.mark.full

ACTIONS = 4


def policy_of(learns: bool = True, **options) -> NFSPPolicy:
    """The best response takes the highest score; the average draws by the same scores as logits."""
    model, average = Given(ACTIONS), Given(ACTIONS)
    optim = torch.optim.SGD(average.parameters(), 0.5) if learns else None
    best = DQNPolicy(model, torch.optim.SGD(model.parameters(), 0.1) if learns else None)
    policy = NFSPPolicy(
        best, average, optim, NFSPConfig(**{"eps": 0.0, "anticipatory": 0.1, "batch_size": 64} | options)
    )
    policy.reset(0)
    return policy


def asked(policy, scores, mask=None, state=None) -> Batch:
    with torch.no_grad():
        return policy.forward(Batch(obs=positions(scores, mask)), state)


def test_outside_of_training_the_average_plays():
    policy = policy_of(anticipatory=1.0).train(False)
    chances = np.array([0.1, 0.2, 0.7, 0.0])
    mask = np.tile([True, True, True, False], (20_000, 1))
    scores = np.tile(np.log([0.1, 0.2, 0.7, 9.0]), (20_000, 1))
    answer = asked(policy, scores, mask)
    np.testing.assert_allclose(answer.probs[0], chances, atol=1e-6)
    np.testing.assert_allclose(np.bincount(answer.act, minlength=4) / 20_000, chances, atol=0.01)
    assert "state" not in answer
    assert policy.reservoir.num_added == 0


def test_a_seat_keeps_its_part_for_the_whole_game():
    policy = policy_of(anticipatory=0.3)
    scores = np.zeros((10_000, ACTIONS))
    first = asked(policy, scores)
    assert np.mean(first.state.part == BEST) == pytest.approx(0.3, abs=0.02)
    assert set(np.unique(first.state.part)) == {BEST, AVERAGE}
    again = asked(policy, scores, state=first.state)
    np.testing.assert_array_equal(again.state.part, first.state.part)
    began = Batch(part=np.where(np.arange(10_000) % 2, first.state.part, 0).astype(np.int8))  # every other game is new
    parts = asked(policy, scores, state=began).state.part
    np.testing.assert_array_equal(parts[1::2], first.state.part[1::2])
    assert (parts[::2] != first.state.part[::2]).any()


def test_the_best_response_is_legal_kept_without_its_random_moves_and_explores():
    rng = np.random.default_rng(0)
    mask = random_masks(rng, 5000, ACTIONS)
    scores = rng.normal(size=mask.shape) + ~mask * 10
    policy = policy_of(anticipatory=1.0, eps=0.5, reservoir_size=10_000)
    act = asked(policy, scores, mask).act
    assert mask[np.arange(5000), act].all()
    best = np.where(mask, scores, -np.inf).argmax(axis=1)
    kept = policy.extra_state_dict().rows
    np.testing.assert_array_equal(kept.act, best)
    np.testing.assert_array_equal(kept.mask, mask)
    assert 0.05 < np.mean(act != best) < 0.5


def test_who_only_plays_keeps_nothing():
    policy = policy_of(learns=False, anticipatory=1.0).train(True)  # a snapshot that moves as it did in training
    asked(policy, np.zeros((10, ACTIONS)))
    assert policy.reservoir.num_added == 0


def test_the_average_becomes_what_the_best_response_has_done():
    policy = policy_of(anticipatory=1.0)
    done = np.repeat(np.arange(3), [100, 300, 600])
    rows = positions(np.ones((1000, ACTIONS)), np.tile([True, True, True, False], (1000, 1)))
    policy.reservoir.add(Batch(obs=rows.obs, mask=rows.mask, act=done), policy.rng)
    transitions = Batch(obs=rows[:8], act=done[:8], returns=torch.ones((8, 1)))
    for _ in range(400):
        figures = policy.learn(transitions.copy() if hasattr(transitions, "copy") else transitions)
    with torch.no_grad():
        logits = torch.where(torch.as_tensor(rows.mask[0]), policy.scores(torch.ones((1, ACTIONS)))[0], -torch.inf)
    np.testing.assert_allclose(logits.softmax(dim=0).numpy(), [0.1, 0.3, 0.6, 0.0], atol=0.06)
    assert set(figures) == {"loss/best", "loss/average", "grad_norm", "lr"}
    assert figures["loss/best"] < 0.01, "and the values go to their targets"


def test_what_it_remembers_is_taken_up_again():
    policy, other = policy_of(anticipatory=1.0), policy_of(anticipatory=1.0)
    asked(policy, np.random.default_rng(0).normal(size=(50, ACTIONS)))
    other.load_extra_state_dict(policy.extra_state_dict())
    np.testing.assert_array_equal(other.extra_state_dict().rows.act, policy.extra_state_dict().rows.act)
    assert other.extra_state_dict().seen == 50


@pytest.mark.parametrize(
    "wrong", [{"anticipatory": 1.5}, {"eps": -0.1}, {"reservoir_size": 0}, {"average_learning_rate": 0.0}]
)
def test_wrong_options_are_refused_by_name(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        NFSPConfig(**wrong)
