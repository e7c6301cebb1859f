"""The moves of a match, or their times, as bytes: the width of each (1, 2 or 4), then all, the least byte first."""

from collections.abc import Sequence

import numpy as np

from arena.errors import UsageError


def pack(actions: Sequence[int]) -> bytes:
    """The bytes of a match; an action takes one byte if all are below 256."""
    try:
        return b"\1" + bytes(actions)
    except ValueError:  # one takes more
        width = 2 if max(actions) < 1 << 16 else 4
        return bytes([width]) + np.array(actions, f"<u{width}").tobytes()


def unpack(packed: bytes) -> tuple[int, ...]:
    """The actions in the bytes of a match; `UsageError` for bytes that `pack` did not make."""
    width = packed[0] if packed else 0
    if width not in (1, 2, 4) or (len(packed) - 1) % width:
        raise UsageError("its moves cannot be read")
    return tuple(np.frombuffer(packed, f"<u{width}", offset=1).tolist())
