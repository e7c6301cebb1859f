"""Writing many rows at once puts there what plain assignment puts there, whatever the arrays are like."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.leaves import MANY
from arena.data.rows import write_rows

CAPACITY = 3 * MANY


def some(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    return np.random.default_rng(0).integers(0, 100, shape).astype(dtype)


ROWS = {
    "numbers": some((CAPACITY,), np.float64),
    "a board": some((CAPACITY, 6, 7, 2), np.int8),
    "a mask": some((CAPACITY, 7), np.bool_),
    "wider": some((CAPACITY, 3), np.float64),
    "objects": some((CAPACITY, 2), object),
    "nothing": some((CAPACITY, 0), np.float32),
    "every other column": some((CAPACITY, 6), np.float32)[:, ::2],
    "one for all": np.broadcast_to(np.arange(4.0), (CAPACITY, 4)),
    "the wrong way round": some((3, CAPACITY), np.int64).T,
}


@pytest.mark.parametrize("count", [1, MANY - 1, MANY, 2 * MANY])
@pytest.mark.parametrize("kind", ROWS)
def test_rows_are_where_assignment_puts_them(kind: str, count: int) -> None:
    rows = ROWS[kind][:count]
    places = np.random.default_rng(count).permutation(CAPACITY)[:count]
    dtype = np.float32 if kind == "wider" else rows.dtype
    storage = Batch(x=np.zeros((CAPACITY, *rows.shape[1:]), dtype))
    expected = storage.x.copy()
    expected[places] = rows
    write_rows(storage, Batch(x=rows), places, CAPACITY)
    np.testing.assert_array_equal(storage.x, expected)


def test_storage_may_be_a_window_on_a_larger_one() -> None:
    whole = np.zeros((CAPACITY, 8), np.int64)
    rows, places = some((MANY, 4), np.int64), np.arange(MANY) * 2
    write_rows(Batch(x=whole[:, 2:6]), Batch(x=rows), places, CAPACITY)
    np.testing.assert_array_equal(whole[places, 2:6], rows)
    assert not whole[:, :2].any()
    assert not whole[:, 6:].any()


@pytest.mark.parametrize("part", [slice(None), slice(3, 8)])
def test_a_slice_is_written_and_blanked(part: slice) -> None:
    storage = Batch(x=some((10, 2), np.int64), old=Batch(y=np.ones(10)))
    before, rows = storage.x.copy(), some((len(range(10)[part]), 2), np.int64) + 100
    write_rows(storage, Batch(x=rows), part, 10)
    before[part] = rows
    np.testing.assert_array_equal(storage.x, before)
    assert not storage.old.y[part].any()
    assert storage.old.y.sum() == 10 - len(rows)
