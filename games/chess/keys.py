"""Keys of positions (Zobrist 1970): random words, one for each thing that tells positions apart, added bit by bit.

Positions are the same for the draw by repetition if the same player is to move and may move in the same ways: castling
rights count, and en passant where it is legal.
"""

from typing import Any

import numpy as np

from games.chess.board import BOARDS, KING, ROOK
from games.engine.attacks import CASTLING_KEPT
from games.engine.jit import njit

_RANDOM = np.random.default_rng(1970)
PIECE_KEYS = _RANDOM.integers(1, 2**64, (2, 7, 64), np.uint64)
"""[seat, kind, square]"""
CASTLING_KEYS = _RANDOM.integers(1, 2**64, 16, np.uint64)
EP_KEYS = _RANDOM.integers(1, 2**64, 8, np.uint64)
TURN_KEY = _RANDOM.integers(1, 2**64, dtype=np.uint64)


@njit
def key_after(state: Any, kind: int, origin: int, target: int) -> Any:
    """Return the key after a piece has moved, castling included, captures and promotions not."""
    seat = np.int64(state.turn)
    rights = state.castling & CASTLING_KEPT[origin] & CASTLING_KEPT[target]
    key = state.keys[state.clock] ^ TURN_KEY ^ CASTLING_KEYS[state.castling] ^ CASTLING_KEYS[rights]
    key ^= PIECE_KEYS[seat, kind, origin] ^ PIECE_KEYS[seat, kind, target]
    if state.ep_capture:
        key ^= EP_KEYS[state.ep_files[state.length % BOARDS]]
    if kind == KING and abs(target - origin) == 2:
        corner = target + 1 if target > origin else target - 2
        key ^= PIECE_KEYS[seat, ROOK, corner] ^ PIECE_KEYS[seat, ROOK, (origin + target) // 2]
    return key
