"""`Batch`: named arrays in a hierarchy, which index, stack and compute as one.

A value is a scalar, an array (NumPy or torch), or another `Batch`; an empty `Batch()` reserves a key for a value still
to come. torch is used where the values are tensors and imported nowhere else.
"""

import copy as copying
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Index = Any
"""What indexes the leading axes of every leaf: anything that indexes a NumPy array."""


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
            batch_dict = copying.deepcopy(batch_dict)
            kwargs = copying.deepcopy(kwargs)
        if isinstance(batch_dict, Batch | Mapping):
            for key, value in batch_dict.items():
                self.__dict__[_checked_key(key)] = _to_value(value)
        elif batch_dict is not None:
            self.stack_(list(batch_dict))
        for key, value in kwargs.items():
            self.__dict__[key] = _to_value(value)

    # --- a dictionary -------------------------------------------------------------------------------------------

    def __setattr__(self, key: str, value: Any) -> None:
        self.__dict__[key] = _to_value(value)

    def __getattr__(self, key: str) -> Any:
        """Only reached when `key` is absent."""
        raise AttributeError(f"Batch has no key {key!r}; it has {list(self.__dict__)}")

    def __contains__(self, key: object) -> bool:
        return key in self.__dict__

    def keys(self) -> Iterable[str]:
        """Keys in the order in which they were set."""
        return self.__dict__.keys()

    def values(self) -> Iterable[Any]:
        """Values in the order of `keys()`."""
        return self.__dict__.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of key and value."""
        return self.__dict__.items()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of `key`, `default` if there is none."""
        return self.__dict__.get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        """Remove `key` and return its value."""
        return self.__dict__.pop(key, *default)

    def update(self, batch: "Mapping[str, Any] | Batch | None" = None, **kwargs: Any) -> None:
        """Set the entries of `batch`, then the keywords."""
        for key, value in [*(batch or {}).items(), *kwargs.items()] if batch is not None else kwargs.items():
            self.__dict__[_checked_key(key)] = _to_value(value)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __eq__(self, other: object) -> bool:
        """Same keys, and equal leaves of equal shape throughout."""
        if not isinstance(other, Batch) or set(self.keys()) != set(other.keys()):
            return False
        return all(_equal(value, other[key]) for key, value in self.items())

    __hash__ = None  # type: ignore[assignment]  # mutable, as a dict is

    # --- rows ---------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Index) -> Any:
        """The value of a key, or the rows that an index selects from every leaf; reserved keys stay reserved."""
        if isinstance(index, str):
            return self.__dict__[index]
        if not self.__dict__:
            raise IndexError("an empty Batch has no rows to index")
        rows = Batch()
        for key, value in self.items():
            rows.__dict__[key] = Batch() if _is_reserved(value) else value[index]
        return rows

    def __setitem__(self, index: Index, value: Any) -> None:
        """Set a key, or write `value` (a batch or a mapping) into the rows of every leaf.

        Keys that `value` lacks are written as zero (None for objects); keys that this batch lacks raise `ValueError`.
        """
        if isinstance(index, str):
            self.__dict__[index] = _to_value(value)
            return
        value = _to_value(value)
        if not isinstance(value, Batch):
            raise ValueError(f"only a Batch or a mapping can be written into rows, not {type(value).__name__}")
        unknown = set(value.keys()) - set(self.keys())
        if unknown:
            raise ValueError(f"keys {sorted(unknown)} are not in this Batch, which has {list(self.keys())}")
        for key, own in self.items():
            if key in value:
                own[index] = value[key]
            elif isinstance(own, Batch):
                if not own.is_empty():
                    own[index] = Batch()
            else:
                own[index] = _blank(own)

    def __len__(self) -> int:
        """Length of the shortest leaf; `TypeError` where a leaf has no length or there is none."""
        lengths = []
        for value in self.values():
            if isinstance(value, Batch) and value.is_empty(recurse=True):
                continue
            if not isinstance(value, Batch) and (not hasattr(value, "__len__") or np.ndim(value) == 0):
                raise TypeError("a Batch with a scalar in it has no length")
            lengths.append(len(value))
        if not lengths:
            raise TypeError("a Batch without arrays has no length")
        return min(lengths)

    def is_empty(self, recurse: bool = False) -> bool:
        """Whether there is no key; with `recurse`, whether there is no leaf anywhere below either."""
        if not recurse:
            return not self.__dict__
        return all(isinstance(value, Batch) and value.is_empty(recurse=True) for value in self.values())

    @property
    def shape(self) -> list[int]:
        """Smallest length of each axis that all leaves have; [] with a scalar or a reserved key among them."""
        shapes = [list(getattr(value, "shape", ())) for value in self.values()]
        return [min(lengths) for lengths in zip(*shapes, strict=False)] if shapes else []

    def __iter__(self) -> Iterator["Batch"]:
        """The rows, one batch each."""
        return (self[i] for i in range(len(self)))

    def split(self, size: int, shuffle: bool = True, merge_last: bool = False) -> Iterator["Batch"]:
        """Parts of `size` rows, shuffled with NumPy's global generator; `merge_last` joins the rest to the last part.

        Raises `ValueError` for a size below 1.
        """
        if size < 1:
            raise ValueError(f"size={size} is not at least 1")
        length = len(self)
        order = np.random.permutation(length) if shuffle else np.arange(length)
        ends = list(range(size, length, size))
        if merge_last and ends and length % size:
            ends.pop()
        for part in np.split(order, ends):
            yield self[part]

    # --- aggregation --------------------------------------------------------------------------------------------

    @staticmethod
    def cat(batches: "Sequence[Mapping[str, Any] | Batch]") -> "Batch":
        """Concatenate along the first axis; rows of a key that a batch lacks are zero (None for objects)."""
        return _aggregate([_to_batch(batch) for batch in batches], _concatenate)

    def cat_(self, batches: "Mapping[str, Any] | Batch | Sequence[Mapping[str, Any] | Batch]") -> None:
        """Append one batch or several, in place."""
        several = [batches] if isinstance(batches, Batch | Mapping) else list(batches)
        self._replace(Batch.cat([self, *several] if self.__dict__ else several))

    @staticmethod
    def stack(batches: "Sequence[Mapping[str, Any] | Batch]", axis: int = 0) -> "Batch":
        """Stack along a new axis; a key that a batch lacks is zero (None for objects), allowed on axis 0 only."""
        several = [_to_batch(batch) for batch in batches]
        if axis != 0 and any(set(batch.keys()) != set(several[0].keys()) for batch in several):
            raise ValueError(f"batches of different keys stack along axis 0 only, not {axis}")
        return _aggregate(several, lambda values, _: _stack(values, axis))

    def stack_(self, batches: "Sequence[Mapping[str, Any] | Batch]", axis: int = 0) -> None:
        """Stack this batch (unless it is empty) and others, in place."""
        self._replace(Batch.stack([self, *batches] if self.__dict__ else batches, axis))

    def _replace(self, other: "Batch") -> None:
        self.__dict__.clear()
        self.__dict__.update(other.__dict__)

    def empty_(self, index: Index = None) -> Self:
        """Set everything, or the rows of `index`, to zero (None for objects)."""
        for key, value in self.items():
            if isinstance(value, Batch):
                value.empty_(index)
            elif index is None and (np.ndim(value) == 0 or not hasattr(value, "__setitem__")):
                self.__dict__[key] = _blank(value)
            else:
                value[slice(None) if index is None else index] = _blank(value)
        return self

    @staticmethod
    def empty(batch: "Batch", index: Index = None) -> "Batch":
        """A copy with everything, or the rows of `index`, set to zero (None for objects)."""
        return copying.deepcopy(batch).empty_(index)

    # --- conversion and arithmetic --------------------------------------------------------------------------------

    def to_numpy(self) -> None:
        """Turn every tensor below into an array, in place."""
        for key, value in self.items():
            if isinstance(value, Batch):
                value.to_numpy()
            elif _is_tensor(value):
                self.__dict__[key] = value.detach().cpu().numpy()

    def to_torch(self, dtype: Any = None, device: Any = "cpu") -> None:
        """Turn every numeric array and scalar below into a tensor of `dtype` on `device`, in place."""
        import torch

        for key, value in self.items():
            if isinstance(value, Batch):
                value.to_torch(dtype, device)
            elif _is_tensor(value) or (isinstance(value, np.ndarray | np.number | np.bool_ | Number) and _numeric(value)):
                tensor = value if _is_tensor(value) else torch.as_tensor(np.asarray(value))
                self.__dict__[key] = tensor.to(dtype=dtype, device=device)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """A 0-dimensional object array: a batch is one thing to NumPy, so that `np.mean(batch)` asks the batch."""
        array = np.empty((), object)
        array[()] = self
        return array

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> "Batch":
        """Mean of every leaf; what `np.mean(batch)` calls."""
        return self._map(lambda value: value.mean(axis=axis))

    def _map(self, function: Callable[[Any], Any]) -> "Batch":
        result = Batch()
        for key, value in self.items():
            result.__dict__[key] = value._map(function) if isinstance(value, Batch) else function(value)
        return result

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any]) -> "Batch":
        """Apply `operation` leaf by leaf; in place where the operator works in place."""
        if isinstance(other, Batch):
            if set(other.keys()) != set(self.keys()):
                raise ValueError(f"keys differ: {list(self.keys())} and {list(other.keys())}")
        elif not isinstance(other, Number | np.ndarray | np.number) and not _is_tensor(other):
            raise TypeError(f"a Batch does not compute with {type(other).__name__}")
        result = Batch()
        for key, value in self.items():
            operand = other[key] if isinstance(other, Batch) else other
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
        self._replace(self._combine(other, operator.iadd))
        return self

    def __isub__(self, other: Any) -> Self:
        self._replace(self._combine(other, operator.isub))
        return self

    def __imul__(self, other: Any) -> Self:
        self._replace(self._combine(other, operator.imul))
        return self

    def __itruediv__(self, other: Any) -> Self:
        self._replace(self._combine(other, operator.itruediv))
        return self

    def __repr__(self) -> str:
        """One key a line, nested batches indented."""
        name = type(self).__name__
        if not self.__dict__:
            return f"{name}()"
        lines = []
        for key, value in self.items():
            indent = "\n" + " " * (6 + len(key) if not isinstance(value, Batch) else 4)
            lines.append(f"    {key}: {repr(value).replace(chr(10), indent)},")
        return "\n".join([f"{name}(", *lines, ")"])


def _checked_key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of a Batch is a string, not {key!r}")
    return key


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_reserved(value: Any) -> bool:
    return isinstance(value, Batch) and value.is_empty()


def _to_batch(value: "Mapping[str, Any] | Batch") -> Batch:
    if not isinstance(value, Batch | Mapping):
        raise TypeError(f"expected a Batch or a mapping, not {type(value).__name__}")
    return value if isinstance(value, Batch) else Batch(value)


def _to_value(value: Any) -> Any:
    """What a batch stores for a value: mappings become batches, lists arrays (of objects where they must)."""
    if isinstance(value, Mapping):
        return Batch(value)
    if isinstance(value, Batch | Number | str | np.generic | np.ndarray) or value is None or _is_tensor(value):
        return _tidy_array(value) if isinstance(value, np.ndarray) else value
    if isinstance(value, list | tuple):
        return _sequence_to_value(value)
    return value


def _sequence_to_value(value: Sequence[Any]) -> Any:
    if value and all(isinstance(item, Batch | Mapping) for item in value):
        return Batch.stack(value)
    if value and all(_is_tensor(item) for item in value):
        return _stack(list(value), 0)
    try:
        return _tidy_array(np.asanyarray(value))
    except ValueError:  # rows of different lengths
        array = np.empty(len(value), object)
        array[:] = value
        return array


def _tidy_array(array: NDArray[Any]) -> Any:
    """Text becomes objects (a fixed width would cut later entries); an array of mappings becomes a batch."""
    if array.dtype.kind in "US":
        return array.astype(object)
    if array.dtype == object and array.size and array.ndim and all(isinstance(x, Batch | Mapping) for x in array.flat):
        return Batch.stack(list(array))
    return array


def _numeric(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "biufc"


def _blank(value: Any) -> Any:
    """Zero of the type of a value, None for objects."""
    if isinstance(value, np.ndarray) or _is_tensor(value):
        return None if value.dtype == object else 0
    return type(value)(0) if isinstance(value, Number | np.number | np.bool_) else None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Batch) or isinstance(b, Batch):
        return bool(a == b)
    if _is_tensor(a) != _is_tensor(b) or np.shape(a) != np.shape(b):
        return False
    return bool(np.all(a == b)) if not _is_tensor(a) else bool((a == b).all())


def _stack(values: list[Any], axis: int) -> Any:
    if _is_tensor(values[0]):
        return sys.modules["torch"].stack(values, axis)
    kinds = [np.asarray(value) for value in values if value is not None]
    if any(array.dtype.kind in "OUS" for array in kinds) or len(kinds) < len(values):
        shape = next((array.shape for array in kinds), ())
        if all(array.shape == shape for array in kinds):
            result = np.empty((len(values), *shape), object)
            for i, value in enumerate(values):
                result[i] = value
            return result
    return np.stack([np.asarray(value) for value in values], axis)


def _concatenate(values: list[Any], lengths: list[int]) -> Any:
    if _is_tensor(values[0]):
        return sys.modules["torch"].cat(values)
    return np.concatenate(values)


def _aggregate(batches: list[Batch], join: Callable[[list[Any], list[int]], Any]) -> Batch:
    """Join batches key by key, by the rules of heterogeneous aggregation.

    A key's values must all be batches or all be leaves; `ValueError` otherwise. A reserved key fits either.
    """
    stacking = join is not _concatenate
    batches = [batch for batch in batches if stacking or not batch.is_empty()]
    keys = list(dict.fromkeys(key for batch in batches for key in batch.keys()))
    lengths = [] if stacking else [_length(batch) for batch in batches]
    result = Batch()
    for key in keys:
        present = [batch[key] for batch in batches if key in batch and not _is_reserved(batch[key])]
        if not present:
            result.__dict__[key] = Batch()
        elif all(isinstance(value, Batch) for value in present):
            result.__dict__[key] = _aggregate_nested(key, batches, lengths, join)
        elif any(isinstance(value, Batch) for value in present):
            raise ValueError(f"key {key!r} is a Batch in some of the batches and a value in others")
        else:
            values = [
                batch[key] if key in batch and not _is_reserved(batch[key]) else _padding(present[0], length)
                for batch, length in zip(batches, lengths or [None] * len(batches), strict=True)
            ]
            result.__dict__[key] = join(values, lengths)
    return result


def _aggregate_nested(
    key: str, batches: list[Batch], lengths: list[int], join: Callable[[list[Any], list[int]], Any]
) -> Batch:
    """Join the batches below one key; where it is missing, a blank of the first that has it stands in."""
    example = next(batch[key] for batch in batches if key in batch and not _is_reserved(batch[key]))
    parts = []
    for i, batch in enumerate(batches):
        if key in batch and not _is_reserved(batch[key]):
            parts.append(batch[key])
        elif lengths:
            parts.append(example._map(lambda value, n=lengths[i]: _padding(value, n)))  # type: ignore[misc]
        else:
            parts.append(Batch.empty(example))
    return _aggregate(parts, join)


def _length(batch: Batch) -> int:
    return 0 if batch.is_empty(recurse=True) else len(batch)


def _padding(example: Any, length: int | None) -> Any:
    """A blank like `example`: of its shape where batches are stacked, of `length` rows where they are joined."""
    if length is None:
        if isinstance(example, np.ndarray):
            return np.full_like(example, _blank(example))
        return example.new_zeros(example.shape) if _is_tensor(example) else _blank(example)
    shape = (length, *example.shape[1:])
    return np.full(shape, _blank(example), example.dtype) if isinstance(example, np.ndarray) else example.new_zeros(shape)
