"""`Batch`: named arrays in a hierarchy, which index, stack and compute as one.

A value is a scalar, an array (NumPy or torch), or another `Batch`; an empty `Batch()` reserves a key for a value still
to come.
"""

import copy as copying
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from arena.data import leaves

Index = Any
"""Index of the leading axes of every leaf: anything that indexes a NumPy array."""


class Batch:
    """A dictionary with attribute access whose leaves are indexed, stacked and computed with together.

    >>> batch = Batch(obs={"index": np.zeros((2, 3))}, act=np.zeros((2, 2)))
    >>> batch[:, 1] += 6
    >>> batch[-1].obs.index
    array([0., 6., 0.])
    """

    def __init__(
        self,
        batch_dict: "Mapping[str, Any] | Batch | Sequence[Mapping[str, Any] | Batch] | NDArray[Any] | None" = None,
        copy: bool = False,
        **kwargs: Any,
    ):
        """Hold the entries of a mapping, a sequence of mappings (stacked), and the keywords.

        Arrays are kept by reference unless `copy`. Lists become arrays, mappings become batches.
        """
        if copy:
            batch_dict, kwargs = copying.deepcopy((batch_dict, kwargs))
        if batch_dict is not None:
            self.update(batch_dict if isinstance(batch_dict, Batch | Mapping) else Batch.stack(list(batch_dict)))
        for key, value in kwargs.items():
            self.__dict__[key] = _to_value(value)

    # --- a dictionary -------------------------------------------------------------------------------------------

    def __setattr__(self, key: str, value: Any) -> None:
        self.__dict__[key] = _to_value(value)

    def __getattr__(self, key: str) -> Any:
        """Raise `AttributeError`; called only for keys that are absent."""
        raise AttributeError(f"Batch has no key {key!r}; it has {list(self.__dict__)}")

    def __contains__(self, key: object) -> bool:
        return key in self.__dict__

    def keys(self) -> Iterable[str]:
        """Return the keys in insertion order."""
        return self.__dict__.keys()

    def values(self) -> Iterable[Any]:
        """Return the values in the order of `keys()`."""
        return self.__dict__.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return pairs of key and value."""
        return self.__dict__.items()

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of `key`, or `default` if it is missing."""
        return self.__dict__.get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        """Remove `key` and return its value; `KeyError` if there is none and no default."""
        return self.__dict__.pop(key, *default)

    def update(self, batch: "Mapping[str, Any] | Batch | None" = None, **kwargs: Any) -> None:
        """Set the entries of `batch`, then the keywords; `TypeError` for a key that is not a string."""
        given = dict(batch.__dict__ if isinstance(batch, Batch) else batch or {})
        for key in given:
            if not isinstance(key, str):
                raise TypeError(f"a key of a Batch is a string, not {key!r}")
        for key, value in (given | kwargs).items():
            self.__dict__[key] = _to_value(value)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __eq__(self, other: object) -> bool:
        """Return whether keys, shapes and all entries are equal."""
        if not isinstance(other, Batch) or self.__dict__.keys() != other.__dict__.keys():
            return False
        pairs = [(value, other.__dict__[key]) for key, value in self.__dict__.items()]
        return all(a == b if isinstance(a, Batch) else leaves.equal(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]  # mutable, as a dict is

    # --- rows ---------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Index) -> Any:
        """Return the value of a key, or select rows of every leaf by an index; reserved keys stay reserved."""
        if isinstance(index, str):
            return self.__dict__[index]
        if not self.__dict__:
            raise IndexError("an empty Batch has no rows to index")
        rows = Batch()
        selected = rows.__dict__
        for key, value in self.__dict__.items():
            selected[key] = Batch() if _is_reserved(value) else leaves.rows_at(value, index)
        return rows

    def __setitem__(self, index: Index, value: Any) -> None:
        """Set a key, or write `value` (a batch or a mapping) into the rows of every leaf.

        Keys that `value` lacks or reserves are written as zero (None for objects). Keys that this batch lacks raise
        `ValueError` before anything is written.
        """
        value = _to_value(value)
        if isinstance(index, str):
            self.__dict__[index] = value
            return
        if not isinstance(value, Batch):
            raise ValueError(f"only a Batch or a mapping can be written into rows, not {type(value).__name__}")
        self._require_room_for(value)
        self._write(index, value)

    def _require_room_for(self, other: "Batch") -> None:
        own = self.__dict__
        for key, value in other.__dict__.items():
            if key not in own:
                raise ValueError(f"key {key!r} is not in this Batch, which has {list(own)}")
            if _is_reserved(value):
                continue
            if isinstance(value, Batch) != isinstance(own[key], Batch):
                raise ValueError(f"key {key!r} is a Batch on one side and a value on the other")
            if isinstance(value, Batch):
                own[key]._require_room_for(value)

    def _write(self, index: Index, other: "Batch") -> None:
        given = other.__dict__
        for key, own in self.__dict__.items():
            value = given.get(key, _NOTHING)
            if isinstance(own, Batch):
                own._write(index, value)
            else:
                own[leaves.index_of(own, index)] = leaves.blank(own) if _is_reserved(value) else value

    def __len__(self) -> int:
        """Return the length of the shortest leaf; `TypeError` if there is no leaf or one has no length."""
        lengths = []
        for key, value in self.__dict__.items():
            if isinstance(value, Batch):
                if not value.is_empty(recurse=True):
                    lengths.append(len(value))
            elif getattr(value, "ndim", 0):  # of any array, torch's too; `np.ndim` takes five times as long
                lengths.append(len(value))
            else:
                raise TypeError(f"this Batch has no len(): {key!r} is a scalar")
        if not lengths:
            raise TypeError("this Batch has no len(): there is no array in it")
        return min(lengths)

    def is_empty(self, recurse: bool = False) -> bool:
        """Return whether there is no key; with `recurse`, whether there is no leaf at any depth."""
        if not recurse or not self.__dict__:
            return not self.__dict__
        return all(isinstance(value, Batch) and value.is_empty(recurse=True) for value in self.__dict__.values())

    @property
    def shape(self) -> list[int]:
        """Smallest length of each axis that all leaves share; [] if there is a scalar or a reserved key."""
        shapes = [list(np.shape(value)) for value in self.__dict__.values()]
        return [min(lengths) for lengths in zip(*shapes, strict=False)]

    def __iter__(self) -> Iterator["Batch"]:
        """Iterate over rows, each a batch."""
        return (self[i] for i in range(len(self)))

    def split(self, size: int, shuffle: bool = True, merge_last: bool = False) -> Iterator["Batch"]:
        """Yield parts of `size` rows, shuffled with NumPy's global generator; `merge_last` joins the last two.

        Raises `ValueError` for a size below 1.
        """
        if size < 1:
            raise ValueError(f"size={size} is not at least 1")
        length = len(self)
        order = np.random.permutation(length) if shuffle else np.arange(length)
        starts = list(range(0, length, size))
        if merge_last and len(starts) > 1 and length % size:
            starts.pop()
        return (self[order[start:end]] for start, end in zip(starts, [*starts[1:], length], strict=False))

    # --- aggregation --------------------------------------------------------------------------------------------

    @staticmethod
    def cat(batches: "Sequence[Mapping[str, Any] | Batch]") -> "Batch":
        """Concatenate along the first axis; rows of a key that a batch lacks are zero (None for objects).

        Raises `ValueError` where a key is a batch here and a leaf there, `TypeError` for scalars and for arrays beside
        tensors.
        """
        several = [_to_batch(batch) for batch in batches]
        lengths = [0 if batch.is_empty(recurse=True) else len(batch) for batch in several]
        return _aggregate(several, leaves.concatenate, lambda example, i: leaves.blank_rows(example, lengths[i]))

    def cat_(self, batches: "Mapping[str, Any] | Batch | Sequence[Mapping[str, Any] | Batch]") -> None:
        """Append one batch or several, in place."""
        self._replace(Batch.cat([self, *([batches] if isinstance(batches, Batch | Mapping) else batches)]))

    @staticmethod
    def stack(batches: "Sequence[Mapping[str, Any] | Batch]", axis: int = 0) -> "Batch":
        """Stack along a new axis; a key that a batch lacks is zero (None for objects), allowed on axis 0 only.

        Raises `ValueError` where a key is a batch here and a leaf there, `TypeError` for arrays beside tensors.
        """

        def pad(example: Any, _: int) -> Any:
            if axis != 0:
                raise ValueError(f"batches of different keys stack along axis 0 only, not {axis}")
            return leaves.blank_like(example)

        return _aggregate([_to_batch(batch) for batch in batches], lambda values: leaves.stack(values, axis), pad)

    def stack_(self, batches: "Sequence[Mapping[str, Any] | Batch]", axis: int = 0) -> None:
        """Stack this batch (unless it is empty) and others, in place."""
        self._replace(Batch.stack([self, *batches] if self.__dict__ else batches, axis))

    def _replace(self, other: "Batch") -> Self:
        self.__dict__.clear()
        self.__dict__.update(other.__dict__)
        return self

    def empty_(self, index: Index = None) -> Self:
        """Set everything, or the rows of `index`, to zero (None for objects)."""
        for key, value in self.__dict__.items():
            if isinstance(value, Batch):
                value.empty_(index)
            elif index is None and not isinstance(value, np.ndarray) and not leaves.is_tensor(value):
                self.__dict__[key] = leaves.blank(value)
            else:
                value[... if index is None else index] = leaves.blank(value)
        return self

    @staticmethod
    def empty(batch: "Batch", index: Index = None) -> "Batch":
        """Return a copy with everything, or the rows of `index`, set to zero (None for objects)."""
        return copying.deepcopy(batch).empty_(index)

    # --- conversion and arithmetic --------------------------------------------------------------------------------

    def to_numpy(self) -> None:
        """Turn every tensor below into an array, in place."""
        for key, value in self.__dict__.items():
            if isinstance(value, Batch):
                value.to_numpy()
            elif leaves.is_tensor(value):
                self.__dict__[key] = value.detach().cpu().numpy()

    def to_torch(self, dtype: Any = None, device: Any = "cpu") -> None:
        """Turn every numeric array and scalar below into a tensor of `dtype` on `device`, in place."""
        import torch

        for key, value in self.__dict__.items():
            if isinstance(value, Batch):
                value.to_torch(dtype, device)
            elif leaves.is_tensor(value):
                self.__dict__[key] = value.to(dtype=dtype, device=device)
            elif leaves.is_numeric(value):
                self.__dict__[key] = torch.as_tensor(np.asarray(value, order="C")).to(dtype=dtype, device=device)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return a 0-dimensional object array, so that NumPy passes `np.mean(batch)` on to the batch."""
        array = np.empty((), object)
        array[()] = self
        return array

    def mean(self, axis: Any = None, dtype: Any = None, out: None = None) -> "Batch":
        """Return the mean of every leaf; called by `np.mean(batch)`, with its arguments."""
        if out is not None:
            raise TypeError("the mean of a Batch is a new Batch; it takes no out")
        result = Batch()
        for key, value in self.__dict__.items():
            nested = isinstance(value, Batch)
            result.__dict__[key] = value.mean(axis, dtype) if nested else leaves.mean(value, axis, dtype)
        return result

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any]) -> "Batch":
        """Apply `operation` leaf by leaf; in place where the operator works in place."""
        if isinstance(other, Batch):
            if self.__dict__.keys() != other.__dict__.keys():
                raise ValueError(f"keys differ: {list(self.__dict__)} and {list(other.__dict__)}")
        elif not isinstance(other, Number | np.ndarray) and not leaves.is_tensor(other):
            raise TypeError(f"a Batch does not compute with {type(other).__name__}")
        result = Batch()
        for key, value in self.__dict__.items():
            operand = other.__dict__[key] if isinstance(other, Batch) else other
            result.__dict__[key] = Batch() if _is_reserved(value) else operation(value, operand)
        return result

    def __add__(self, other: Any) -> "Batch":
        return self._combine(other, operator.add)

    def __sub__(self, other: Any) -> "Batch":
        return self._combine(other, operator.sub)

    def __mul__(self, other: Any) -> "Batch":
        return self._combine(other, operator.mul)

    def __truediv__(self, other: Any) -> "Batch":
        return self._combine(other, operator.truediv)

    def __iadd__(self, other: Any) -> Self:
        return self._replace(self._combine(other, operator.iadd))

    def __isub__(self, other: Any) -> Self:
        return self._replace(self._combine(other, operator.isub))

    def __imul__(self, other: Any) -> Self:
        return self._replace(self._combine(other, operator.imul))

    def __itruediv__(self, other: Any) -> Self:
        return self._replace(self._combine(other, operator.itruediv))

    def __repr__(self) -> str:
        """Return the text, with one line for each key."""
        name = type(self).__name__
        if not self.__dict__:
            return f"{name}()"
        lines = []
        for key, value in self.__dict__.items():
            indent = "\n" + " " * (6 + len(key))
            lines.append(f"    {key}: {leaves.text(value).replace(chr(10), indent)},")
        return "\n".join([f"{name}(", *lines, ")"])


_NOTHING = Batch()


def _is_reserved(value: Any) -> bool:
    return isinstance(value, Batch) and not value.__dict__


def _to_batch(value: "Mapping[str, Any] | Batch") -> Batch:
    if isinstance(value, Batch):
        return value
    if isinstance(value, Mapping):
        return Batch(value)
    raise TypeError(f"expected a Batch or a mapping, not {type(value).__name__}")


def _to_value(value: Any) -> Any:
    """Return a value as a batch stores it: mappings as batches, lists as arrays (of objects where they must be)."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "OUS":  # the common case, and the first to be decided
            return value
        return Batch.stack(list(value)) if value.ndim and _all_batches(value.flat) else leaves.tidy(value)
    if isinstance(value, Batch):
        return value
    if isinstance(value, list | tuple):
        return Batch.stack(value) if _all_batches(value) else leaves.to_array(value)
    return Batch(value) if isinstance(value, Mapping) else value


def _all_batches(items: Iterable[Any]) -> bool:
    """Return whether a collection is not empty and holds only batches and mappings."""
    kinds = [isinstance(item, Batch | Mapping) for item in items]
    return bool(kinds) and all(kinds)


def _aggregate(batches: list[Batch], join: Callable[[list[Any]], Any], pad: Callable[[Any, int], Any]) -> Batch:
    """Join batches key by key; `pad(example, i)` is what batch number i contributes to a key that it lacks.

    The values of a key must all be batches or all be leaves; a reserved key fits either and counts as lacking.
    """
    result = Batch()
    for key in dict.fromkeys(key for batch in batches for key in batch.__dict__):
        values = [batch.__dict__.get(key, _NOTHING) for batch in batches]
        if not any([isinstance(value, Batch) for value in values]):  # the common case: leaves, and none of them lacking
            result.__dict__[key] = join(values)
            continue
        present = [value for value in values if not _is_reserved(value)]
        nested = sum(isinstance(value, Batch) for value in present)
        if nested == len(present):
            result.__dict__[key] = _aggregate(values, join, pad)
        elif nested:
            raise ValueError(f"key {key!r} is a Batch in some of the batches and a value in others")
        else:
            result.__dict__[key] = join(
                [pad(present[0], i) if _is_reserved(value) else value for i, value in enumerate(values)]
            )
    return result
