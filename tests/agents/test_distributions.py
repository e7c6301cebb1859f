"""Distributions: against torch's own, drawn from a generator of one's own."""

import numpy as np
import pytest
import torch
from torch.distributions import Beta, Categorical, Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

from agents.learning.distributions import (
    default_distribution,
    draw,
    draw_by_tensors,
    draw_from_logits,
    draw_rows,
    expectation,
    log_probability,
    log_tanh_slope,
)
from arena.base.errors import DivergedError, UsageError
from arena.policy.masking import mask_scores


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_squashed_gaussian_is_torchs_transformed_distribution():
    torch.manual_seed(0)
    mu, sigma = torch.randn(200, 3).double(), torch.rand(200, 3).double() + 0.1
    dist = default_distribution(mu, sigma)
    u = draw(dist, generator())
    squashed = TransformedDistribution(Independent(Normal(mu, sigma), 1), TanhTransform(cache_size=1))
    own = dist.log_prob(u) - log_tanh_slope(u).sum(dim=1)
    # torch inverts the tanh where it does not remember u, which loses digits near the bounds
    near = u.abs().amax(dim=1) < 4
    torch.testing.assert_close(own[near], squashed.log_prob(torch.tanh(u))[near], rtol=1e-6, atol=1e-6)
    assert near.sum() > 100


def test_the_slope_of_the_tanh_where_it_rounds_to_one():
    x = torch.tensor([-40.0, -3.0, 0.0, 3.0, 40.0], requires_grad=True)
    exact = np.log(1 - np.tanh(np.array([3.0, 0.0, 3.0])) ** 2)
    slopes = log_tanh_slope(x)
    np.testing.assert_allclose(slopes[1:4].detach(), exact, atol=1e-6)
    np.testing.assert_allclose(slopes[[0, 4]].detach(), 2 * (np.log(2) - 40), rtol=1e-6)
    slopes.sum().backward()
    np.testing.assert_allclose(x.grad, -2 * np.tanh(x.detach().numpy()), atol=1e-6)


def test_draws_have_the_distributions_moments_and_carry_its_gradient():
    mu, sigma = torch.tensor([1.0, -2.0], requires_grad=True), torch.tensor([0.5, 2.0], requires_grad=True)
    drawn = draw(default_distribution(mu.expand(50_000, 2), sigma.expand(50_000, 2)), generator())
    np.testing.assert_allclose(drawn.mean(dim=0).detach(), [1.0, -2.0], atol=0.03)
    np.testing.assert_allclose(drawn.std(dim=0).detach(), [0.5, 2.0], rtol=0.02)
    drawn.mean().backward()
    np.testing.assert_allclose(mu.grad, [0.5, 0.5], rtol=1e-5)
    assert sigma.grad.abs().max() < 0.01


@pytest.mark.parametrize("dist", [Categorical(logits=torch.zeros(100, 5)), Normal(torch.zeros(100), torch.ones(100))])
def test_a_seed_fixes_what_is_drawn(dist):
    torch.manual_seed(1)
    one = draw(dist, generator(7))
    torch.manual_seed(2)
    assert torch.equal(draw(dist, generator(7)), one)
    assert not torch.equal(draw(dist, generator(8)), one)


def test_an_expectation_leaves_out_what_cannot_happen():
    probs = torch.tensor([[0.25, 0.75, 0.0]], requires_grad=True)
    values = torch.tensor([[4.0, 8.0, float("inf")]])
    mean = expectation(probs, values)
    assert mean.item() == 7.0
    mean.backward()
    assert probs.grad.tolist() == [[4.0, 8.0, 0.0]]


def test_distributions_that_are_not_of_whole_actions_are_refused():
    each = Normal(torch.zeros(4, 2), torch.ones(4, 2))
    with pytest.raises(UsageError, match=r"log-probabilities of shape \(4, 2\) for 4 actions.*Independent"):
        log_probability(each, torch.zeros(4, 2))
    with pytest.raises(UsageError, match="dist_fn gave a Beta"):
        draw(Beta(torch.ones(3), torch.ones(3)), generator())


def test_rows_of_logits_are_torchs_categorical():
    torch.manual_seed(0)
    legal = torch.rand(300, 6) < 0.5
    legal[:, 3] = True
    act = torch.randint(6, (300,))
    found = []
    for make in (default_distribution, lambda scores: Categorical(logits=scores)):
        scores = torch.randn(300, 6, generator=generator(3)).requires_grad_()
        dist = make(mask_scores(scores, legal))
        taken = dist.log_prob(torch.where(legal[torch.arange(300), act], act, 3))
        (slope,) = torch.autograd.grad((taken + 0.3 * dist.entropy()).sum(), scores)
        found.append((taken, dist.entropy(), dist.probs, dist.mode, slope))
    for own, theirs in zip(*found, strict=True):
        torch.testing.assert_close(own, theirs)


def test_entries_are_drawn_as_often_as_they_should_be_and_impossible_ones_never():
    weights = torch.tensor([0.0, 3.0, 0.0, 1.0, 4.0, 0.0])
    drawn = draw(default_distribution(weights.log().expand(80_000, 6)), generator())
    counts = np.bincount(drawn, minlength=6)
    assert counts[[0, 2, 5]].sum() == 0
    expected = np.array([3.0, 1.0, 4.0]) * 10_000
    assert ((counts[[1, 3, 4]] - expected) ** 2 / expected).sum() < 13.8  # chi-square, 2 degrees: once in a thousand


def test_rounding_never_leads_past_the_last_possible_entry():
    probs = np.array([[0.1, 0.7, 0.2, 0.0], [0.0, 1e-30, 0.0, 0.0]], np.float32)
    assert draw_rows(probs, np.full(2, np.nextafter(1.0, 0.0))).tolist() == [2, 1]
    assert draw_rows(probs, np.zeros(2)).tolist() == [0, 1]


def test_scores_that_are_not_numbers_are_refused():
    scores = torch.tensor([[0.0, 1.0], [0.0, float("nan")]])
    with pytest.raises(UsageError, match="not numbers"):
        draw(default_distribution(scores), generator())


def test_a_device_draws_what_the_cpu_draws():
    """By other operations, which are tried here on tensors of the CPU."""
    rng = np.random.default_rng(0)
    probs = rng.random((5_000, 7), np.float32) * (rng.random((5_000, 7)) < 0.5)
    probs[:3] = 0.0
    for thresholds in (rng.random(5_000), np.zeros(5_000), np.full(5_000, np.nextafter(1.0, 0.0))):
        drawn = draw_by_tensors(torch.from_numpy(probs), torch.from_numpy(thresholds))
        np.testing.assert_array_equal(drawn.numpy(), draw_rows(probs, thresholds))
    assert draw_by_tensors(torch.full((1, 7), torch.nan), torch.zeros(1, dtype=torch.float64)).tolist() == [-1]


@pytest.mark.parametrize("masked", [False, True])
def test_rows_of_logits_give_what_their_distribution_gives(masked):
    rng = np.random.default_rng(3)
    logits = torch.from_numpy(rng.normal(scale=4.0, size=(5000, 9)).astype(np.float32))
    mask = rng.random((5000, 9)) < 0.5 if masked else np.ones((5000, 9), np.bool_)
    mask[:, 4] |= ~mask.any(axis=1)
    dist = default_distribution(mask_scores(logits, mask))
    act, logp = draw_from_logits(logits, mask if masked else None, generator(5))
    assert torch.equal(act, draw(dist, generator(5)))
    assert mask[np.arange(5000), act].all()
    torch.testing.assert_close(logp, dist.log_prob(act), rtol=1e-5, atol=1e-5)


def test_logits_however_far_apart_give_finite_log_probabilities():
    logits = torch.tensor([[3e38, -3e38, 0.0], [-3e38, -3e38, -3e38], [0.0, -np.inf, -np.inf]])
    act, logp = draw_from_logits(logits, None, generator())
    assert (act[0], act[2]) == (0, 0)
    np.testing.assert_allclose(logp, [0, -np.log(3), 0], atol=1e-6)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_row_with_what_is_no_number_is_diverged(wrong):
    logits = torch.tensor([[0.0, 1.0], [0.0, wrong]])
    with pytest.raises(DivergedError, match="not numbers"):
        draw_from_logits(logits, None, generator())
    act, _ = draw_from_logits(logits, np.array([[True, True], [True, False]]), generator())
    assert act[1] == 0
