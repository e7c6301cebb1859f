"""Returns for a CUDA device, proved without one: they compile to PTX, and what is compiled gives what the CPU gives.

A device multiplies and adds in one instruction, as this machine's compiler may: results differ in the last bits.
"""

import numpy as np
import pytest

from arena.policy import device_returns, returns
from arena.policy.device_returns import Estimates
from arena.policy.returns import Rewards, Steps
from games.engine.device import compiled, ptx
from tests.device_on_host import needs_compilers, on_host

pytestmark = [pytest.mark.full, needs_compilers]

RINGS, LENGTH = 6, 50


def test_advantages_of_each_ring_are_those_of_the_cpu():
    rng, size = np.random.default_rng(0), RINGS * LENGTH
    rew, value, following = rng.normal(size=(3, size))
    done, terminated = rng.random(size) < 0.1, rng.random(size) < 0.05
    bounds, places = np.arange(RINGS + 1) * LENGTH, np.arange(size)
    under_way = np.isin(places, bounds[1:] - 1)
    steps = Steps(rew, value, following, done | terminated, places, terminated, under_way)
    out, advantage = np.zeros(size), np.zeros(size)
    arguments = (steps, bounds, (0.99, 0.95), Estimates(out, advantage))
    library = compiled(device_returns.gae, arguments)
    assert ".visible .entry" in ptx(library)
    on_host(library)(RINGS, *arguments)
    expected = returns.gae(*steps, (0.99, 0.95))
    np.testing.assert_allclose((out, advantage), expected, rtol=1e-12, atol=1e-12)


def test_sums_of_n_rewards_are_those_of_the_cpu():
    rng, size = np.random.default_rng(0), RINGS * LENGTH
    rew, done, edges = rng.normal(size=size), rng.random(size) < 0.1, np.arange(RINGS + 1) * LENGTH
    fill = np.array([LENGTH, LENGTH, 7, LENGTH, 20, 1])
    newest = edges[:-1] + np.array([13, LENGTH - 1, 6, 0, 19, 0])
    index = np.concatenate([edge + np.arange(count) for edge, count in zip(edges, fill, strict=False)])
    total, last, discount = np.zeros(len(index)), np.zeros(len(index), np.int64), np.zeros(len(index))
    arguments = (index, 4, 0.9, Rewards(rew, done, edges, fill, newest), total, last, discount)
    library = compiled(device_returns.n_step, arguments)
    assert ".visible .entry" in ptx(library)
    on_host(library)(len(index), *arguments)
    expected = returns.n_step(index, 4, 0.9, rew, done, edges, fill, newest)
    np.testing.assert_array_equal(last, expected[1])
    np.testing.assert_allclose((total, discount), (expected[0], expected[2]), rtol=1e-12)
