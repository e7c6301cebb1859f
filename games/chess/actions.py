"""The numbers of actions: 8 x 8 x 73, from AlphaZero (Silver et al., arXiv 1712.01815), in PettingZoo's order.

An action is (file * 8 + rank) * 73 + plane of the square that a piece leaves, seen from the player to move: black's
board is upside down. Planes 0 to 55 are steps of 1 to 7 squares in eight directions, castling among them (the king
goes two squares) and the promotion to a queen; 56 to 63 are knight's moves; 64 to 72 are promotions to knight, bishop
and rook: capturing to the left, straight on, capturing to the right.
"""

import numpy as np
from numpy.typing import NDArray

from games.chess.board import BISHOP, KNIGHT, ROOK

PLANES = 73
NUM_ACTIONS = 64 * PLANES
UNDERPROMOTIONS = 64
"""First plane of the promotions to knight, bishop and rook."""
PROMOTIONS = (KNIGHT, BISHOP, ROOK)

_DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
_LINES = [(x * n, y * n) for n in range(1, 8) for x, y in _DIRECTIONS]
_LEAPS = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if abs(x * y) == 2]
STEPS = np.array([*_LINES, *_LEAPS, *((x, 1) for x in (-1, 0, 1) for _ in PROMOTIONS)])
"""Files and ranks by which each plane moves, [73, 2]."""


def _squares() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    files, ranks, planes = np.unravel_index(np.arange(NUM_ACTIONS), (8, 8, PLANES))
    to_files, to_ranks = files + STEPS[planes, 0], ranks + STEPS[planes, 1]
    inside = (to_files // 8 == 0) & (to_ranks // 8 == 0)
    return np.where(inside, files + 8 * ranks, -1), np.where(inside, to_files + 8 * to_ranks, -1)


ORIGINS, TARGETS = _squares()
"""[A]: the squares that each action leads from and to, seen from its player; -1 for those that leave the board."""


def _actions() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    moves, promotions = np.full((64, 64), -1), np.full((64, 64, len(PROMOTIONS)), -1)
    for action in np.flatnonzero(ORIGINS >= 0):
        origin, target, plane = ORIGINS[action], TARGETS[action], action % PLANES
        if plane < UNDERPROMOTIONS:
            moves[origin, target] = action
        else:
            promotions[origin, target, (plane - UNDERPROMOTIONS) % 3] = action
    return moves, promotions


MOVES, UNDERPROMOTED = _actions()
"""[from, to]: the action that moves a piece, queening included; [from, to, i]: that makes PROMOTIONS[i]; or -1."""
