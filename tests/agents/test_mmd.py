"""Magnetic mirror descent: its update in closed form, and what plays."""

import numpy as np
import pytest
import torch
from torch import nn

from agents.algorithms.mmd import MMDPolicy
from agents.configs.on_policy import MMDConfig
from agents.networks.discrete import Actor, Critic
from arena.base.errors import UsageError
from arena.data import Batch
from tests.agents.given import positions, random_masks

pytestmark = pytest.mark.full

ACTIONS = 3


class Bare(nn.Module):
    """Features are the observation."""

    output_dim = ACTIONS

    def forward(self, s, state=None, info=None):
        return torch.as_tensor(s, dtype=torch.float32), state


def policy_of(lr: float = 0.0, **options) -> MMDPolicy:
    """Logits are the observation, whatever is done returns 0, until it has learned; one gradient step is plain."""
    body = Bare()
    actor, critic = Actor(body, ACTIONS, softmax_output=False), Critic(body, last_size=ACTIONS)
    with torch.no_grad():
        for layer, weight in ((actor.last, torch.eye(ACTIONS)), (critic.last, torch.zeros(ACTIONS, ACTIONS))):
            (linear,) = [part for part in layer.modules() if isinstance(part, nn.Linear)]
            linear.weight.copy_(weight)
            linear.bias.zero_()
    optim = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr)
    policy = MMDPolicy(actor, critic, optim, MMDConfig(**{"vf_coef": 0.0, "max_grad_norm": None} | options))
    policy.reset(0)
    return policy


def collected(policy, scores, returns, mask=None) -> Batch:
    """Return a batch that covers all actions: observed scores [n, A], returns [n] of the actions taken."""
    obs = positions(scores, mask)
    with torch.no_grad():
        answer = policy.forward(Batch(obs=obs))
    return Batch(obs=obs, act=answer.act, returns=np.asarray(returns, float), logits_old=answer.policy.logits.numpy())


def test_what_it_does_is_legal_and_as_likely_as_it_says():
    rng = np.random.default_rng(0)
    mask = random_masks(rng, 5000, ACTIONS)
    answer = policy_of().forward(Batch(obs=positions(rng.normal(size=mask.shape) + ~mask * 9, mask)))
    assert mask[np.arange(5000), answer.act].all()
    assert not answer.probs[~mask].any()
    np.testing.assert_allclose(answer.policy.logits.exp().detach().numpy(), answer.probs, atol=1e-6)


def test_the_value_of_a_position_is_what_the_policy_earns_by_the_critic():
    policy = policy_of()
    with torch.no_grad():
        policy.critic.last.model[0].bias.copy_(torch.tensor([1.0, 2.0, 50.0]))
    scores, mask = np.log([[0.25, 0.75, 9.0]]), np.array([[True, True, False]])
    answer = policy.forward(Batch(obs=positions(scores, mask)))
    assert answer.value[0] == pytest.approx(1.75)
    assert policy.values(positions(scores, mask))[0] == pytest.approx(1.75)


def settled(policy, scores, q, steps=3000) -> np.ndarray:
    """The policy [A] after many small steps against fixed values of the actions, the same ones everywhere."""
    with torch.no_grad():
        policy.critic.last.model[0].bias.copy_(torch.as_tensor(q))
    batch = collected(policy, np.tile(scores, (64, 1)), np.tile([1.0, -1.0], 32))  # the deviation of returns is 1
    policy.learn(batch, batch_size=64, repeat=steps)
    with torch.no_grad():
        answer = policy.forward(Batch(obs=positions(np.asarray(scores)[None])))
    return np.asarray(answer.probs[0])


def test_an_update_goes_where_the_paper_says():
    """Algorithm 3.1 with entropy, solved: pi goes with (old^(1/eta) e^q)^(1 / (alpha + 1/eta)), a uniform magnet."""
    policy = policy_of(lr=0.2, temperature=0.5, step_ratio=4 / 3, max_weight=0.0, max_grad_norm=None)  # 1/eta = 1.5
    old, q = np.log([0.5, 0.3, 0.2]), np.array([0.5, -1.0, 1.5])
    weights = np.exp((1.5 * old + q) / 2.0)
    np.testing.assert_allclose(settled(policy, old, q), weights / weights.sum(), atol=2e-3)


def test_the_temperature_falls_with_the_learning_rate():
    policy = policy_of(lr=0.4, temperature=0.5, final_temperature=0.1)
    assert policy.temperature == pytest.approx(0.5)
    policy.optim.param_groups[0]["lr"] = 0.1
    assert policy.temperature == pytest.approx(0.2)


def test_what_plays_follows_the_policy():
    policy = policy_of(lr=0.5, average_rate=0.25)
    with torch.no_grad():
        policy.critic.last.model[0].bias.copy_(torch.tensor([1.0, 0.0, -1.0]))
    before = policy.average.last.model[0].bias.clone()
    policy.learn(collected(policy, np.zeros((8, ACTIONS)), np.tile([1.0, -1.0], 4)), batch_size=8, repeat=1)
    now = policy.actor.last.model[0].bias.detach()
    assert not torch.equal(now, before)
    torch.testing.assert_close(policy.average.last.model[0].bias, before + 0.25 * (now - before))
    obs = positions(np.zeros((1, ACTIONS)))
    trained, tested = [policy.train(mode).forward(Batch(obs=obs)).probs[0] for mode in (True, False)]
    np.testing.assert_allclose(trained, now.softmax(dim=0).numpy(), atol=1e-6)
    np.testing.assert_allclose(tested, (0.25 * now).softmax(dim=0).numpy(), atol=1e-6)


@pytest.mark.parametrize("max_weight", [0.0, 1.0, 100.0])
def test_what_the_critic_says_is_put_right_by_what_came_of_the_action(max_weight):
    """By (G - Q) / pi of the action taken, with a bound; then the mean over actions drawn is the true gain."""
    policy = policy_of(max_weight=max_weight)
    with torch.no_grad():
        policy.critic.last.model[0].bias.copy_(torch.tensor([1.0, 2.0, 3.0]))
    chances, worth = np.array([0.1, 0.3, 0.6]), np.array([5.0, 0.0, 2.0])
    batch = collected(policy, np.tile(np.log(chances), (50_000, 1)), np.zeros(50_000))
    batch.returns = worth[batch.act]
    weight = np.minimum(1 / chances, max_weight)
    expected = np.sum(chances * (np.array([1.0, 2.0, 3.0]) + chances * weight * (worth - [1.0, 2.0, 3.0])))
    gain = policy.learn(batch, batch_size=50_000, repeat=1)["gain"][0]
    assert gain == pytest.approx(expected, abs=0.02)
    if max_weight == 100.0:
        assert gain == pytest.approx(chances @ worth, abs=0.02)


def test_the_critic_learns_what_was_done_alone_and_the_policy_does_not_change_it():
    policy = policy_of(lr=0.01, vf_coef=1.0, max_weight=0.0, max_grad_norm=None)
    scores = np.tile([5.0, -5.0, -5.0], (32, 1))  # the first action is as good as certain
    batch = collected(policy, scores, np.tile([1.0, 3.0], 16))
    assert not batch.act.any()
    policy.learn(batch, batch_size=32, repeat=500)
    assert policy.values(batch.obs)[0] == pytest.approx(2.0, abs=0.05)
    bias = policy.critic.last.model[0].bias.detach().numpy()
    np.testing.assert_array_equal(bias[1:], 0.0)


@pytest.mark.parametrize(
    "wrong", [{"temperature": 0.0}, {"step_ratio": 0.0}, {"gae_lambda": 2.0}, {"average_rate": -0.1}]
)
def test_wrong_options_are_refused_by_name(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        MMDConfig(**wrong)
