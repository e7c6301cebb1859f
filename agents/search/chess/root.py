"""The search of one position of the game: a template that `games.engine.compiler` turns into machine code for chess.

It reads the fields of the game's record, and names moves by the game's own actions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.chess.position import BISHOP, KING, KNIGHT, NO_MOVE, PAWN, QUEEN, ROOK, make, set_up
from agents.search.chess.space import EARLIER, Space
from agents.search.chess.tree import deepen
from agents.search.transpositions import entry_of
from games.engine.entries import unowned
from games.engine.jit import njit
from games.engine.rules import apply, legal_actions

SHOWN_BEFORE = 8
"""Earlier positions in a record of the game, which are remembered for repetitions."""


class RootResult(NamedTuple):
    """Result of a search of one position."""

    results: NDArray[np.int64]
    """Value in centipawns for the seat to move, depth in plies, and move, [3]."""
    pv: NDArray[np.int32]
    """Actions of the principal variation, [L], -1 after its end."""


class Scratch(NamedTuple):
    """Records and a mask to work in."""

    states: NDArray[Any]
    """Records of the game, [2]."""
    mask: NDArray[np.bool_]
    """[A]"""


@njit(cache=True, nogil=True)
def search_position(
    state: NDArray[Any], depth: int, answer: RootResult, space: Space, scratch: Scratch, deadline: NDArray[np.float64]
) -> None:
    """Search the position `state` [1], not yet at its end, up to `depth` plies deep or until `deadline` [1]."""
    space = unowned(space)
    scratch.states[0] = state[0]
    place(scratch.states[0], space)
    answer.results[:] = 0
    answer.pv[:] = -1
    deepen(space, depth, deadline, answer.results)
    move = np.int64(answer.results[2])
    for i in range(min(answer.pv.shape[0], max(np.int64(answer.results[1]), 1))):
        if scratch.states[0].current_player < 0:
            return
        if move == NO_MOVE:  # the search was stopped before it had one
            answer.pv[i] = first_legal(scratch)
            return
        if not make(space.stack[0], move):
            return
        action = action_to(scratch, space.stack[0])
        if action < 0:
            return
        answer.pv[i] = action
        scratch.states[0] = scratch.states[1]
        key = space.stack[0].key
        entry = entry_of(space.table, key)
        if entry.key != key or entry.move == NO_MOVE:
            return
        move = np.int64(entry.move)


@njit
def place(state: Any, space: Space) -> None:
    """Set up the position of a record, and the keys of those before it."""
    rooms = state.boards.shape[0]
    passed = np.int64(state.ep_files[state.length % rooms])
    turn, castling = np.int64(state.turn), np.int64(state.castling)
    space.keys[:EARLIER] = 0
    for before in range(1, min(int(state.clock), SHOWN_BEFORE, int(state.length)) + 1):
        board = state.boards[(state.length - before) % rooms]
        set_up(space.stack[1], board, (turn + before) & 1, castling, -1, 0)
        space.keys[EARLIER - before] = space.stack[1].key
    square = -1 if passed < 0 else passed + (40 if turn == 0 else 16)
    set_up(space.stack[0], state.boards[state.length % rooms], turn, castling, square, np.int64(state.clock))
    space.keys[EARLIER] = space.stack[0].key


@njit
def action_to(scratch: Scratch, position: Any) -> int:
    """Return the action of states[0] that leads to a position, played in states[1]; -1 if none does."""
    kinds, mask = position.kinds, scratch.mask
    low = kinds[PAWN] | kinds[BISHOP] | kinds[QUEEN]
    middle = kinds[KNIGHT] | kinds[BISHOP] | kinds[KING]
    high = kinds[ROOK] | kinds[QUEEN] | kinds[KING]
    mask[:] = False
    legal_actions(scratch.states[0], mask)
    for action in range(mask.shape[0]):
        if mask[action]:
            scratch.states[1] = scratch.states[0]
            state = scratch.states[1]
            apply(state, action)
            board = state.boards[state.length % state.boards.shape[0]]
            if board[0] == low and board[1] == middle and board[2] == high and board[3] == position.seats[0]:
                return action
    return -1


@njit
def first_legal(scratch: Scratch) -> int:
    """Return the first legal action of states[0]."""
    scratch.mask[:] = False
    legal_actions(scratch.states[0], scratch.mask)
    return int(scratch.mask.argmax())
