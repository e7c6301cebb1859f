"""The figures by which a training is judged, against computations by hand."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.distributions import Categorical

from agents.algorithms.ppo import PPOPolicy
from agents.configs.on_policy import PPOConfig
from agents.learning.figures import approximate_kl, clip_fraction, explained_variance, mean_entropy
from agents.learning.gradients import descend
from agents.networks.discrete import Actor, Critic
from arena.data import Batch
from arena.policy.registry import learning_algorithm
from tests.training.small import gym_run


def test_the_norm_is_that_of_the_whole_gradient_before_it_is_clipped():
    a, b = nn.Parameter(torch.tensor([1.0, 2.0])), nn.Parameter(torch.tensor(3.0))
    optim = torch.optim.SGD([a, b], 0.5)
    step = descend(3 * a[0] + 4 * a[1] + 12 * b, optim)  # the gradient is (3, 4, 12)
    assert step == {"grad_norm": pytest.approx(13.0), "lr": 0.5}
    step = descend(3 * a[0] + 4 * a[1] + 12 * b, optim, max_norm=1.0)
    assert step["grad_norm"] == pytest.approx(13.0)
    assert b.grad == pytest.approx(12 / 13, rel=1e-5)


def test_the_divergence_is_estimated_from_the_ratios():
    ratios = torch.tensor([0.5, 1.0, 2.0])
    by_hand = (0.5 - 1 - math.log(0.5) + 0 + 2 - 1 - math.log(2.0)) / 3
    assert approximate_kl(ratios.log()) == pytest.approx(by_hand)
    # under the old policy (1/2, 1/2) its mean is KL(old || new), here with the new policy (1/4, 3/4)
    both = torch.tensor([0.25 / 0.5, 0.75 / 0.5]).log()
    assert approximate_kl(both) == pytest.approx(0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75))


def test_the_clip_fraction_counts_ratios_beyond_the_range():
    assert clip_fraction(torch.tensor([0.7, 0.81, 1.0, 1.19, 1.21]), 0.2) == pytest.approx(2 / 5)


def test_the_explained_variance_of_a_critic():
    returns = np.array([1.0, 2.0, 3.0, 4.0])
    assert explained_variance(returns, returns) == 1.0
    assert explained_variance(np.full(4, 7.0), returns) == 0.0
    # errors -1, 1, -1, 1 of variance 1, returns of variance 5/4
    assert explained_variance(returns + np.array([1.0, -1.0, 1.0, -1.0]), returns) == pytest.approx(1 - 1 / 1.25)
    assert explained_variance(np.array([1.0, 2.0]), np.array([5.0, 5.0])) == 0.0


def test_the_entropy_is_left_out_where_there_is_no_formula():
    chances = torch.tensor([[0.5, 0.5], [1.0, 0.0]])
    assert mean_entropy(Categorical(chances)) == {"entropy": pytest.approx(math.log(2) / 2, rel=1e-5)}
    squashed = torch.distributions.TransformedDistribution(
        torch.distributions.Normal(0.0, 1.0), [torch.distributions.TanhTransform()]
    )
    assert mean_entropy(squashed) == {}


class Body(nn.Module):
    output_dim = 2

    def forward(self, s, state=None, info=None):
        return torch.as_tensor(s, dtype=torch.float32), state


def test_ppo_tells_how_far_it_went_and_what_its_critic_explains():
    actor, critic = Actor(Body(), 2, softmax_output=False), Critic(Body())
    with torch.no_grad():
        for layer in (actor.last, critic.last):
            for parameter in layer.parameters():
                parameter.zero_()
    optim = torch.optim.SGD([*actor.parameters(), *critic.parameters()], 0.125)
    policy = PPOPolicy(actor, critic, optim, config=PPOConfig(advantage_normalization=False, max_grad_norm=None))
    old = np.array([0.8, 0.5, 0.3])  # of the actions taken; the new policy draws either with 1/2
    batch = Batch(obs=np.ones((3, 2)), act=np.array([0, 1, 0]), logp_old=np.log(old), adv=np.zeros(3))
    batch.returns, batch.v_s = np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 3.0])
    figures = policy.learn(batch, batch_size=3, repeat=1)
    ratios = 0.5 / old
    assert figures["kl"] == [pytest.approx(np.mean(ratios - 1 - np.log(ratios)), rel=1e-5)]
    assert figures["clip_fraction"] == [pytest.approx(2 / 3)]
    assert figures["entropy"] == [pytest.approx(math.log(2))]
    assert figures["explained_variance"] == [pytest.approx(1 - np.var([0.0, 1.0, 3.0]) / np.var([1.0, 2.0, 6.0]))]
    # the critic gives 0 everywhere: d/db mean (b - r)^2 / 2 = -mean r, the same for both its weights
    mean = float(batch.returns.mean())
    assert figures["grad_norm"] == [pytest.approx(math.sqrt(3 * mean**2), rel=1e-5)]
    assert figures["lr"] == [0.125]


@pytest.mark.full
@pytest.mark.parametrize("name", ["a2c", "npg", "trpo", "pg", "dqn", "rainbow", "discrete-sac"])
def test_every_learner_tells_its_learning_rate_and_gradient(name, tmp_path):
    run = gym_run(name, "CartPole-v1", tmp_path / name, snapshots=1, steps=60)
    run.train()
    last = run.trainer.at.last
    assert last["grad_norm"] > 0
    assert 0 < last["lr"] <= learning_algorithm(name).config().learning_rate
    if learning_algorithm(name).data == "on-policy":
        assert last["entropy"] >= 0
