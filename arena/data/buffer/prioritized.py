"""Prioritized replay (Schaul et al. 2016, arXiv 1511.05952): transitions are drawn in proportion to their weights.

The weight of a transition is p = priority ** alpha, kept in a sum tree over all places; places that hold nothing weigh
nothing. What is drawn too often counts less in the loss: by (p / p_min) ** -beta, with the smallest p ever seen (the
manual's formula; p is the same on both sides, so that the most weight anything has is 1).
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.jit import njit
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.manager import ReplayBufferManager, common_options, equal_parts
from arena.data.buffer.options import BufferOptions, PriorityOptions, require_beta
from arena.data.buffer.rings import Added, Index
from arena.data.rows import as_array
from arena.data.segment_tree import SegmentTree

SMALLEST = float(np.finfo(np.float32).eps)
"""Added to every priority, so that none is 0 and every transition can be drawn."""


class PrioritizedReplayBuffer(ReplayBuffer):
    """A buffer that draws in proportion to priority ** `alpha`; new transitions have the largest priority seen.

    Args:
        size: how many transitions are kept.
        alpha: how much priorities matter, from 0 (not at all: every transition alike) on.
        beta: how far the weight in the loss undoes what priorities do to the average, from 0 (not) to 1 (wholly).
        weight_norm: divide the `weight` of a batch by the largest one in it.
        stack_num: this and the others are as in `ReplayBuffer`.
        ignore_obs_next: see there.
        save_only_last_obs: see there.
        sample_avail: see there.

    """

    OPTIONS: ClassVar[type[BufferOptions]] = PriorityOptions

    def __init__(
        self,
        size: int,
        alpha: float,
        beta: float,
        weight_norm: bool = True,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
        pack_bits: bool = False,
    ):
        options = stack_num, ignore_obs_next, save_only_last_obs, sample_avail, pack_bits
        self._set_up([size], PriorityOptions(*options, alpha, beta, weight_norm))

    def _set_up(self, sizes: Sequence[int], options: BufferOptions, rng: np.random.Generator | None = None) -> None:
        assert isinstance(options, PriorityOptions)
        self._alpha, self._weight_norm = options.alpha, options.weight_norm
        self.set_beta(options.beta)
        super()._set_up(sizes, options, rng)

    def set_beta(self, beta: float) -> None:
        """Change the exponent of importance weights, of all parts at once."""
        require_beta(beta)
        self._require_whole("set beta of")
        self._beta = beta

    def reset(self, keep_statistics: bool = False) -> None:
        """Empty the buffer as `ReplayBuffer.reset` does, and forget all priorities."""
        super().reset(keep_statistics)
        self._tree = SegmentTree(self.maxsize)
        self._max_priority = self._min_priority = 1.0

    # --- priorities ---------------------------------------------------------------------------------------------

    def init_weight(self, index: Index) -> None:
        """Give the transitions at `index` the largest priority seen."""
        self._require_whole("weigh transitions of")
        places = self.rings.places(index)
        self._tree.put(places, np.full(len(places), self._max_priority**self._alpha))

    def get_weight(self, index: Index) -> Any:
        """Return the importance weights (p / p_min) ** -beta of the transitions at `index`; a scalar for one place."""
        weight = self._importance(self.rings.places(index), False)
        return float(weight[0]) if isinstance(index, int | np.integer) else weight

    def _importance(self, places: NDArray[np.int64], normalised: bool) -> NDArray[np.float64]:
        return _importance(self._tree[places], self._min_priority**self._alpha, self._beta, normalised)

    def update_weight(self, index: Index, new_weight: Any) -> None:
        """Set the priorities of the transitions at `index` to the sizes of `new_weight` (numbers, an array or tensor).

        Raises `UsageError` if they are not one each, or not finite; nothing is changed then.
        """
        self._require_whole("weigh transitions of")
        places = self.rings.places(index)
        given = np.ascontiguousarray(as_array(new_weight), np.float64).ravel()
        if given.size != places.size:
            raise UsageError(f"new_weight has {given.size} entries for {places.size} transitions")
        weight, smallest, largest = _weighed(given, self._alpha)
        if largest == np.inf:
            raise UsageError("new_weight has entries that are not finite")
        self._tree.put(places.ravel(), weight)
        self._max_priority = max(self._max_priority, largest)
        self._min_priority = min(self._min_priority, smallest)

    # --- writing and reading ------------------------------------------------------------------------------------

    def _append(self, rings: NDArray[np.int64], rows: Batch) -> Added:
        added = super()._append(rings, rows)
        self.init_weight(added[0])
        return added

    def _draw(self, count: int) -> NDArray[np.int64]:
        return self._tree.drawn(self.rng.random(count))

    def _draw_among(self, places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        weight = self._tree[places]
        return self.rng.choice(places, count, p=weight / weight.sum())

    def _read(self, places: NDArray[np.int64]) -> Batch:
        rows = super()._read(places)
        rows.__dict__["weight"] = self._importance(places, self._weight_norm)
        return rows

    def _shared(self, number: int, key: str) -> Any:
        if key in ("_min_priority", "_max_priority", "_beta"):
            return getattr(self, key)
        if key != "_tree":
            return super()._shared(number, key)
        start, stop = self.rings.edges[number], self.rings.edges[number + 1]
        tree = SegmentTree(int(stop - start))
        tree[:] = self._tree[start:stop]
        return tree

    def state_dict(self) -> Batch:
        """Return the storage, all counters and all priorities as arrays."""
        arrays = super().state_dict()
        extremes = np.array([self._min_priority, self._max_priority])
        arrays.counters.update(weight=self._tree[:], priorities=extremes, beta=np.array([self._beta]))
        return arrays

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if sizes differ or the arrays are inconsistent."""
        super().load_state_dict(arrays)
        counters = arrays.counters
        shapes = {"weight": (self.maxsize,), "priorities": (2,), "beta": (1,)}
        if not all(
            counters[name].shape == shape and np.isfinite(counters[name]).all() and (counters[name] >= 0).all()
            for name, shape in shapes.items()
        ):
            raise UsageError("priorities and weights do not fit the buffer")
        self._tree[:] = counters.weight
        self._min_priority, self._max_priority = counters.priorities.tolist()
        self.set_beta(float(counters.beta[0]))


class PrioritizedReplayBufferManager(PrioritizedReplayBuffer, ReplayBufferManager):
    """Several prioritized buffers as one, with one sum tree over all places.

    Args:
        buffer_list: the buffers, with the same options throughout. Their sizes may differ.

    """

    PART: ClassVar[type[ReplayBuffer]] = PrioritizedReplayBuffer

    def __init__(self, buffer_list: Sequence[PrioritizedReplayBuffer]):
        self._set_up([buffer.maxsize for buffer in buffer_list], common_options(buffer_list, PriorityOptions))
        self.set_beta(buffer_list[0]._beta)
        for start, buffer in zip(self.rings.edges, buffer_list, strict=False):
            self._tree[start : start + buffer.maxsize] = buffer._tree[:]
            self._min_priority = min(self._min_priority, buffer._min_priority)
            self._max_priority = max(self._max_priority, buffer._max_priority)
        self._take_over(buffer_list)


class PrioritizedVectorReplayBuffer(PrioritizedReplayBuffer, ReplayBufferManager):
    """A prioritized buffer of `buffer_num` equal parts, each the ring of one stream of transitions.

    Args:
        total_size: capacity over all parts, rounded up to a multiple of `buffer_num`.
        buffer_num: number of parts; the other options are those of `PrioritizedReplayBuffer`.

    """

    PART: ClassVar[type[ReplayBuffer]] = PrioritizedReplayBuffer

    def __init__(
        self,
        total_size: int,
        buffer_num: int,
        alpha: float,
        beta: float,
        weight_norm: bool = True,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
        pack_bits: bool = False,
    ):
        options = stack_num, ignore_obs_next, save_only_last_obs, sample_avail, pack_bits
        self._set_up(equal_parts(total_size, buffer_num), PriorityOptions(*options, alpha, beta, weight_norm))


@njit(cache=True, nogil=True)
def _weighed(given: NDArray[np.float64], alpha: float) -> tuple[NDArray[np.float64], float, float]:
    """Return the weights [n] of transitions and the range of their priorities, infinite if one is not finite."""
    weight, smallest, largest = np.empty_like(given), np.inf, 0.0
    for i in range(given.shape[0]):
        priority = abs(given[i]) + SMALLEST
        if not priority < np.inf:
            return weight, smallest, np.inf
        weight[i] = priority**alpha
        smallest, largest = min(smallest, priority), max(largest, priority)
    return weight, smallest, largest


@njit(cache=True, nogil=True)
def _importance(weight: NDArray[np.float64], smallest: float, beta: float, normalised: bool) -> NDArray[np.float64]:
    """(weight / smallest) ** -beta [n], divided by the largest of them if `normalised`."""
    out = (weight / smallest) ** -beta
    return out / out.max() if normalised and out.size else out
