"""Moves of a match, or their times, as bytes: the width of an entry (1, 2 or 4), then all entries, little-endian.

Moves of continuous actions begin with the byte `REAL`, then the number of entries of a move (two bytes), then all of
them in single precision.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from arena.base.errors import UsageError

MOST_BYTES = 2**22
"""Most bytes read for a match: a million moves, a hundred times as many as any game takes."""


REAL = 0x80
"""First byte of continuous actions."""
Action = int | tuple[float, ...]


def pack(actions: Sequence[Action]) -> bytes:
    """Return the bytes of actions; one byte each if all are below 256."""
    if actions and isinstance(actions[0], tuple):
        return bytes([REAL]) + len(actions[0]).to_bytes(2, "little") + np.array(actions, "<f4").tobytes()
    return pack_numbers(cast(Sequence[int], actions))


def pack_numbers(actions: Sequence[int]) -> bytes:
    """Return the bytes of whole numbers; one byte each if all are below 256."""
    try:
        return b"\1" + bytes(actions)
    except ValueError:  # an action of 256 or more
        width = 2 if max(actions) < 1 << 16 else 4
        return bytes([width]) + np.array(actions, f"<u{width}").tobytes()


def unpack(packed: bytes) -> tuple[Action, ...]:
    """Return the actions from their bytes; `UsageError` for bytes that `pack` cannot produce."""
    if not isinstance(packed, bytes) or len(packed) > MOST_BYTES:
        raise UsageError("its moves cannot be read")
    return _unpack_real(packed) if packed[:1] == bytes([REAL]) else unpack_numbers(packed)


def unpack_numbers(packed: bytes) -> tuple[int, ...]:
    """Return whole numbers from their bytes; `UsageError` for bytes that `pack_numbers` cannot produce."""
    if not isinstance(packed, bytes) or len(packed) > MOST_BYTES:
        raise UsageError("its moves cannot be read")
    width = packed[0] if packed else 0
    if width not in (1, 2, 4) or (len(packed) - 1) % width:
        raise UsageError("its moves cannot be read")
    return tuple(np.frombuffer(packed, f"<u{width}", offset=1).tolist())


def _unpack_real(packed: bytes) -> tuple[tuple[float, ...], ...]:
    entries = int.from_bytes(packed[1:3], "little")
    if entries == 0 or len(packed) < 3 or (len(packed) - 3) % (4 * entries):
        raise UsageError("its moves cannot be read")
    values = np.frombuffer(packed, "<f4", offset=3).reshape(-1, entries)
    if not np.isfinite(values).all():
        raise UsageError("its moves cannot be read")
    return tuple(map(tuple, values.tolist()))
