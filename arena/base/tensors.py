"""Files of tensors (safetensors): one that is read may be anybody's, so that its header is checked before them."""

import hashlib
import json
import math
import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import CheckpointError
from arena.base.files import open_regular, parse_json, reason
from arena.base.typed import Count, FieldError, field

HEADER_BYTES = 2**24
"""Maximum size of a header."""
NUMPY = {"BOOL": "|b1", "I8": "|i1", "U8": "|u1", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
NUMPY |= {f"{sign}{8 * size}": f"<{sign.lower()}{size}" for sign in "IU" for size in (2, 4, 8)}
"""NumPy's dtypes by their names in safetensors headers; of bfloat16 it has none."""
BITS = {"BF16": 16} | {name: 8 * np.dtype(dtype).itemsize for name, dtype in NUMPY.items()}
"""Bits of a number by these names; other dtypes are refused."""
NAMES = {dtype: name for name, dtype in NUMPY.items()}
METADATA = "__metadata__"


@dataclass(frozen=True)
class TensorInfo:
    """Dtype and shape of a tensor, as a header gives them."""

    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}"


Check = Callable[[Mapping[str, TensorInfo]], None]
"""Raises `UsageError` for tensors that do not fit what they are read for."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write arrays into a file of tensors; return its SHA-256. Raises `OSError` as the system does.

    The functions of the package safetensors hold two copies of all arrays, or replace what is at `path`.
    """
    header: dict[str, Any] = {}
    reached, digest = 0, hashlib.sha256()
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0]))  # so that all lie aligned
    for name, array in ordered:
        begin, reached = reached, reached + array.nbytes
        header[name] = {"dtype": NAMES[array.dtype.str], "shape": array.shape, "data_offsets": (begin, reached)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    parts: list[bytes | memoryview] = [struct.pack("<Q", len(text)) + text, *(_content(array) for _, array in ordered)]
    with path.open("wb") as file:
        for part in parts:
            file.write(part)
            digest.update(part)
    return digest.hexdigest()


def read_arrays(path: Path, check: Check | None = None) -> tuple[dict[str, NDArray[Any]], str]:
    """Return the arrays of a file of tensors whose header is sound and which `check` lets pass, and its SHA-256.

    Raises `CheckpointError` for a file that cannot be read, whose header names a tensor twice or does not fit its
    size, or which this machine's memory does not hold; `check` is asked before the tensors are read.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            start = _exactly(file.read, 8)
            (length,) = struct.unpack("<Q", start)
            if length > min(HEADER_BYTES, size - 8):
                raise ValueError("its header is cut off, or too long")
            header = _exactly(file.read, length)
            tensors = read_header(header, size - 8 - length)
            if check is not None:
                check(tensors)
            if size > memory_bytes():
                raise ValueError(f"its {size:,} bytes are more than the memory of this machine")
            digest = hashlib.sha256(start + header)
            arrays = {name: _read_array(file, info, digest.update) for name, info in tensors.items()}
            return arrays, digest.hexdigest()
    except CheckpointError:
        raise
    except (OSError, ValueError, OverflowError) as error:
        raise CheckpointError(f"{path} cannot be read: {reason(error)}") from None


def _read_array(file: FileIO, info: TensorInfo, note: Callable[[Any], None]) -> NDArray[Any]:
    """Read the next tensor of a file, and pass on its bytes."""
    if info.dtype not in NUMPY:
        raise ValueError(f"NumPy has no {info.dtype}")
    array = np.empty(info.shape, NUMPY[info.dtype])
    content, filled = _content(array), 0
    while filled < len(content):
        count = file.readinto(content[filled:])
        if not count:
            raise ValueError("its end is missing")
        filled += count
    note(content)
    return array


def _content(array: NDArray[Any]) -> memoryview:
    """Return the bytes of an array, without a copy if they lie in the order of C."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def header_of(content: bytes) -> dict[str, TensorInfo]:
    """Return the tensors that the header of a safetensors file describes, given its bytes; `ValueError` if invalid."""
    length = struct.unpack("<Q", content[:8])[0] if len(content) >= 8 else HEADER_BYTES + 1
    if length > min(HEADER_BYTES, len(content) - 8):
        raise ValueError("its header is cut off, or too long")
    return read_header(content[8 : 8 + length], len(content) - 8 - length)


def read_header(text: bytes, size: int) -> dict[str, TensorInfo]:
    """Return the tensors that a header describes, in their order; `ValueError` unless they fill `size` bytes."""
    described = parse_json(text)
    if not isinstance(described, dict):
        raise FieldError("its header is not a JSON object")
    tensors, parts = {}, []
    for name, description in described.items():
        if name == METADATA:
            continue
        if not isinstance(description, dict):
            raise FieldError(f"its header does not describe {name!r}")
        info = TensorInfo(field(description, "dtype", str), field(description, "shape", tuple[Count, ...]))
        begin, end = field(description, "data_offsets", tuple[Count, Count])
        if info.dtype not in BITS or (end - begin) * 8 != math.prod(info.shape) * BITS[info.dtype]:
            raise FieldError(f"its header does not describe {name!r}: {info} are not {end - begin} bytes")
        tensors[name] = info
        parts.append((begin, end, name))
    reached = 0
    for begin, end, _ in sorted(parts):
        if begin != reached:
            raise FieldError("its tensors overlap or have gaps between them")
        reached = end
    if reached != size:
        raise FieldError(f"its tensors take {reached:,} bytes, and {size:,} are there")
    return {name: tensors[name] for _, _, name in sorted(parts)}


def memory_bytes() -> int:
    """Return how much memory this machine has; 64 GiB where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2**36


def _exactly(read: Callable[[int], Any], count: int) -> bytes:
    """Read exactly this number of bytes, although a file may return fewer at a time."""
    parts: list[bytes] = []
    left = count
    while left and (part := read(left)):
        parts.append(part)
        left -= len(part)
    if left:
        raise ValueError("its end is missing")
    return parts[0] if len(parts) == 1 else b"".join(parts)
