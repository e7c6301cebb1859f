"""Moves of a match, or their times, as bytes: the width of an entry (1, 2 or 4), then all entries, little-endian."""

from collections.abc import Sequence

import numpy as np

from arena.base.errors import UsageError

MOST_BYTES = 2**22
"""Most bytes read for a match: a million moves, a hundred times as many as any game takes."""


def pack(actions: Sequence[int]) -> bytes:
    """Return the bytes of actions; one byte each if all are below 256."""
    try:
        return b"\1" + bytes(actions)
    except ValueError:  # an action of 256 or more
        width = 2 if max(actions) < 1 << 16 else 4
        return bytes([width]) + np.array(actions, f"<u{width}").tobytes()


def unpack(packed: bytes) -> tuple[int, ...]:
    """Return the actions from their bytes; `UsageError` for bytes that `pack` cannot produce."""
    if not isinstance(packed, bytes) or len(packed) > MOST_BYTES:
        raise UsageError("its moves cannot be read")
    width = packed[0] if packed else 0
    if width not in (1, 2, 4) or (len(packed) - 1) % width:
        raise UsageError("its moves cannot be read")
    return tuple(np.frombuffer(packed, f"<u{width}", offset=1).tolist())
