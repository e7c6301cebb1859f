"""Noise: its moments, its process, its random stream; networks on several devices."""

import numpy as np
import pytest
import torch
from torch import nn

from agents.learning.exploration import BaseNoise, GaussianNoise, OUNoise
from agents.networks.common import DataParallelNet, Net
from agents.networks.discrete import Actor
from arena.base.errors import UsageError


def test_gaussian_noise_has_its_moments():
    noise = GaussianNoise(mu=2.0, sigma=0.5, rng=0)((200, 500))
    assert noise.shape == (200, 500)
    assert noise.mean() == pytest.approx(2.0, abs=0.01)
    assert noise.std() == pytest.approx(0.5, abs=0.01)


def test_the_process_takes_steps_as_its_equation_says():
    noise = OUNoise(mu=1.0, sigma=0.3, theta=0.15, dt=0.01, x0=5.0, rng=3)
    drawn, x = np.random.default_rng(3), np.full((2, 3), 5.0)
    for mu in (None, 1.0, -4.0):
        x = x + 0.15 * 0.01 * ((1.0 if mu is None else mu) - x) + 0.3 * 0.1 * drawn.normal(size=(2, 3))
        np.testing.assert_allclose(noise((2, 3), mu), x)


def test_the_process_is_drawn_to_its_mean():
    noise = OUNoise(mu=2.0, sigma=0.1, theta=1.0, dt=0.1, rng=0)
    for _ in range(200):
        last = noise((10_000,))
    assert last.mean() == pytest.approx(2.0, abs=0.01)
    assert last.std() == pytest.approx(0.1 / np.sqrt(2 * 1.0 - 0.1), abs=0.003), "sigma^2 / (2 theta - theta^2 dt)"


def test_reset_goes_back_to_the_start():
    start = np.array([3.0, -3.0])
    noise = OUNoise(sigma=0.0, theta=1.0, dt=0.5, x0=start)
    first = noise((2,))
    assert first.tolist() == [1.5, -1.5]
    first += 100
    assert noise((2,)).tolist() == [0.75, -0.75], "what is given away may be changed"
    noise.reset()
    assert noise((2,)).tolist() == [1.5, -1.5]
    assert noise((4, 2)).tolist() == [[1.5, -1.5]] * 4, "another shape is another process"
    assert start.tolist() == [3.0, -3.0]


@pytest.mark.parametrize("kind", [GaussianNoise, OUNoise])
def test_one_seed_fixes_the_noise(kind):
    np.testing.assert_array_equal(kind(rng=7)((3,)), kind(rng=7)((3,)))
    np.random.seed(5)
    first = kind()((3,))
    np.random.seed(5)
    np.testing.assert_array_equal(kind()((3,)), first)
    assert issubclass(kind, BaseNoise)


@pytest.mark.parametrize("wrong", [{"sigma": -1.0}, {"theta": -0.1}, {"dt": float("nan")}])
def test_numbers_that_mean_nothing_are_named(wrong):
    (name,) = wrong
    with pytest.raises(UsageError, match=f"{name}=.* is not at least 0"):
        OUNoise(**wrong)


def test_a_network_spread_over_devices_gives_what_it_gives_alone():
    torch.manual_seed(0)
    net = Net(4, 3, [8])
    spread = DataParallelNet(net)
    obs = np.random.default_rng(0).normal(size=(10, 4))
    device = next(net.parameters()).device
    alone, _ = net(obs)
    together, state = spread(obs)
    torch.testing.assert_close(together, alone)
    assert state is None
    assert together.device == device
    torch.testing.assert_close(spread(torch.as_tensor(obs))[0], alone)
    together.sum().backward()
    assert all(parameter.grad is not None for parameter in spread.parameters())


def test_heads_are_spread_as_the_manual_does():
    actor = DataParallelNet(Actor(Net(4, 0, [8]), 3, device=None).to("cpu"))
    probs, _ = actor(np.zeros((5, 4), np.float32), state=None)
    assert probs.shape == (5, 3)
    assert isinstance(actor.net, nn.DataParallel)
