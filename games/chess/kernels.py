"""Kernels of chess alone: positions set up from outside, one move, and the count of all lines to a depth (perft)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.chess.board import BOARDS, kind_at
from games.chess.keys import CASTLING_KEYS, EP_KEYS, PIECE_KEYS, TURN_KEY
from games.chess.moves import generate
from games.chess.rules import count_moves, end
from games.engine.bits import ONE, has, lowest_index
from games.engine.jit import njit
from games.engine.rules import apply, legal_actions


@njit(cache=True, nogil=True)
def set_up(states: NDArray[Any]) -> bool:
    """Complete the first record, which holds a board, a turn, rights and a clock; False if a king could be taken."""
    state = states[0]
    ep_file, state.ep_files[0] = state.ep_files[0], -1
    state.turn = 1 - state.turn
    generate(state)
    if state.in_check:
        return False
    state.turn = 1 - state.turn
    state.ep_files[0] = ep_file
    generate(state)
    state.keys[state.clock] = key_of(state)
    end(state)
    return True


@njit(cache=True, nogil=True)
def play(states: NDArray[Any], action: int) -> None:
    """Play a legal action in the first record."""
    apply(states[0], action)


@njit
def key_of(state: Any) -> Any:
    """Compute the key of a position from scratch."""
    key = CASTLING_KEYS[state.castling]
    if state.turn:
        key ^= TURN_KEY
    if state.ep_capture:
        key ^= EP_KEYS[state.ep_files[state.length % BOARDS]]
    board = state.boards[state.length % BOARDS]
    occupied = board[0] | board[1] | board[2]
    while occupied:
        square = lowest_index(occupied)
        key ^= PIECE_KEYS[0 if has(board[3], square) else 1, kind_at(board, square), square]
        occupied &= occupied - ONE
    return key


@njit(cache=True, nogil=True)
def perft(states: NDArray[Any], masks: NDArray[np.bool_], depth: int) -> int:
    """Count the lines of `depth` moves from states[depth]; records below it and masks [depth + 1, A] are scratch.

    Draws end no line.
    """
    if depth == 1:
        return count_moves(states[1])
    mask = masks[depth]
    mask[:] = False
    legal_actions(states[depth], mask)
    lines = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            states[depth - 1] = states[depth]
            apply(states[depth - 1], action)
            lines += perft(states, masks, depth - 1)
    return lines
