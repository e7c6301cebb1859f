"""`SegmentTree` beside a plain array."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.data import SegmentTree

WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def tree_of(numbers) -> SegmentTree:
    tree = SegmentTree(len(numbers))
    tree[:] = np.asarray(numbers, float)
    return tree


@given(WEIGHTS, st.data())
def test_it_is_an_array_that_knows_its_sums(numbers, data):
    tree, array = SegmentTree(len(numbers)), np.zeros(len(numbers))
    places = st.lists(st.integers(-len(numbers), len(numbers) - 1), max_size=8)
    for _ in range(4):
        index = np.array(data.draw(places), int)
        values = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(index), max_size=len(index))), float)
        tree[index], array[index] = values, values
        assert tree[:].tolist() == array.tolist()
        assert tree.reduce() == array.sum()
        first, last = data.draw(st.integers(-50, 50)), data.draw(st.one_of(st.none(), st.integers(-50, 50)))
        assert tree.reduce(first, last) == array[first:last].sum()


@pytest.mark.full
@given(WEIGHTS)
def test_prefix_sums_are_found(numbers):
    tree, ends = tree_of(numbers), np.cumsum(numbers)
    values = np.arange(0, ends[-1], 0.5)
    found = tree.get_prefix_sum_idx(values)
    assert found.tolist() == [int(np.flatnonzero(ends > value)[0]) for value in values]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(0, 1, exclude_max=True))
def test_what_weighs_nothing_is_never_found(numbers, part):
    tree = tree_of(numbers)
    value = part * tree.reduce()
    if value < tree.reduce():
        assert numbers[tree.get_prefix_sum_idx(value)] > 0


def test_one_number_at_a_time():
    tree = SegmentTree(5)
    tree[3] = 2.5
    tree[-1] = 1
    assert (tree[3], tree[4], tree.reduce(), len(tree)) == (2.5, 1.0, 3.5, 5)
    assert (tree.get_prefix_sum_idx(0.0), tree.get_prefix_sum_idx(2.5)) == (3, 4)
    assert tree.get_prefix_sum_idx([[0.0, 3.0], [2.4, 2.6]]).tolist() == [[3, 4], [3, 4]]


def test_what_is_read_is_a_copy():
    tree = tree_of([1.0, 2.0])
    for read in (tree[:], tree[[0, 1]]):
        read[0] = 100.0
    assert tree[:].tolist() == [1.0, 2.0]
    assert tree.reduce() == 3.0


def test_it_pickles():
    assert pickle.loads(pickle.dumps(tree_of([1, 2, 3])))[:].tolist() == [1, 2, 3]


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_numbers_that_do_not_weigh_are_refused(value):
    tree = tree_of([1.0, 2.0])
    with pytest.raises(UsageError, match="finite and at least 0"):
        tree[[0, 1]] = [5.0, value]
    assert tree[:].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", [-0.5, 3.0, np.nan])
def test_prefix_sums_out_of_range_are_refused(value):
    with pytest.raises(UsageError, match="from 0 up to 3"):
        tree_of([1.0, 2.0]).get_prefix_sum_idx(value)


def test_places_out_of_range_are_refused():
    tree = tree_of([1.0, 2.0, 3.0])
    with pytest.raises(IndexError):
        tree[3] = 1.0  # the tree has a fourth leaf, which is not anybody's
    with pytest.raises(IndexError):
        tree[3]
    with pytest.raises(UsageError, match="at least 1"):
        SegmentTree(0)
