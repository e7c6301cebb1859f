"""`ReplayBuffer`: a ring of transitions that knows its episodes."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.buffer import hdf5
from arena.data.buffer.bits import Shapes, as_arrays, from_arrays, packed, unpacked, widened
from arena.data.buffer.filled import filled_alone, with_all_places
from arena.data.buffer.options import BufferOptions
from arena.data.buffer.rings import Added, Index, Rings
from arena.data.buffer.soundness import require_sound
from arena.data.buffer.transition import RESERVED, normalised
from arena.data.infos import fitted
from arena.data.leaves import rows_at
from arena.data.rows import require_fit, write_rows

SHARED = ("_options", "_storage", "_bits", "rings", "_tree", "_min_priority", "_max_priority", "_beta")
"""Attributes that a part of a buffer reads from the whole; the last four exist in prioritized buffers only."""


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
        pack_bits: store booleans of observations, planes and masks, as bits, in an eighth of the memory. What is read
            are booleans; only an attribute shows the storage, `buffer.obs`.

    """

    OPTIONS: ClassVar[type[BufferOptions]] = BufferOptions
    """Dataclass of this class's options."""
    _whole: "ReplayBuffer | None" = None
    """The buffer that this one is part `_number` of."""
    _number: int

    def __init__(
        self,
        size: int,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
        pack_bits: bool = False,
    ):
        self._set_up([size], BufferOptions(stack_num, ignore_obs_next, save_only_last_obs, sample_avail, pack_bits))

    def _set_up(self, sizes: Sequence[int], options: BufferOptions, rng: np.random.Generator | None = None) -> None:
        """Initialise an empty buffer with parts of these sizes; called by all constructors."""
        if len(sizes) == 0 or min(sizes) < 1:
            raise UsageError(f"a buffer has one part or more of size at least 1, not {list(sizes)}")
        self._options = options
        self.rings = Rings(sizes)
        """Where the transitions stand, one ring a part."""
        self.maxsize = self.rings.capacity
        """Capacity over all parts."""
        self.rng = make_rng(rng)
        """Draws the samples."""
        self._storage = Batch()
        self._bits: Shapes = {}
        self.reset()

    def reset(self, keep_statistics: bool = False) -> None:
        """Empty the buffer; with `keep_statistics` episodes under way keep their return and length so far."""
        self._require_whole("reset")
        self.rings.clear(keep_statistics)

    def __len__(self) -> int:
        return int(self.rings.counters.fill.sum())

    @property
    def buffer_num(self) -> int:
        """Number of sub-buffers."""
        return len(self.rings)

    @property
    def stack_num(self) -> int:
        """Number of consecutive observations stacked into one; setting it sets it for all parts of a buffer."""
        return self._options.stack_num

    @stack_num.setter
    def stack_num(self, stack_num: int) -> None:
        self._require_whole("set stack_num of")
        self._options = replace(self._options, stack_num=stack_num)

    def __getattr__(self, key: str) -> Any:
        """Return the storage of a key or, for a part of a buffer, an attribute shared with the whole."""
        whole = self.__dict__.get("_whole")
        if whole is not None and key in SHARED:
            return whole._shared(self._number, key)
        if key.startswith("_") or (whole is None and "_storage" not in self.__dict__):
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
        self, batch: Batch | Mapping[str, Any], buffer_ids: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> Added:
        """Store one transition; with `buffer_ids`, one a row of `batch`, each into the sub-buffer of that number.

        `batch` needs `obs, act, rew`, and `done` or `terminated` (and `truncated`). Returns, one entry a transition:
        the places, the return and length of the episode it ended (0 if it ended none), and where that episode began.
        Raises `UsageError` for keys that are missing or not reserved, and for sub-buffers that do not exist or are
        named twice; nothing is stored then.
        """
        if buffer_ids is None:
            rings, rows = self.rings.numbers[:1], Batch.stack([batch])
        else:
            rings = self.rings.numbered(buffer_ids, self.buffer_num)
            rows = batch if isinstance(batch, Batch) else Batch(batch)
        return self._append(rings, self._accepted(rows, len(rings)))

    def _accepted(self, rows: Batch, count: int) -> Batch:
        """The rows as they are stored; refuses (`UsageError`) what does not fit, or is not `count` rows."""
        rows, shapes = self._as_stored(normalised(rows, count, self._options))
        self._require_room_for(rows, count)
        self._bits = shapes
        rows.__dict__["done"] = rows.terminated | rows.truncated
        return rows

    def _as_stored(self, rows: Batch) -> tuple[Batch, Shapes]:
        """Return rows in the form in which they are stored, and the shapes of what is bits there."""
        return packed(rows, self._bits) if self._options.pack_bits else (rows, self._bits)

    def _require_room_for(self, rows: Batch, count: int) -> None:
        self._require_whole("add to")
        stored = self._storage.__dict__
        if "obs" in stored and ("obs_next" in rows.__dict__) != ("obs_next" in stored):
            raise UsageError("either every transition of a buffer has obs_next, or none")
        self._fit_infos(rows)
        require_fit(self._storage, rows, count)

    def _fit_infos(self, rows: Batch) -> None:
        """Fit infos to the storage, whose columns may have other types than earlier infos."""
        stored, given = self._storage.get("info"), rows.get("info")
        if isinstance(stored, Batch) and isinstance(given, Batch) and stored.__dict__ and given.__dict__:
            rows.__dict__["info"] = fitted(stored, given)

    def _require_whole(self, what: str) -> None:
        """Raise `UsageError` for a part of a buffer, which is read-only."""
        if self._whole is not None:
            hint = ", with the number of the part in buffer_ids" if what == "add to" else ""
            raise UsageError(f"this is a part of a buffer: {what} the whole{hint}")

    def _become_part(self, whole: "ReplayBuffer", number: int) -> None:
        """Turn this buffer into a read-only view of part `number` of another."""
        for key in SHARED:
            self.__dict__.pop(key, None)
        self._whole, self._number = whole, number

    def _shared(self, number: int, key: str) -> Any:
        """Return one of the attributes `SHARED` of part `number`: a view, unless it holds places."""
        if key == "rings":
            return self.rings.part(number)
        if key == "_storage" and not self._storage.is_empty():
            return self._storage[int(self.rings.edges[number]) : int(self.rings.edges[number + 1])]
        return getattr(self, key)

    def _append(self, rings: NDArray[np.int64], rows: Batch) -> Added:
        """Write one row after the other, each into its ring; see `Added`."""
        added = self.rings.advance(rings, rows.rew, rows.done)
        write_rows(self._storage, rows, added[0], self.maxsize)
        return added

    def cut(self) -> NDArray[np.int64]:
        """Truncate the unfinished episodes at their newest transitions.

        The next added transitions start new episodes. Returns the places of those transitions.
        """
        self._require_whole("cut")
        places = self.rings.cut()
        if len(places):
            self._storage.truncated[places] = self._storage.done[places] = True
        return places

    def update(self, buffer: "ReplayBuffer") -> NDArray[np.int64]:
        """Append the transitions of another buffer in the order of time; returns their places here.

        Where the other one has several parts, an episode under way at the end of a part is cut (truncated), so that the
        next part is not taken for its continuation. `UsageError` if its arrays are of other shapes; nothing is moved.
        """
        places = buffer.rings.in_time_order()[-self.maxsize :]
        if len(places) == 0:
            return places
        rows = unpacked(buffer._storage[places], buffer._bits)
        if self._options.ignore_obs_next:
            rows.pop("obs_next", None)
        elif "obs_next" not in rows and (buffer._options.ignore_obs_next or "obs_next" in self._storage):
            rows.obs_next = buffer._shown("obs", buffer._storage.obs[buffer.next(places)])
        rows.truncated[np.flatnonzero(np.isin(places[:-1], buffer.unfinished_index()))] = True
        rows.done = rows.terminated | rows.truncated
        rows, shapes = self._as_stored(rows)
        self._require_room_for(rows, len(places))
        self._bits = shapes
        return self._append(np.zeros(len(places), np.int64), rows)[0]

    @staticmethod
    def from_data(
        obs: Any, act: Any, rew: Any, terminated: Any, truncated: Any, done: Any, obs_next: Any
    ) -> "ReplayBuffer":
        """Return a full buffer of the transitions in these arrays of equal length, in order of time.

        `UsageError` if lengths differ or `done` is not `terminated | truncated`.
        """
        rows = Batch(obs=obs, act=act, rew=rew, terminated=terminated, truncated=truncated, obs_next=obs_next)
        size = len(rows.rew)
        if size == 0:
            raise UsageError("a buffer needs at least one transition")
        buffer = ReplayBuffer(size)
        buffer._extend(rows)
        if not np.array_equal(buffer.done, np.asarray(done, np.bool_)):
            raise UsageError("done is not terminated | truncated")
        return buffer

    def _extend(self, rows: Batch) -> None:
        """Store rows [n] one after the other in the first part."""
        self._append(np.zeros(len(rows.rew), np.int64), self._accepted(rows, len(rows.rew)))

    def set_batch(self, batch: Batch) -> None:
        """Use `batch` as storage; `UsageError` if its length or keys do not fit."""
        self._require_whole("set the storage of")
        if len(batch) != self.maxsize or not set(batch.keys()) <= set(RESERVED):
            raise UsageError(f"the storage needs length {self.maxsize} and keys among {list(RESERVED)}")
        self._storage, self._bits = self._as_stored(batch)
        self.rings.counters.ends[:] = batch.get("done", np.zeros(self.maxsize))

    # --- keeping ------------------------------------------------------------------------------------------------

    def state_dict(self) -> Batch:
        """Return the storage and all counters as arrays."""
        arrays = Batch(storage=self._storage, counters=self.rings.state_dict())
        return Batch(arrays, bits=as_arrays(self._bits)) if self._bits else arrays

    def filled_state_dict(self) -> Batch:
        """Return the same with the storage of those places alone that are filled, in their order."""
        return filled_alone(self.state_dict(), self.rings.edges)

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` or `filled_state_dict` returned.

        Raises `UsageError` if sizes differ or the arrays are inconsistent.
        """
        self._require_whole("restore")
        arrays = with_all_places(arrays, self.rings.edges)
        require_sound(np.diff(self.rings.edges).tolist(), arrays, RESERVED)
        storage = Batch(arrays.get("storage", Batch()))
        if self._options.ignore_obs_next:
            storage.pop("obs_next", None)
        self._bits = from_arrays(arrays.get("bits", Batch()), arrays.get("storage", Batch()))
        if self._bits and not self._options.pack_bits:
            storage, self._bits = unpacked(storage, self._bits), {}
        elif not self._bits:
            storage, self._bits = self._as_stored(storage)
        self._storage = storage
        self.rings.load_state_dict(arrays.counters)

    def save_hdf5(self, path: str | os.PathLike[str]) -> None:
        """Write everything to an HDF5 file, options included; see `arena.data.buffer.hdf5` for the format."""
        hdf5.save(path, type(self).__name__, np.diff(self.rings.edges), asdict(self._options), self.state_dict())

    @classmethod
    def load_hdf5(cls, path: str | os.PathLike[str], device: str | None = None) -> Self:
        """Load a buffer of this class that `save_hdf5` wrote to `path`.

        `UsageError` for a file that is missing, broken, or not of this class, and for a `device` that is not the CPU's:
        buffers are of NumPy arrays.
        """
        if device not in (None, "cpu"):
            raise UsageError(f"device={device!r}: buffers hold NumPy arrays, on the device 'cpu'")
        sizes, options, arrays = hdf5.load(path, cls.__name__, cls.OPTIONS, RESERVED)
        buffer = cls.__new__(cls)
        with hdf5.opened(path):
            buffer._set_up(sizes, options)
            buffer.load_state_dict(arrays)
        return buffer

    # --- walking ------------------------------------------------------------------------------------------------

    def prev(self, index: Index) -> NDArray[np.int64]:
        """Return the places one step earlier in their episodes (unchanged at the first step)."""
        return self.rings.prev(self.rings.places(index))

    def next(self, index: Index) -> NDArray[np.int64]:
        """Return the places one step later in their episodes (unchanged at the last step and at the newest entry)."""
        return self.rings.next(self.rings.places(index))

    def unfinished_index(self) -> NDArray[np.int64]:
        """Return the newest place of each sub-buffer with an unfinished episode."""
        return self.rings.unfinished()

    # --- reading ------------------------------------------------------------------------------------------------

    def sample_indices(self, batch_size: int) -> NDArray[np.int64]:
        """Draw random places with replacement; 0 means all in order of time, a negative number none.

        The result is empty if there is nothing to sample from.
        """
        if batch_size < 0:
            return np.zeros(0, np.int64)
        whole = self._options.sample_avail and self.stack_num > 1
        if batch_size == 0 or whole:
            places = self.rings.in_time_order()
            places = self._with_full_stack(places) if whole else places
            return self._draw_among(places, batch_size) if batch_size > 0 and len(places) else places
        return self._draw(batch_size)

    def _draw(self, count: int) -> NDArray[np.int64]:
        """Draw `count` places from everything stored; return none if nothing is."""
        return self.rings.drawn(self.rng.random(count))

    def _draw_among(self, places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Draw `count` of the given places."""
        return self.rng.choice(places, count)

    def _with_full_stack(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places that have `stack_num` - 1 predecessors in their episode."""
        earlier = places
        for _ in range(self.stack_num - 2):
            earlier = self.prev(earlier)
        return places[self.prev(earlier) != earlier]

    def sample(self, batch_size: int) -> tuple[Batch, NDArray[np.int64]]:
        """Return random transitions and their places (0: all in order of time).

        `UsageError` if some are asked for and there is nothing to sample from.
        """
        places = self.sample_indices(batch_size)
        if batch_size > 0 and len(places) == 0:
            what = "is empty" if len(self) == 0 else "holds no whole stack"
            raise UsageError(f"the buffer {what}: there is nothing to sample")
        return self._read(places), places

    def get(self, index: Index, key: str, default_value: Any = None, stack_num: int | None = None) -> Any:
        """Return the values of a key at `index`, stacked ([n, stack_num, ...]) if `stack_num` is above 1.

        A stack repeats the first entry of its episode where the episode is too short. `default_value` stands for a key
        that is not stored, or of which nothing is.
        """
        if default_value is not None and _is_empty(self._storage.get(key, Batch())):
            return default_value
        value = self._stacked(self._storage[key], self.rings.places(index), stack_num or self.stack_num)
        value = self._shown(key, value)
        return value[0] if isinstance(index, int | np.integer) and not _is_empty(value) else value

    def _stacked(self, value: Any, places: NDArray[np.int64], stack_num: int) -> Any:
        """Return the entries of an array or batch at `places`, stacked with those of the steps before them."""
        if _is_empty(value):
            return Batch()
        if stack_num == 1:
            return rows_at(value, places)
        steps = [places]
        for _ in range(stack_num - 1):
            steps.insert(0, self.prev(steps[0]))
        return rows_at(value, np.stack(steps, axis=1))

    def __getitem__(self, index: Index) -> Batch:
        """Return the transitions at `index` as a batch of the reserved keys; `[:]` returns all in order of time."""
        rows = self._read(self.rings.places(index))
        if isinstance(index, int | np.integer):
            row: Batch = rows[0]
            return row
        return rows

    def _read(self, places: NDArray[np.int64]) -> Batch:
        """Return the transitions at `places`, which must exist."""
        storage, stack_num = self._storage.__dict__, self.stack_num
        if "obs" not in storage:
            raise UsageError("the buffer is empty: there is nothing to read")
        rows = Batch()
        fields = rows.__dict__  # values of a Batch already
        fields["obs"] = self._shown("obs", self._stacked(storage["obs"], places, stack_num))
        fields["act"] = rows_at(storage["act"], places)
        for key in ("rew", "terminated", "truncated", "done"):
            fields[key] = storage[key][places]
        fields["obs_next"] = self.obs_next_at(places)
        for key in ("info", "policy"):
            fields[key] = self._stacked(storage[key], places, 1) if key in storage else Batch()
        return rows

    def obs_next_at(self, places: NDArray[np.int64]) -> Any:
        """Return the next observations of the transitions at `places`, which must exist."""
        storage = self._storage.__dict__
        key = "obs_next"
        if key not in storage or self._options.ignore_obs_next:
            key, places = "obs", self.next(places)
        return self._shown(key, self._stacked(storage[key], places, self.stack_num))

    def _shown(self, key: str, value: Any) -> Any:
        """Return stored entries of a key as they are read."""
        return widened(value, self._bits[key]) if key in self._bits else value


def _is_empty(value: Any) -> bool:
    return isinstance(value, Batch) and (not value.__dict__ or value.is_empty(recurse=True))
