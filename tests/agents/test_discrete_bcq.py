"""Discrete BCQ: which actions count, its losses in closed form, and what is refused."""

import numpy as np
import pytest
import torch

from agents.algorithms.discrete_bcq import DiscreteBCQPolicy
from agents.networks.common import Recurrent
from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer
from tests.agents.given import Given, positions

ACTIONS = 4


class Fixed(Given):
    """The same logits for every observation."""

    def __init__(self, logits):
        super().__init__(len(logits))
        self.logits = torch.tensor(logits)

    def forward(self, s, state=None, info=None):
        return (self.logits * self.weight).expand(len(s), -1), state


def policy_of(chances, **options) -> DiscreteBCQPolicy:
    """Q-values are the observations; the imitator takes each action with these chances."""
    model, imitator = Given(ACTIONS), Fixed(np.log(chances).tolist())
    optim = torch.optim.SGD([model.weight, imitator.weight], 0.1)
    return DiscreteBCQPolicy(model, imitator, optim, **options)


def test_unlikely_actions_are_not_taken():
    obs = positions([[1.0, 2.0, 3.0, 4.0]] * 2, [[True] * 4, [True, False, True, True]])
    for threshold, best in ((0.0, [3, 3]), (0.05, [2, 2]), (0.3, [1, 0]), (0.9, [1, 0])):
        policy = policy_of([0.3, 0.6, 0.09, 0.01], unlikely_action_threshold=threshold)
        assert policy(Batch(obs=obs)).act.tolist() == best, threshold


def test_targets_look_at_likely_legal_actions_only():
    buffer = ReplayBuffer(1)
    obs, after = positions([[0.0] * 4])[0], positions([[1.0, 2.0, 3.0, 4.0]], [[True, True, True, False]])[0]
    buffer.add(Batch(obs=obs, act=0, rew=1.0, terminated=False, truncated=False, obs_next=after))
    indices = np.array([0])
    policy = policy_of([0.3, 0.2, 0.01, 0.49], discount_factor=0.5)
    policy.model_old.weight.data.mul_(10)
    assert policy.process_fn(buffer[indices], buffer, indices).returns.item() == 1 + 0.5 * 20


def test_the_losses_are_those_of_the_paper():
    chances, mask = np.array([0.1, 0.2, 0.3, 0.4]), np.array([[True] * 4, [True, False, True, True]])
    policy = policy_of(chances, imitation_logits_penalty=0.5)
    batch = Batch(obs=positions([[1.0, 2, 3, 4]] * 2, mask), act=np.array([1, 2]), returns=torch.tensor([[2.5], [6.0]]))
    figures = policy.learn(batch)
    logits = np.log(chances)
    imitation = -np.mean([np.log(0.2), np.log(0.3 / 0.8)])
    size = np.concatenate([logits, logits[mask[1]]]) ** 2
    assert figures["loss/q"] == pytest.approx((0.125 + 2.5) / 2)
    assert figures["loss/i"] == pytest.approx(imitation, rel=1e-5)
    assert figures["loss/reg"] == pytest.approx(size.mean(), rel=1e-5)
    assert figures["loss"] == pytest.approx(1.3125 + imitation + 0.5 * size.mean(), rel=1e-5)
    np.testing.assert_allclose(batch.weight, [0.5, 3.0])


def test_both_networks_remember_what_they_saw():
    torch.manual_seed(0)
    policy = DiscreteBCQPolicy(Recurrent(1, 3, ACTIONS), Recurrent(1, 3, ACTIONS), None).eval()
    seen, state = np.random.default_rng(0).normal(size=(2, 5, 3)), None
    for t in range(5):
        answer = policy(Batch(obs=seen[:, t]), state)
        state = answer.state
    whole = policy(Batch(obs=seen))
    for key in ("logits", "imitation_logits"):
        torch.testing.assert_close(answer[key], whole[key])
    assert set(state.keys()) == {"model", "imitator"}


def test_it_explores_as_rarely_as_it_is_told():
    assert policy_of([0.25] * 4).eps == 0.001
    assert policy_of([0.25] * 4, eval_eps=0.2).eps == 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_update_freq": 0}, "target_update_freq=0 is not at least 1"),
        ({"unlikely_action_threshold": 1.0}, "must be below 1"),
        ({"unlikely_action_threshold": -0.1}, "unlikely_action_threshold=-0.1 is not between 0 and 1"),
        ({"imitation_logits_penalty": -1.0}, "imitation_logits_penalty=-1.0 is not at least 0"),
        ({"eval_eps": 2.0}, "eps=2.0 is not between 0 and 1"),
    ],
)
def test_options_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        policy_of([0.25] * 4, **options)
