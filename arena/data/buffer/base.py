"""`ReplayBuffer`: a ring of transitions that knows its episodes."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.buffer import ring
from arena.data.rows import require_fit, write_rows
from arena.errors import UsageError
from arena.seeding import make_rng

Index = int | slice | Sequence[int] | NDArray[Any]


class ReplayBuffer:
    """Keeps the last `size` transitions in one block of memory per array, allocated at the first `add`.

    Reserved keys are `obs, act, rew, terminated, truncated, done, obs_next, info, policy`; `done` is derived from the
    two before it. Reading an attribute reads the storage: `buffer.rew` has `size` entries, of which `len(buffer)` are
    valid.

    Args:
        size: how many transitions are kept.
        stack_num: how many consecutive observations of one episode make up an observation (1: just one).
        ignore_obs_next: do not store next observations; derive each from the following transition of its episode.
        save_only_last_obs: observations arrive as stacks of frames; store only the last frame.
        sample_avail: with `stack_num` > 1, sample only transitions whose whole stack lies in their episode.
        rings: how many equal parts the storage has (each for the stream of one environment).

    """

    REQUIRED: ClassVar[frozenset[str]] = frozenset({"obs", "act", "rew"})
    RESERVED: ClassVar[tuple[str, ...]] = (
        "obs",
        "act",
        "rew",
        "terminated",
        "truncated",
        "done",
        "obs_next",
        "info",
        "policy",
    )

    def __init__(
        self,
        size: int,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
        *,
        rings: int = 1,
    ):
        if size < 1 or rings < 1 or stack_num < 1:
            raise UsageError(f"size={size}, stack_num={stack_num} and {rings} sub-buffers have to be at least 1")
        self.maxsize = size
        """Capacity over all parts."""
        self.stack_num = stack_num
        self._ignore_obs_next = ignore_obs_next
        self._save_only_last_obs = save_only_last_obs
        self._sample_avail = sample_avail
        self._ring_size = size // rings
        self._rings = np.arange(rings)
        self._storage = Batch()
        self._done = np.zeros(size, np.bool_)
        self.rng = make_rng()
        """Draws the samples."""
        self.reset()

    def reset(self, keep_statistics: bool = False) -> None:
        """Empty the buffer; with `keep_statistics` episodes under way keep their return and length so far."""
        n = len(self._rings)
        self._cursor = np.zeros(n, np.int64)
        self._fill = np.zeros(n, np.int64)
        self._newest = self._rings * self._ring_size
        if not keep_statistics:
            self._episode_return: NDArray[np.float64] = np.zeros(n)
            self._episode_length = np.zeros(n, np.int64)
        self._episode_start = self._rings * self._ring_size

    def __len__(self) -> int:
        return int(self._fill.sum())

    @property
    def buffer_num(self) -> int:
        """Number of sub-buffers."""
        return len(self._rings)

    def __getattr__(self, key: str) -> Any:
        """The storage of a key."""
        if key.startswith("_") or "_storage" not in self.__dict__:
            raise AttributeError(key)
        try:
            return self._storage[key]
        except KeyError:
            raise AttributeError(
                f"{type(self).__name__} holds no {key!r}; it has {list(self._storage.keys())}"
            ) from None

    def __repr__(self) -> str:
        return repr(self._storage).replace("Batch(", f"{type(self).__name__}(", 1)

    # --- writing ------------------------------------------------------------------------------------------------

    def add(
        self, batch: Batch, buffer_ids: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Store one transition; with `buffer_ids`, one a row of `batch`, each into the sub-buffer of that number.

        `batch` needs `obs, act, rew`, and `done` or `terminated` (and `truncated`). Returns, one entry a transition:
        the places, the return and length of the episode it ended (0 if it ended none), and where that episode began.
        Raises `UsageError` for missing keys or sub-buffers that do not exist or are named twice; nothing is stored
        then.
        """
        if buffer_ids is None:
            rings = np.zeros(1, np.int64)
            rows = Batch.stack([batch])
        else:
            rings = self._rings_of(buffer_ids)
            rows = Batch(batch)
        rows = self._normalised(rows, len(rings))
        place, length, start = self._append(rings, rows)
        return place, self._accumulate(rings, rows.rew, rows.done), length, start

    def _rings_of(self, buffer_ids: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """The numbers of sub-buffers, none of them twice."""
        rings = np.atleast_1d(np.asarray(buffer_ids))
        if rings.dtype.kind not in "iu" and rings.size:
            raise UsageError(f"buffer_ids {rings.tolist()} are not whole numbers")
        if rings.min(initial=0) < 0 or rings.max(initial=0) >= len(self._rings):
            raise UsageError(f"buffer_ids {rings.tolist()} are not among the sub-buffers 0 to {len(self._rings) - 1}")
        if len(rings) > 1 and len(np.unique(rings)) < len(rings):
            raise UsageError(f"buffer_ids {rings.tolist()} name a sub-buffer twice")
        return rings.astype(np.int64, copy=False)

    def _normalised(self, rows: Batch, count: int) -> Batch:
        """The rows with exactly the reserved keys, flags as booleans; refuses what does not fit, `count` rows of it."""
        missing = self.REQUIRED - set(rows.keys())
        if missing:
            raise UsageError(f"a transition needs the keys {sorted(self.REQUIRED)}; {sorted(missing)} is missing")
        if "terminated" not in rows and "done" not in rows:
            raise UsageError("a transition needs the key 'terminated' (and 'truncated'), or 'done'")
        truncated = np.asarray(rows.get("truncated", np.zeros(count)), np.bool_)
        terminated = rows.get("terminated")
        if terminated is None:
            terminated = np.asarray(rows.done, np.bool_) & ~truncated
        obs, obs_next = rows.obs, rows.get("obs_next")
        if self._save_only_last_obs:
            obs, obs_next = obs[:, -1], None if obs_next is None else obs_next[:, -1]
        kept = Batch(obs=obs, act=rows.act, rew=np.asarray(rows.rew, np.float64))
        kept.terminated, kept.truncated = np.asarray(terminated, np.bool_), truncated
        if obs_next is not None and not self._ignore_obs_next:
            kept.obs_next = obs_next
        kept.info, kept.policy = rows.get("info", Batch()), rows.get("policy", Batch())
        self._require_room_for(kept, count)
        kept.done = kept.terminated | truncated
        return kept

    def _require_room_for(self, rows: Batch, count: int) -> None:
        if "obs" in self._storage and ("obs_next" in rows) != ("obs_next" in self._storage):
            raise UsageError("either every transition of a buffer has obs_next, or none")
        require_fit(self._storage, rows, count)

    def _append(self, rings: NDArray[np.int64], rows: Batch) -> tuple[NDArray[np.int64], ...]:
        """Write one row after the other, each into its ring; their places, and lengths and starts of ended episodes."""
        place, length, start = ring.advance(
            rings,
            self._ring_size,
            rows.done,
            self._cursor,
            self._fill,
            self._newest,
            self._episode_length,
            self._episode_start,
        )
        write_rows(self._storage, rows, place, self.maxsize)
        self._done[place] = rows.done
        return place, length, start

    def _accumulate(
        self, rings: NDArray[np.int64], rew: NDArray[np.float64], done: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Add rewards to the returns of the episodes under way; the returns of those that end, 0 for the others."""
        if self._episode_return.shape[1:] != rew.shape[1:]:
            self._episode_return = np.zeros((len(self._rings), *rew.shape[1:]))
        self._episode_return[rings] += rew
        ended = np.zeros_like(rew)
        ended[done] = self._episode_return[rings[done]]
        self._episode_return[rings[done]] = 0
        return ended

    def update(self, buffer: "ReplayBuffer") -> NDArray[np.int64]:
        """Append the transitions of another buffer in the order of time; returns their places here.

        Where the other one has several parts, an episode under way at the end of a part is cut (truncated), so that the
        next part is not taken for its continuation. `UsageError` if its arrays are of other shapes; nothing is moved.
        """
        places = ring.in_time_order(buffer._rings, buffer._ring_size, buffer._cursor, buffer._fill)[-self.maxsize :]
        if len(places) == 0:
            return places
        rows = buffer._storage[places]
        if self._ignore_obs_next:
            rows.pop("obs_next", None)
        elif "obs_next" not in rows and (buffer._ignore_obs_next or "obs_next" in self._storage):
            rows.obs_next = buffer._storage.obs[buffer.next(places)]
        rows.truncated[np.flatnonzero(np.isin(places[:-1], buffer.unfinished_index()))] = True
        rows.done = rows.terminated | rows.truncated
        self._require_room_for(rows, len(places))
        first = np.zeros(len(places), np.int64)
        place, _, _ = self._append(first, rows)
        ends = np.flatnonzero(rows.done)
        if len(ends):
            self._episode_return[:] = 0
        under_way = rows.rew[ends[-1] + 1 :] if len(ends) else rows.rew
        self._accumulate(first[:1], under_way.sum(axis=0, keepdims=True), np.zeros(1, np.bool_))
        return place

    def set_batch(self, batch: Batch) -> None:
        """Use `batch` as storage; `UsageError` if its length or keys do not fit."""
        if len(batch) != self.maxsize or not set(batch.keys()) <= set(self.RESERVED):
            raise UsageError(f"the storage needs length {self.maxsize} and keys among {list(self.RESERVED)}")
        self._storage = batch
        self._done = np.array(batch.get("done", np.zeros(self.maxsize)), np.bool_)

    def arrays(self) -> Batch:
        """Everything stored and every counter, as arrays, to be saved."""
        counters = Batch(cursor=self._cursor, fill=self._fill, newest=self._newest, done=self._done)
        counters.update(ret=self._episode_return, length=self._episode_length, start=self._episode_start)
        return Batch(storage=self._storage, counters=counters)

    def restore(self, arrays: Batch) -> None:
        """Take over what `arrays` gave; sizes have to be the same."""
        self._storage = arrays.get("storage", Batch())
        counters = arrays.counters
        self._cursor, self._fill, self._newest, self._done = (counters[k] for k in ("cursor", "fill", "newest", "done"))
        self._episode_return, self._episode_length, self._episode_start = counters.ret, counters.length, counters.start

    # --- walking ------------------------------------------------------------------------------------------------

    def prev(self, index: Index) -> NDArray[np.int64]:
        """The places one step earlier in their episodes (unchanged where an episode begins)."""
        return ring.prev(self._places(index), self._ring_size, self._fill, self._newest, self._done)

    def next(self, index: Index) -> NDArray[np.int64]:
        """The places one step later in their episodes (unchanged at an end, and at the newest entry)."""
        return ring.next(self._places(index), self._ring_size, self._fill, self._newest, self._done)

    def unfinished_index(self) -> NDArray[np.int64]:
        """The newest place of each sub-buffer whose episode is still under way."""
        return self._newest[(self._fill > 0) & ~self._done[self._newest]]

    def _places(self, index: Index) -> NDArray[np.int64]:
        if isinstance(index, slice):
            return self.sample_indices(0) if index == slice(None) else np.arange(self.maxsize)[: len(self)][index]
        return ring.as_places(index, self.maxsize)

    # --- reading ------------------------------------------------------------------------------------------------

    def sample_indices(self, batch_size: int) -> NDArray[np.int64]:
        """Random places, with replacement; 0 means all in the order of time, a negative number none.

        `UsageError` if there is nothing to sample from.
        """
        if batch_size < 0:
            return np.zeros(0, np.int64)
        if batch_size == 0 or (self._sample_avail and self.stack_num > 1):
            places = ring.in_time_order(self._rings, self._ring_size, self._cursor, self._fill)
            if self._sample_avail and self.stack_num > 1:
                places = self._with_full_stack(places)
            if batch_size > 0 and len(places) == 0:
                raise UsageError("the buffer holds no whole stack: there is nothing to sample")
            return places if batch_size == 0 else self.rng.choice(places, batch_size)
        if len(self) == 0:
            raise UsageError("the buffer is empty: there is nothing to sample")
        return ring.nth_in_use(self.rng.integers(len(self), size=batch_size), self._ring_size, self._fill)

    def _with_full_stack(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those places that have `stack_num` - 1 predecessors in their episode."""
        earlier = places
        for _ in range(self.stack_num - 2):
            earlier = self.prev(earlier)
        return places[self.prev(earlier) != earlier]

    def sample(self, batch_size: int) -> tuple[Batch, NDArray[np.int64]]:
        """Random transitions and their places (0: all in the order of time)."""
        places = self.sample_indices(batch_size)
        return self[places], places

    def get(self, index: Index, key: str, default_value: Any = None, stack_num: int | None = None) -> Any:
        """The values of a key at `index`, stacked over `stack_num` steps ([n, stack_num, ...]) if that is above 1.

        A stack repeats the first entry of its episode where the episode is too short. `default_value` stands for a key
        that is not stored.
        """
        if key not in self._storage and default_value is not None:
            return default_value
        value = self._storage[key]
        stack = self.stack_num if stack_num is None else stack_num
        places = self._places(index)
        if stack == 1 or (isinstance(value, Batch) and value.is_empty(recurse=True)):
            return value[places[0] if isinstance(index, int | np.integer) else places] if not _empty(value) else Batch()
        steps = [places]
        for _ in range(stack - 1):
            steps.insert(0, self.prev(steps[0]))
        rows = np.stack(steps, axis=1)
        return value[rows[0] if isinstance(index, int | np.integer) else rows]

    def __getitem__(self, index: Index) -> Batch:
        """The transitions at `index` as a batch of the reserved keys; `[:]` is all of them in the order of time."""
        places = self._places(index)
        at: Any = int(places[0]) if isinstance(index, int | np.integer) else places
        storage = self._storage
        if self._ignore_obs_next or "obs_next" not in storage:
            follower = self.next(places)
            obs_next = self.get(int(follower[0]) if isinstance(index, int | np.integer) else follower, "obs")
        else:
            obs_next = self.get(at, "obs_next", Batch())
        return Batch(
            obs=self.get(at, "obs"),
            act=storage.act[at],
            rew=storage.rew[at],
            terminated=storage.terminated[at],
            truncated=storage.truncated[at],
            done=storage.done[at],
            obs_next=obs_next,
            info=self.get(at, "info", Batch(), 1),
            policy=self.get(at, "policy", Batch(), 1),
        )


def _empty(value: Any) -> bool:
    return isinstance(value, Batch) and value.is_empty(recurse=True)


class VectorReplayBuffer(ReplayBuffer):
    """A buffer of `buffer_num` equal parts, each the ring of one stream of transitions.

    Args:
        total_size: capacity over all parts, rounded up to a multiple of `buffer_num`.
        buffer_num: number of parts; the other options are those of `ReplayBuffer`.

    """

    def __init__(
        self,
        total_size: int,
        buffer_num: int,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
    ):
        if total_size < 1 or buffer_num < 1:
            raise UsageError(f"total_size={total_size} and buffer_num={buffer_num} have to be at least 1")
        part = -(-total_size // buffer_num)
        super().__init__(
            part * buffer_num, stack_num, ignore_obs_next, save_only_last_obs, sample_avail, rings=buffer_num
        )

    def add(
        self, batch: Batch, buffer_ids: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Store row i of `batch` into sub-buffer `buffer_ids[i]` (by default one row for every sub-buffer)."""
        return super().add(batch, self._rings if buffer_ids is None else buffer_ids)

    def update(self, buffer: ReplayBuffer) -> NDArray[np.int64]:
        """Not supported: which sub-buffer a transition belongs to is unknown."""
        raise NotImplementedError("a buffer of several parts cannot take in another buffer")
