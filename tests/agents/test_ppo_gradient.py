"""PPO's loss in one pass, beside the one that autograd follows."""

import numpy as np
import pytest
import torch

from agents.algorithms.ppo import PPOPolicy
from agents.configs.on_policy import PPOConfig
from agents.learning.distributions import default_distribution
from agents.learning.ppo_gradient import LossOptions, has_kernel, loss_and_gradients
from agents.networks.common import Net
from agents.networks.discrete import Actor, Critic
from arena.base.errors import UsageError
from arena.data import Batch
from arena.policy.masking import mask_scores
from tests.agents.given import Given, Sum

CONFIGS = {
    "as it is": PPOConfig(),
    "two clips": PPOConfig(dual_clip=1.2, value_clip=True, ent_coef=0.3),
    "narrow clips": PPOConfig(eps_clip=0.05, value_clip=True, vf_coef=2.0),
    "raw advantages": PPOConfig(advantage_normalization=False, dual_clip=3.0),
}


def minibatch(n, num_actions, masked, stream):
    """Logits, values, and rows whose old probabilities are within and beyond the clip."""
    scores = torch.randn(n, num_actions, generator=stream) * 2
    part = {name: torch.randn(n, generator=stream) for name in ("adv", "returns", "v_s")}
    part["act"] = torch.randint(0, num_actions, (n,), generator=stream)
    if masked:
        part["mask"] = torch.rand(n, num_actions, generator=stream) < 0.5
        part["mask"][torch.arange(n), part["act"]] = True
    logp = default_distribution(mask_scores(scores, part.get("mask"))).log_prob(part["act"])
    part["logp_old"] = logp + torch.randn(n, generator=stream) * 0.3
    return scores, part["v_s"] + torch.randn(n, generator=stream) * 0.2, part


@pytest.mark.parametrize("config", CONFIGS.values(), ids=list(CONFIGS))
@pytest.mark.parametrize(
    ("n", "num_actions", "masked"), [(64, 2, False), (1, 3, True), (500, 7, True), (300, 90, True)]
)
def test_it_is_the_loss_that_autograd_follows(config, n, num_actions, masked):
    scores, value, part = minibatch(n, num_actions, masked, torch.Generator().manual_seed(n))
    figures, gradients = loss_and_gradients(scores, value, part, LossOptions.of(config))
    policy = PPOPolicy(Given(num_actions), Sum(), None, config=config)
    outputs = scores.requires_grad_(), value.requires_grad_()
    wanted = policy._loss(*outputs, part)
    assert list(figures) == list(wanted)
    for name, figure in wanted.items():
        assert figures[name].item() == pytest.approx(figure.item(), rel=1e-4, abs=1e-6), name
    for gradient, right in zip(gradients, torch.autograd.grad(wanted["loss"], outputs), strict=True):
        torch.testing.assert_close(gradient, right, rtol=1e-4, atol=1e-6)
        assert n == 1 or gradient.abs().max() > 0


def test_logits_in_any_order_of_memory():
    scores, value, part = minibatch(50, 4, True, torch.Generator().manual_seed(1))
    _, [right, _] = loss_and_gradients(scores, value, part, LossOptions.of(PPOConfig()))
    _, [gradient, _] = loss_and_gradients(scores.t().contiguous().t(), value, part, LossOptions.of(PPOConfig()))
    assert torch.equal(gradient, right)


@pytest.mark.parametrize("name", ["logp_old", "adv", "returns"])
def test_what_is_no_number_shows_in_the_loss(name):
    scores, value, part = minibatch(50, 4, True, torch.Generator().manual_seed(1))
    part[name][3] = torch.nan
    figures, _ = loss_and_gradients(scores, value, part, LossOptions.of(PPOConfig()))
    assert figures["loss"].isnan()


def test_logits_that_are_no_numbers_show_in_the_loss():
    for wrong in (torch.nan, torch.inf):
        scores, value, part = minibatch(50, 4, False, torch.Generator().manual_seed(1))
        scores[3, 2] = wrong
        figures, _ = loss_and_gradients(scores, value, part, LossOptions.of(PPOConfig()))
        assert figures["loss"].isnan()


@pytest.mark.parametrize("action", [4, -1])
def test_an_action_without_a_logit_is_refused(action):
    scores, value, part = minibatch(50, 4, False, torch.Generator().manual_seed(1))
    part["act"][7] = action
    with pytest.raises(UsageError, match=f"the actor gives 4 logits, of which none is for action {action}$"):
        loss_and_gradients(scores, value, part, LossOptions.of(PPOConfig()))


def test_other_numbers_of_rows_are_refused():
    scores, value, part = minibatch(50, 4, False, torch.Generator().manual_seed(1))
    with pytest.raises(UsageError, match="the network gives 49 rows of logits for 50 transitions"):
        loss_and_gradients(scores[1:], value[1:], part, LossOptions.of(PPOConfig()))


def test_what_the_kernel_takes():
    scores, value, _ = minibatch(50, 4, False, torch.Generator().manual_seed(1))
    assert has_kernel(scores, value)
    others = (scores.double(), value.double()), (scores[None], value), (scores, value[:, None]), (scores, value[1:])
    assert not any(has_kernel(*other) for other in others)


def test_a_critic_that_does_not_learn_is_left_alone():
    net = Net(4, hidden_sizes=(8,))
    actor, critic = Actor(net, 3, softmax_output=False), Critic(Net(4, hidden_sizes=(8,)))
    critic.requires_grad_(False)
    before = [parameter.clone() for parameter in (*actor.parameters(), *critic.parameters())]
    policy = PPOPolicy(actor, critic, torch.optim.SGD([*actor.parameters(), *critic.parameters()], 0.1))
    rng = np.random.default_rng(0)
    batch = Batch(obs=rng.normal(size=(20, 4)), act=rng.integers(0, 3, 20), adv=rng.normal(size=20))
    batch.logp_old, batch.v_s, batch.returns = np.full(20, -1.1), np.zeros(20), np.zeros(20)
    policy.learn(batch, batch_size=20, repeat=1)
    after = [*actor.parameters(), *critic.parameters()]
    moved = [not torch.equal(one, other) for one, other in zip(before, after, strict=True)]
    assert moved == [True] * 4 + [False] * 4
