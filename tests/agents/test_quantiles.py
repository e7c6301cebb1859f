"""Projections, quantile losses and the slope of fractions, against slow plain references."""

import math

import numpy as np
import pytest
import torch

from agents.algorithms.c51 import project
from agents.algorithms.fqf import w1_slope
from agents.learning.value_learning import quantile_huber_loss


def slow_projection(probs, places, support):
    """Algorithm 1 of arXiv 1707.06887, atom by atom."""
    n, atoms = probs.shape
    v_min, v_max, step = support[0], support[-1], support[1] - support[0]
    out = np.zeros((n, atoms))
    for row in range(n):
        for j in range(atoms):
            b = (min(max(places[row, j], v_min), v_max) - v_min) / step
            low, high = math.floor(b), math.ceil(b)
            if low == high:
                out[row, low] += probs[row, j]
            else:
                out[row, low] += probs[row, j] * (high - b)
                out[row, high] += probs[row, j] * (b - low)
    return out


@pytest.mark.parametrize("atoms", [2, 5, 51])
def test_the_projection_is_that_of_the_paper(atoms):
    rng = np.random.default_rng(atoms)
    support = torch.linspace(-2, 3, atoms, dtype=torch.float64)
    probs = rng.dirichlet(np.ones(atoms), size=30)
    places = rng.normal(size=(30, 1)) * 3 + rng.uniform(0, 1, size=(30, 1)) * support.numpy()
    places[0], places[1] = support.numpy(), 7.0  # on the atoms, and beyond them
    got = project(torch.as_tensor(probs), torch.as_tensor(places), support)
    np.testing.assert_allclose(got, slow_projection(probs, places, support.numpy()), atol=1e-9)
    np.testing.assert_allclose(got.sum(dim=1), 1.0)
    np.testing.assert_allclose(got[0], probs[0], atol=1e-9)
    np.testing.assert_allclose(got[1], np.eye(atoms)[-1], atol=1e-9)


def slow_huber(quantiles, taus, targets):
    """Equation 10 of arXiv 1710.10044, pair by pair."""
    out = np.zeros(len(quantiles))
    for row in range(len(quantiles)):
        for i in range(quantiles.shape[1]):
            for target in targets[row]:
                u = target - quantiles[row, i]
                huber = 0.5 * u * u if abs(u) <= 1 else abs(u) - 0.5
                out[row] += abs(taus[row, i] - (u < 0)) * huber / targets.shape[1]
    return out


def test_the_quantile_huber_loss_is_that_of_the_paper():
    rng = np.random.default_rng(0)
    quantiles, targets, taus = rng.normal(size=(20, 5)) * 2, rng.normal(size=(20, 7)) * 2, rng.uniform(size=(20, 5))
    given = [torch.as_tensor(x) for x in (quantiles, taus, targets)]
    np.testing.assert_allclose(quantile_huber_loss(*given), slow_huber(quantiles, taus, targets))
    alike = np.tile(taus[0], (20, 1))
    shared = quantile_huber_loss(given[0], torch.as_tensor(taus[0]), given[2])
    np.testing.assert_allclose(shared, slow_huber(quantiles, alike, targets))


def test_quantile_regression_finds_the_quantiles():
    targets = torch.as_tensor(np.random.default_rng(0).normal(size=(1, 2000)) * 50)
    taus = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
    quantiles = torch.zeros(1, 3, dtype=torch.float64, requires_grad=True)
    optim = torch.optim.Adam([quantiles], 1.0)
    for step in range(600):
        optim.param_groups[0]["lr"] = 1.0 / (1 + step / 200)
        optim.zero_grad()
        quantile_huber_loss(quantiles, taus, targets).sum().backward()
        optim.step()
    np.testing.assert_allclose(quantiles.detach()[0], np.quantile(targets[0], taus), atol=1.5)


def area(taus: np.ndarray) -> float:
    """Between w^2 and the step function through its values at the middles, where the steps end at `taus`."""
    w = (np.arange(400_000) + 0.5) / 400_000
    step = np.searchsorted(taus[1:-1], w)
    return float(np.abs(w**2 - ((taus[:-1] + taus[1:]) / 2)[step] ** 2).mean())


def test_the_slope_of_fractions_is_that_of_the_area():
    taus = np.array([0.0, 0.15, 0.4, 0.45, 0.8, 1.0])
    middles = (taus[:-1] + taus[1:]) / 2
    slope = w1_slope(torch.as_tensor(middles[None] ** 2), torch.as_tensor(taus[None, 1:-1] ** 2))[0]
    np.testing.assert_allclose(slope, 2 * taus[1:-1] ** 2 - middles[1:] ** 2 - middles[:-1] ** 2)
    for i in range(1, 5):
        up, down = taus.copy(), taus.copy()
        up[i], down[i] = taus[i] + 1e-3, taus[i] - 1e-3
        assert slope[i - 1] == pytest.approx((area(up) - area(down)) / 2e-3, abs=1e-3)
