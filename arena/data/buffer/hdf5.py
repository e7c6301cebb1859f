"""Buffers as HDF5 files: what is in memory, under the names it has there, and nothing that runs code when it is read.

The file's attributes are `format`, `version`, `class`, `sizes` of the parts and `options` (JSON). Its groups `storage`
and `counters` hold a dataset for each array and a group for each nested batch; a reserved key is an empty group. An
array of objects is written if its entries are what JSON holds (text, numbers, None, lists and dictionaries), each as
JSON text, and refused if not.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.buffer.options import Options
from arena.data.rows import as_array
from arena.errors import UsageError

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION = "arena replay buffer", 1


def save(
    path: str | os.PathLike[str], kind: str, sizes: NDArray[np.int64], options: Mapping[str, Any], arrays: Batch
) -> None:
    """Write a file; one that was there is replaced once the new one is whole.

    `UsageError` for objects that JSON does not hold, and for a folder that cannot be written.
    """
    import h5py

    path = Path(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with h5py.File(unfinished, "w") as file:
            file.attrs.update(format=FORMAT, version=VERSION, sizes=sizes, options=json.dumps(options))
            file.attrs["class"] = kind
            _write(file, arrays, "")
        os.replace(unfinished, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}".splitlines()[0]) from error
    finally:
        unfinished.unlink(missing_ok=True)


def load(
    path: str | os.PathLike[str], kind: str, options: type[Options], keys: Sequence[str]
) -> tuple[list[int], Options, Batch]:
    """Sizes of the parts, options and arrays of a file that holds a buffer of class `kind` with keys among `keys`.

    `UsageError` for a file that is missing, broken or something else.
    """
    with _opened(path) as file:
        if file.attrs["class"] != kind:
            raise UsageError(f"{path} holds a {file.attrs['class']}, not a {kind}")
        sizes = [int(size) for size in file.attrs["sizes"]]
        arrays = _read(file)
        _require_sound(sizes, arrays, keys)
        return sizes, options(**json.loads(file.attrs["options"])), arrays


def kind_of(path: str | os.PathLike[str]) -> str:
    """The class of the buffer in a file; `UsageError` for one that is missing, broken or something else."""
    with _opened(path) as file:
        return str(file.attrs["class"])


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator["h5py.File"]:
    """The file, open; what goes wrong with it becomes a `UsageError`."""
    import h5py

    if not Path(path).is_file():
        raise UsageError(f"{path} is not a file")
    try:
        with h5py.File(path, "r") as file:
            if file.attrs.get("format") != FORMAT or int(file.attrs["version"]) != VERSION:
                raise UsageError(f"{path} is no buffer of this version, written by save_hdf5")
            yield file
    except UsageError:
        raise
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise UsageError(f"{path} is broken, or no buffer written by save_hdf5") from error


def _write(group: "h5py.Group", batch: Batch, path: str) -> None:
    for key, value in batch.items():
        name = quote(key, safe="").replace(".", "%2E")  # in HDF5, '/' and '.' lead elsewhere
        if isinstance(value, Batch):
            _write(group.create_group(name), value, f"{path}{key}.")
            continue
        array = as_array(value)
        try:
            if array.dtype != object:
                group.create_dataset(name, data=array)
                continue
            texts = np.array([_as_json(entry) for entry in array.flat], object).reshape(array.shape)
            group.create_dataset(name, data=texts, dtype=_text()).attrs["json"] = True
        except TypeError as error:
            kind = f"an array of {array.dtype}" if array.dtype != object else str(error)
            raise UsageError(f"{path}{key} has {kind}, which HDF5 does not hold; pickle the buffer instead") from error


def _text() -> Any:
    import h5py

    return h5py.string_dtype()


def _as_json(entry: Any) -> str:
    """An entry as JSON; `TypeError` for what would not come back as it was, such as a tuple."""
    text = json.dumps(entry) if _is_plain(entry) else None
    if text is None:
        raise TypeError(f"an object of type {type(entry).__name__}")
    return text


def _is_plain(entry: Any) -> bool:
    if type(entry) is dict:
        return all(type(key) is str and _is_plain(value) for key, value in entry.items())
    if type(entry) is list:
        return all(_is_plain(value) for value in entry)
    return entry is None or type(entry) in (str, bool, int, float)


def _read(group: "h5py.Group") -> Batch:
    import h5py

    batch = Batch()
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            batch[unquote(name)] = _read(item)
        elif item.attrs.get("json", False):
            batch[unquote(name)] = _from_json(item.asstr()[()])
        else:
            batch[unquote(name)] = item[()]
    return batch


def _from_json(texts: NDArray[Any]) -> NDArray[Any]:
    array = np.empty(texts.shape, object)
    for i, text in enumerate(texts.flat):
        array.flat[i] = json.loads(text)
    return array


def _require_sound(sizes: list[int], arrays: Batch, keys: Sequence[str]) -> None:
    """Refuse arrays and counters that lead out of the storage: compiled code does not look."""
    counters, total = arrays.counters, sum(sizes)
    size, start = np.array(sizes), np.cumsum([0, *sizes[:-1]])
    of_parts: dict[str, tuple[Any, Any]] = {
        "cursor": (0, size),
        "fill": (0, size + 1),
        "length": (0, np.iinfo(np.int64).max),
    }
    of_parts |= {"newest": (start, start + size), "start": (start, start + size)}
    sound = min(sizes) > 0 and set(arrays.storage.keys()) <= set(keys) and _lengths(arrays.storage) <= {total}
    for name, (low, high) in of_parts.items():
        counter = counters[name]
        sound = sound and counter.dtype == np.int64 and counter.shape == size.shape
        sound = sound and bool(((counter >= low) & (counter < high)).all())
    sound = sound and counters.done.dtype == np.bool_ and counters.done.shape == (total,)
    sound = sound and counters.ret.dtype == np.float64 and counters.ret.ndim == 2 and len(counters.ret) == len(sizes)
    if not sound:
        raise ValueError("counters and arrays do not fit each other")


def _lengths(batch: Batch) -> set[int]:
    """Lengths of all arrays of a nested batch."""
    lengths: set[int] = set()
    for value in batch.values():
        lengths |= _lengths(value) if isinstance(value, Batch) else {len(value)}
    return lengths
