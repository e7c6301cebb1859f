"""Statistics of streams, against those of the whole."""

import doctest

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.data import statistics
from arena.data.statistics import MovAvg, RunningMeanStd


def test_the_documented_example():
    stat = MovAvg(size=66)
    assert stat.add(torch.tensor(5)) == 5.0
    assert stat.add(float("inf")) == 5.0
    assert stat.add([6, 7, 8]) == 6.5
    assert stat.get() == 6.5
    assert f"{stat.mean():.2f}±{stat.std():.2f}" == "6.50±1.12"
    assert doctest.testmod(statistics).failed == 0


def test_before_the_first_number_all_is_zero():
    stat = MovAvg()
    assert (stat.get(), stat.mean(), stat.std()) == (0.0, 0.0, 0.0)
    assert stat.add([float("nan"), -np.inf]) == 0.0
    assert stat.add([]) == 0.0


@pytest.mark.parametrize("kind", [float, np.float32, np.array, lambda x: [x], lambda x: torch.tensor([x])])
def test_numbers_of_every_kind(kind):
    assert MovAvg().add(kind(2.5)) == 2.5


def test_a_tensor_under_differentiation_is_a_number_too():
    assert MovAvg().add(torch.tensor(3.0, requires_grad=True)) == 3.0


@given(st.integers(1, 5), st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), max_size=4), max_size=6))
def test_a_window_is_the_last_numbers(size, parts):
    stat = MovAvg(size)
    for part in parts:
        stat.add(part)
    last = [x for part in parts for x in part if np.isfinite(x)][-size:]
    assert stat.mean() == pytest.approx(np.mean(last) if last else 0.0)
    assert stat.std() == pytest.approx(np.std(last) if last else 0.0)


def test_a_window_of_nothing_is_refused():
    with pytest.raises(UsageError, match="size=0 is not at least 1"):
        MovAvg(0)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 2**31))
def test_batches_merge_into_the_whole(lengths, seed):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(1e6, 1.0, (n, 2, 3)) for n in lengths]
    stat = RunningMeanStd()
    for part in parts:
        stat.update(part)
    whole = np.concatenate(parts)
    assert stat.count == len(whole)
    if len(whole):
        np.testing.assert_allclose(stat.mean, whole.mean(axis=0))
        np.testing.assert_allclose(stat.var, whole.var(axis=0), rtol=1e-6, atol=1e-6)


def test_what_it_starts_with_holds_until_the_first_batch():
    stat = RunningMeanStd(mean=[1.0, 2.0], std=3.0)
    assert (stat.mean.tolist(), stat.var.tolist(), stat.count) == ([1.0, 2.0], 9.0, 0)
    stat.update(np.zeros((0, 2)))
    assert (stat.mean.tolist(), stat.count) == ([1.0, 2.0], 0)
    stat.update([[5.0, 6.0], [7.0, 6.0]])
    assert (stat.mean.tolist(), stat.var.tolist(), stat.count) == ([6.0, 6.0], [1.0, 0.0], 2)


def test_numbers_without_a_shape_of_their_own():
    stat = RunningMeanStd()
    stat.update(np.arange(4))
    assert (stat.mean, stat.var) == (1.5, 1.25)


def test_shapes_that_do_not_fit_are_refused_and_change_nothing():
    stat = RunningMeanStd()
    stat.update(np.ones((2, 3)))
    with pytest.raises(UsageError, match=r"rows of shape \(4,\), not \(3,\) as before"):
        stat.update(np.ones((2, 4)))
    with pytest.raises(UsageError, match="not one number"):
        stat.update(1.0)
    assert (stat.mean.tolist(), stat.count) == ([1.0] * 3, 2)
