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

from arena.base.errors import UsageError
from arena.base.files import DEPTH, parse_json
from arena.base.saving import write_whole
from arena.base.typed import record
from arena.data.batch import Batch
from arena.data.buffer.options import BufferOptions
from arena.data.buffer.soundness import require_sound
from arena.data.rows import as_array

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION = "arena replay buffer", 1
REFERENCE_BYTES = 16
"""Bytes of a reference to a variable-length text in the file."""
MOST_NESTED = 400
"""Maximum depth of nested lists and dictionaries in an object."""


def save(
    path: str | os.PathLike[str], kind: str, sizes: NDArray[np.int64], options: Mapping[str, Any], arrays: Batch
) -> None:
    """Write a file atomically, replacing an existing one.

    `UsageError` for objects that JSON does not hold, and for a folder that cannot be written.
    """
    import h5py

    def write(draft: Path) -> None:
        with h5py.File(draft, "w") as file:
            file.attrs.update(format=FORMAT, version=VERSION, sizes=sizes, options=json.dumps(options))
            file.attrs["class"] = kind
            _write(file, arrays, "")

    write_whole(Path(path), write)


def load(
    path: str | os.PathLike[str], kind: str, options: type[BufferOptions], keys: Sequence[str]
) -> tuple[list[int], BufferOptions, Batch]:
    """Load the sizes of the parts, options and arrays of a buffer of class `kind` whose keys are among `keys`.

    `UsageError` for a file that is missing, broken or something else. Only what lies in the file itself is read, and
    only what was written whole: no links, nothing that is stored in other files, compressed or left to be filled.
    """
    with opened(path) as file:
        if (stored_kind := _text_of(file, "class")) != kind:
            raise UsageError(f"{path} holds a {stored_kind}, not a {kind}")
        sizes = [int(size) for size in np.atleast_1d(file.attrs["sizes"])]
        arrays = _read(file, os.path.getsize(path))
        require_sound(sizes, arrays, keys)
        return sizes, record(options, parse_json(_text_of(file, "options")), "options."), arrays


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return the class of the buffer in a file; `UsageError` for one that is missing, broken or something else."""
    with opened(path) as file:
        return _text_of(file, "class")


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator["h5py.File"]:
    """Open the file; any error in opening or reading it within the context becomes a `UsageError`."""
    import h5py

    if not Path(path).is_file():
        raise UsageError(f"{path} is not a file")
    try:
        with h5py.File(path, "r") as file:
            if str(file.attrs.get("format", "")) != FORMAT or int(file.attrs["version"]) != VERSION:
                raise UsageError(f"{path} is not a buffer of this version written by save_hdf5")
            yield file
    except BROKEN as error:
        if isinstance(error, UsageError) and str(error).startswith(str(path)):
            raise
        reason = f": {error}" if isinstance(error, UsageError) else ""
        raise UsageError(f"{path} is damaged, or not a buffer written by save_hdf5{reason}") from error


BROKEN = (OSError, LookupError, ValueError, TypeError, AttributeError, RuntimeError, ArithmeticError, MemoryError)
"""Errors that h5py and numpy raise for malformed files."""


def _text_of(file: "h5py.File", name: str) -> str:
    """Return a text attribute of the file."""
    value = file.attrs.get(name)
    if not isinstance(value, str):
        raise UsageError(f"its attribute {name} is missing or not text")
    return value


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
            raise UsageError(f"{path}{key} has {kind}, which HDF5 cannot hold; pickle the buffer instead") from error


def _text() -> Any:
    import h5py

    return h5py.string_dtype()


def _as_json(entry: Any) -> str:
    """Return an entry as JSON; `TypeError` for a value that JSON would change, such as a tuple."""
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


def _read(group: "h5py.Group", size: int, depth: int = 0) -> Batch:
    """Return the arrays of a group, in a file of this many bytes."""
    import h5py

    if depth > DEPTH:
        raise UsageError("its groups are nested too deeply")
    batch = Batch()
    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise UsageError(f"{name} is a link to somewhere else")
        item = group[name]
        if isinstance(item, h5py.Group):
            batch[unquote(name)] = _read(item, size, depth + 1)
        else:
            _require_whole(item, name)
            batch[unquote(name)] = _from_json(item, size) if item.dtype.hasobject else item[()]
    return batch


def _require_whole(item: Any, name: str) -> None:
    """`UsageError` for a dataset whose numbers do not all lie in this file, as they are."""
    import h5py

    if not isinstance(item, h5py.Dataset) or item.shape is None:
        raise UsageError(f"{name} is not an array")
    if item.is_virtual or item.external:
        raise UsageError(f"{name} is stored in other files")
    text = h5py.check_string_dtype(item.dtype)
    if item.dtype.hasobject and text is None:
        raise UsageError(f"{name} is of the type {item.dtype}")
    if item.id.get_storage_size() != item.size * (REFERENCE_BYTES if item.dtype.hasobject else item.dtype.itemsize):
        raise UsageError(f"{name} is compressed, or was not written whole")


def _from_json(item: Any, size: int) -> NDArray[Any]:
    """Return the objects of an array of JSON texts, whose total length cannot exceed the size of the file."""
    array = np.empty(item.shape, object)
    block, left = max(16, min(4096, 2**28 // max(size, 1))), size
    for start in range(0, len(array) if array.ndim else 1, block):
        rows: Any = slice(start, start + block) if array.ndim else ()
        texts = np.atleast_1d(item.asstr()[rows])
        left -= sum(map(len, texts.flat))
        if left < 0:
            raise UsageError("its texts are longer than the file")
        objects = np.empty(texts.shape, object)
        for i, text in enumerate(texts.flat):
            objects.flat[i] = parse_json(text, MOST_NESTED, finite=False)
        array[rows] = objects if array.ndim else objects[0]
    return array
