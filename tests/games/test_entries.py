"""Entries of arrays in compiled code: what `array[index]` gives, without counting references."""

import sys

import numpy as np
import pytest
from numba import njit

from games.engine.entries import entry, unowned

SHAPES = {1: (3,), 2: (3, 2), 3: (3, 2, 5)}


def at(shape):
    """A compiled function that copies an entry of this shape."""

    @njit
    def copied(array, index):
        return entry(array, index, shape).copy()

    return copied


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float32, np.int64])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_an_entry_is_what_indexing_gives(dtype, ndim):
    array = np.random.default_rng(0).integers(0, 100, (4, *SHAPES[ndim])).astype(dtype)
    copied = at(SHAPES[ndim])
    for index in range(len(array)):
        assert copied(array, index).dtype == dtype
        np.testing.assert_array_equal(copied(array, index), array[index])


def test_what_is_written_into_an_entry_is_in_the_array():
    array = np.zeros((3, 2), np.int8)

    @njit
    def fill(array):
        entry(array, 1, (2,))[:] = 7

    fill(array)
    assert array.tolist() == [[0, 0], [7, 7], [0, 0]]


def test_no_references_are_left_or_lost():
    array = np.zeros((3, 2), np.int8)
    before = sys.getrefcount(array)

    @njit
    def total(array):
        result = 0
        for index in range(len(array)):
            result += entry(array, index, (2,)).sum() + unowned(array)[index].sum()
        return result

    for _ in range(10):
        assert total(array) == 0
    assert sys.getrefcount(array) == before


def test_nothing_is_unowned_as_it_is():
    @njit
    def is_none(value):
        return unowned(value) is None

    assert is_none(None)
    assert not is_none(np.zeros(1))
