"""Random openings of games, drawn from the random stream of each game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import GAMMA, below, mix
from games.engine.jit import njit

SALT = np.uint64(0xD1B54A32D192ED03)
"""Separates the draws of openings from the game's own use of its stream."""


@njit(cache=True, nogil=True)
def draw_opening(streams: NDArray[np.uint64], mask: NDArray[np.bool_], ply: int, moves: NDArray[np.int64]) -> None:
    """Write the move number `ply` of each game's opening into `moves` [R, N]: any legal one of `mask` [R, A].

    The `streams` [R] decide how many moves an opening has, 0 to N with the same chance; where it has no more, nothing
    is written.
    """
    for row in range(len(moves)):
        start = mix(streams[row] ^ SALT)
        if ply >= below(start, moves.shape[1] + 1):
            continue
        legal: Any = 0
        for action in range(mask.shape[1]):
            legal += np.int64(mask[row, action])
        nth = below(mix(start + GAMMA * np.uint64(ply + 1)), legal)
        for action in range(mask.shape[1]):
            nth -= np.int64(mask[row, action])
            if nth < 0:
                moves[row, ply] = action
                break
