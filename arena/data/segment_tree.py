"""A sum tree: weights that can be changed and searched by their running sum in logarithmic time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.jit import njit
from arena.data.buffer.ring import as_places

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SegmentTree:
    """`size` numbers of at least 0, zero at first; setting one and finding a prefix sum take log2(size) steps.

    >>> tree = SegmentTree(4)
    >>> tree[[0, 2, 3]] = [1.0, 2.0, 3.0]
    >>> tree.reduce(), tree.reduce(0, 3), float(tree[2])
    (6.0, 3.0, 2.0)
    >>> tree.get_prefix_sum_idx([0.5, 1.0, 4.0])
    array([0, 2, 3])
    """

    def __init__(self, size: int):
        if size < 1:
            raise UsageError(f"size={size} of a segment tree is not at least 1")
        self._size = size
        self._leaves = 1 << (size - 1).bit_length()
        # node k has the children 2k and 2k + 1, the root is node 1, leaf i is node `_leaves` + i
        self._node = np.zeros(2 * self._leaves)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int | slice | Sequence[int] | NDArray[Any]) -> Any:
        """Return the numbers at an index, as for an array [size]."""
        value = self._node[self._leaves : self._leaves + self._size][index]
        return value if isinstance(value, np.ndarray) and value.base is None else np.array(value)[()]

    def __setitem__(self, index: int | slice | Sequence[int] | NDArray[Any], value: float | NDArray[Any]) -> None:
        """Set the numbers at an index, to one value or to one each; of equal indices the last one counts.

        `IndexError` out of range, `UsageError` for numbers that are negative or not finite; nothing is set then.
        """
        places = np.arange(self._size)[index] if isinstance(index, slice) else as_places(index, self._size)
        values = np.broadcast_to(np.asarray(value, np.float64), places.shape)
        self.put(places.ravel(), np.ascontiguousarray(values).ravel())

    def put(self, places: Ints, values: Floats) -> None:
        """Set the numbers at `places` [n] to `values` [n], without checking that the places exist.

        `UsageError` for numbers that are negative or not finite; nothing is set then.
        """
        if not _put(self._node, self._leaves, places, values):
            raise UsageError("the numbers of a segment tree are finite and at least 0")

    def reduce(self, start: int = 0, end: int | None = None) -> float:
        """Return the sum of the numbers from `start` to `end` (excluded; by default all)."""
        if start == 0 and end is None:
            return float(self._node[1])
        first, last, _ = slice(start, end).indices(self._size)
        return float(_sum(self._node, self._leaves + first, self._leaves + last))

    def get_prefix_sum_idx(self, value: float | Sequence[float] | NDArray[Any]) -> Any:
        """Return the first index i at which the sum of numbers 0 to i exceeds `value`, elementwise for an array.

        The index of a 0 is never returned. `UsageError` for values outside of 0 <= value < `reduce()`.
        """
        values = np.asarray(value, np.float64)
        indices = _find(self._node, self._leaves, np.atleast_1d(values).ravel())
        if indices.size and indices.min() < 0:
            raise UsageError(f"a prefix sum is looked for from 0 up to {self._node[1]:g}, not at all of {value}")
        return indices.reshape(values.shape) if values.ndim else int(indices[0])

    def drawn(self, chance: Floats) -> Ints:
        """Return an index for each number [n] in [0, 1), in proportion to the weights; none if all weights are 0."""
        return _drawn(self._node, self._leaves, chance)


@njit(cache=True, nogil=True)
def _put(node: Floats, leaves: int, index: Ints, value: Floats) -> bool:
    for i in range(index.shape[0]):
        if not (0.0 <= value[i] < np.inf):
            return False
    for i in range(index.shape[0]):
        k = leaves + index[i]
        node[k] = value[i]
        k //= 2
        while k > 0:
            node[k] = node[2 * k] + node[2 * k + 1]
            k //= 2
    return True


@njit(cache=True, nogil=True)
def _sum(node: Floats, first: int, last: int) -> float:
    """Sum of the leaves at nodes `first` to `last` - 1: nodes that hang off the range's two edges, level by level."""
    total = 0.0
    while first < last:
        if first % 2 == 1:
            total += node[first]
            first += 1
        if last % 2 == 1:
            last -= 1
            total += node[last]
        first //= 2
        last //= 2
    return total


@njit(cache=True, nogil=True)
def _find(node: Floats, leaves: int, value: Floats) -> Ints:
    """Leaves by descent from the root; -1 for a value out of range."""
    within = (value >= 0.0) & (value < node[1])
    return np.where(within, _descend(node, leaves, np.where(within, value, 0.0)), -1)


@njit(cache=True, nogil=True)
def _drawn(node: Floats, leaves: int, chance: Floats) -> Ints:
    return _descend(node, leaves, chance[: chance.shape[0] if node[1] > 0.0 else 0] * node[1])


@njit(cache=True, nogil=True)
def _descend(node: Floats, leaves: int, rest: Floats) -> Ints:
    """The leaf below which each sum `rest` [n] ends; all go down level by level, which is twice as fast."""
    place = np.ones(rest.shape[0], np.int64)
    for _ in range(int(np.log2(leaves))):
        for i in range(place.shape[0]):
            left = 2 * place[i]
            right = int(rest[i] >= node[left]) & int(node[left + 1] > 0.0)  # rounding must not lead to where nothing is
            rest[i] -= right * node[left]
            place[i] = left + right
    return place - leaves
