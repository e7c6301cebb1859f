"""Natural gradients: linear algebra against numpy's, the Fisher matrix against its definition, the line search."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.distributions import kl_divergence

from agents.algorithms.npg import NPGPolicy
from agents.algorithms.trpo import TRPOPolicy, line_search
from agents.learning.distributions import default_distribution
from agents.learning.natural_gradient import assign, conjugate_gradient, fisher_product, flat, slope, surrogate
from agents.learning.stochastic import tensors
from agents.networks.common import Net
from agents.networks.continuous import ActorProb
from agents.networks.discrete import Actor, Critic
from arena.base.errors import UsageError
from arena.data import Batch
from arena.policy.masking import mask_scores
from tests.agents.given import positions, random_masks

ACTIONS, ROWS = 4, 12


def actor_of(seed: int = 0, features: int = 3) -> Actor:
    torch.manual_seed(seed)
    net = Net(ACTIONS, hidden_sizes=(features,), activation=nn.Tanh)
    return Actor(net, ACTIONS, softmax_output=False).double()


def seen_and_mask() -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(0)
    return torch.as_tensor(rng.normal(size=(ROWS, ACTIONS))), torch.as_tensor(random_masks(rng, ROWS, ACTIONS))


@pytest.mark.parametrize("size", [1, 7, 40])
def test_the_conjugate_gradient_solves(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size))
    matrix, b = root @ root.T + 0.5 * np.eye(size), rng.normal(size=size)
    product = torch.as_tensor(matrix)
    x = conjugate_gradient(lambda v: product @ v, torch.as_tensor(b), iterations=4 * size, tolerance=1e-24)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-6, atol=1e-8)


def test_few_iterations_of_the_conjugate_gradient_are_the_best_in_their_space():
    """After k steps: the minimum of x^T A x / 2 - b^T x over the span of b, A b, ..., A^(k-1) b."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(9, 9))
    matrix, b = root @ root.T + np.eye(9), rng.normal(size=9)
    krylov = np.stack([np.linalg.matrix_power(matrix, k) @ b for k in range(4)], axis=1)
    best = krylov @ np.linalg.solve(krylov.T @ matrix @ krylov, krylov.T @ b)
    product = torch.as_tensor(matrix)
    x = conjugate_gradient(lambda v: product @ v, torch.as_tensor(b), iterations=4)
    np.testing.assert_allclose(x, best, rtol=1e-6)


def test_nothing_to_solve():
    assert torch.equal(conjugate_gradient(lambda v: v * 0, torch.zeros(3), iterations=10), torch.zeros(3))


def explicit_fisher(actor: Actor, seen: torch.Tensor, mask: torch.Tensor) -> np.ndarray:
    """The mean over states of sum_a pi(a) grad log pi(a) (grad log pi(a))^T, legal actions alone."""
    parameters = list(actor.parameters())
    total = 0.0
    for row in range(len(seen)):
        dist = default_distribution(mask_scores(actor(seen[row : row + 1])[0], mask[row : row + 1]))
        for act in np.flatnonzero(mask[row]):
            score = slope(dist.log_prob(torch.tensor([int(act)])).sum(), parameters)
            total = total + dist.probs[0, act].item() * torch.outer(score, score)
    return (total / len(seen)).numpy()


def test_the_fisher_product_is_that_of_the_explicit_matrix():
    actor, (seen, mask) = actor_of(), seen_and_mask()
    parameters = list(actor.parameters())
    fisher = explicit_fisher(actor, seen, mask)
    dist = default_distribution(mask_scores(actor(seen)[0], mask))
    with torch.no_grad():
        before = default_distribution(mask_scores(actor(seen)[0], mask))
    product = fisher_product(kl_divergence(before, dist).mean(), parameters, damping=0.1)
    for _ in range(3):
        vector = torch.randn(len(fisher), dtype=torch.float64)
        expected = fisher @ vector.numpy() + 0.1 * vector.numpy()
        np.testing.assert_allclose(product(vector), expected, rtol=1e-6, atol=1e-10)


def test_the_fisher_matrix_of_normal_actions_in_their_mean_and_deviation():
    """1 / sigma^2 for the mean, 2 for the logarithm of the deviation."""
    mu = nn.Parameter(torch.tensor([0.3, -1.0]).double())
    log_sigma = nn.Parameter(torch.tensor([0.2, -0.5]).double())
    dist = default_distribution(mu[None], log_sigma.exp()[None])
    before = default_distribution(mu[None].detach(), log_sigma.exp()[None].detach())
    product = fisher_product(kl_divergence(before, dist).mean(), [mu, log_sigma], damping=0.0)
    diagonal = [product(unit)[i].item() for i, unit in enumerate(torch.eye(4).double())]
    np.testing.assert_allclose(diagonal, [*np.exp(-2 * np.array([0.2, -0.5])), 2.0, 2.0], rtol=1e-6)


def test_parameters_are_taken_from_one_vector():
    actor = actor_of()
    parameters = list(actor.parameters())
    vector = torch.arange(flat(parameters).numel(), dtype=torch.float64)
    assign(parameters, vector)
    assert torch.equal(flat(parameters).detach(), vector)


@pytest.mark.parametrize(
    ("losses", "kls", "expected", "tried"),
    [
        ([-1.0], [0.01], (1.0, 0.01), [1.0]),
        ([-1.0, -0.8], [0.02, 0.009], (0.5, 0.009), [1.0, 0.5]),  # too far at first
        ([0.3, -0.1], [0.001, 0.001], (0.5, 0.001), [1.0, 0.5]),  # worse at first
        ([0.0, -1.0, -1.0, 9.0], [0.0, 1.0, float("nan"), 0.0], (0.0, 0.0), [1.0, 0.5, 0.25, 0.0]),
    ],
)
def test_the_line_search_takes_the_first_step_that_helps_within_the_trust_region(losses, kls, expected, tried):
    asked = []

    def outcome(step):
        asked.append(step)
        return losses[len(asked) - 1], kls[len(asked) - 1]

    assert line_search(outcome, 0.0, max_kl=0.01, step_size=1.0, coefficient=0.5, tries=3) == expected
    assert asked == tried


def batch_of(actor: Actor, seed: int = 0) -> Batch:
    """A processed batch of what the actor did, with random advantages."""
    seen, mask = seen_and_mask()
    rng = np.random.default_rng(seed)
    dist = default_distribution(mask_scores(actor(seen)[0], mask))
    act = dist.sample()
    batch = Batch(obs=positions(seen, mask), act=act.numpy(), adv=rng.normal(size=ROWS), returns=rng.normal(size=ROWS))
    batch.logp_old = dist.log_prob(act).detach().numpy()
    return batch


def test_a_step_of_npg_is_the_natural_gradient():
    actor, critic = actor_of(), Critic(Net(ACTIONS, hidden_sizes=(3,)))
    batch = batch_of(actor)
    actor.float()
    policy = NPGPolicy(actor, critic, torch.optim.Adam(critic.parameters()), actor_step_size=0.3)
    policy.natural_gradient.iterations = 200
    reference = actor_of()
    seen, mask = seen_and_mask()
    parameters = list(reference.parameters())
    dist = default_distribution(mask_scores(reference(seen)[0], mask))
    gain = (dist.log_prob(torch.as_tensor(batch.act)) * torch.as_tensor(batch.adv)).mean()
    gradient = slope(gain, parameters).numpy()
    fisher = explicit_fisher(reference, seen, mask) + policy.natural_gradient.damping * np.eye(len(gradient))
    expected = flat(parameters).detach().numpy() + 0.3 * np.linalg.solve(fisher, gradient)
    figures = policy.learn(batch, batch_size=ROWS, repeat=1)
    np.testing.assert_allclose(flat(list(actor.parameters())).detach(), expected, atol=2e-4)
    told = ("loss/actor", "loss/vf", "kl", "entropy", "grad_norm", "lr")
    assert {key: len(value) for key, value in figures.items()} == dict.fromkeys(told, 1)


def test_a_step_of_trpo_stays_within_its_trust_region():
    for seed in range(5):
        actor, critic = actor_of(seed), Critic(Net(ACTIONS, hidden_sizes=(3,)))
        batch = batch_of(actor, seed)
        actor.float()
        before = flat(list(actor.parameters())).detach().clone()
        policy = TRPOPolicy(actor, critic, torch.optim.Adam(critic.parameters()), max_kl=0.003)
        figures = policy.learn(batch, batch_size=ROWS, repeat=1)
        assert 0 < figures["kl"][0] <= 0.003
        assert figures["step_size"][0] > 0
        _, after = surrogate(actor, policy.sampler, tensors(batch, ("adv", "returns", "logp_old"), policy.device))
        assert after.item() < figures["loss/actor"][0]
        assert not torch.equal(flat(list(actor.parameters())), before)


def test_trpo_stays_where_no_step_helps():
    actor, critic = actor_of(), Critic(Net(ACTIONS, hidden_sizes=(3,)))
    batch = batch_of(actor)
    actor.float()
    batch.adv = np.zeros(ROWS)
    before = flat(list(actor.parameters())).detach().clone()
    figures = TRPOPolicy(actor, critic, torch.optim.Adam(critic.parameters())).learn(batch, ROWS, 1)
    assert (figures["step_size"], figures["kl"]) == ([0.0], [0.0])
    assert torch.equal(flat(list(actor.parameters())).detach(), before)


def test_the_critic_is_fitted_apart():
    actor, critic = actor_of(), Critic(Net(ACTIONS, hidden_sizes=(16,)))
    batch = batch_of(actor)
    actor.float()
    policy = NPGPolicy(actor, critic, torch.optim.Adam(critic.parameters(), 1e-2), optim_critic_iters=200)
    assert policy.learn(batch, ROWS, 1)["loss/vf"][0] < 0.5 * batch.returns.var()
    shared = Net(3, hidden_sizes=(4,))
    with pytest.raises(UsageError, match="share no parameters"):
        NPGPolicy(Actor(shared, 2, softmax_output=False), Critic(shared), None)


def test_continuous_actions_take_natural_steps_too():
    torch.manual_seed(0)
    actor, critic = ActorProb(Net(3, hidden_sizes=(8,)), 2, unbounded=True), Critic(Net(3, hidden_sizes=(8,)))
    policy = TRPOPolicy(actor, critic, torch.optim.Adam(critic.parameters()))
    policy.reset(0)
    result = policy.forward(Batch(obs=np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)))
    batch = Batch(obs=np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32), act=result.act)
    batch.adv = -np.square(result.act).sum(axis=1)  # small actions are better
    batch.adv -= batch.adv.mean()
    batch.logp_old, batch.returns = result.policy.logp.detach().numpy(), np.zeros(64)
    before = actor(batch.obs)[0][1].mean().item()
    figures = policy.learn(batch, 64, 10)
    assert max(figures["kl"]) <= 0.01
    assert actor(batch.obs)[0][1].mean().item() < before - 0.05


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (TRPOPolicy, {"max_kl": 0.0}, "max_kl=0.0 is not above 0"),
        (TRPOPolicy, {"backtrack_coeff": 1.2}, "backtrack_coeff=1.2 is not between 0 and 1"),
        (TRPOPolicy, {"max_backtracks": 0}, "max_backtracks=0 is not at least 1"),
        (NPGPolicy, {"actor_step_size": 0.0}, "actor_step_size=0.0 is not above 0"),
        (NPGPolicy, {"optim_critic_iters": 0}, "optim_critic_iters=0 is not at least 1"),
        (NPGPolicy, {"discount_factor": 1.5}, "discount_factor=1.5 is not between 0 and 1"),
    ],
)
def test_options_that_mean_nothing(kind, options, message):
    with pytest.raises(UsageError, match=message):
        kind(actor_of(), Critic(Net(ACTIONS, hidden_sizes=(3,))), None, **options)
