"""Hex: connect one's two sides of the board by a chain of stones.

Rules: two players in turn put a stone on an empty cell of a rhombus of hexagons. Whoever first joins two sides wins:
the one who begins, top and bottom; the other, left and right. One of them always does: there are no draws. (Piet
Hein, 1942; John Nash, 1948.) To begin is a great advantage. With the option `swap` the second player may answer the
first stone by taking it over: it is mirrored on the long diagonal and becomes one of its own, which is the same as to
exchange colours and sides. (Pieces are swapped, not seats, as in pgx.)

An action is a cell, row by row from the top left; after the last cell comes the swap, if there is one. In text a cell
is a column letter and a row number counted from the top; the swap is `swap`. The cells around `*`:

        a   b   c   d
    1 │   │ 1 │ 2 │   │
      2 │ 6 │ * │ 3 │   │
        3 │ 5 │ 4 │   │   │
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import COLUMN_LETTERS, cell_text, cells_by_row, parse_cell, random_empty, win_or_loss
from games.engine.chance import below, mix
from games.engine.compiled import CompiledGame
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import MARKS, Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views
from games.engine.winning import winning_chain

LARGEST = 19
NEIGHBOURS = np.array([(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)])


def state_dtype(size: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("board", np.int8, (size, size)),  # seat of the stone in each cell, -1 empty
            # chains as trees: from each cell to another of its chain, from the root to itself. After the cells come
            # the sides: top and bottom for seat 0, left and right for seat 1, each joined to all stones that touch it
            ("parent", np.int16, (size * size + 4,)),
            ("length", np.int16),  # actions so far
            ("last_cell", np.int16),  # of the last stone, -1 before the first
            ("swap", np.bool_),  # whether the rule is in use
            ("winner", np.int8),  # seat, -1 for nobody yet
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every empty cell, and the swap as the second action."""
    size = state.board.shape[0]
    for row in range(size):
        for column in range(size):
            mask[row * size + column] = state.board[row, column] < 0
    if state.swap:
        mask[size * size] = state.length == 1


@njit
def random_action(state: Any, bits: Any) -> int:
    """Return a random empty cell, or the swap as the second action, uniformly."""
    if state.swap and state.length == 1 and below(mix(bits), state.board.size) == 0:
        return state.board.size
    return random_empty(state.board, bits)


@njit
def apply(state: Any, action: int) -> None:
    """Put a stone of the player to move on a cell, or swap."""
    seat, size = state.current_player, state.board.shape[0]
    cell = np.int64(action)
    if cell == size * size:
        first = np.int64(state.last_cell)
        state.board[first // size, first % size] = -1
        for node in range(state.parent.shape[0]):
            state.parent[node] = node
        cell = first % size * size + first // size
    place(state, seat, cell // size, cell % size)
    state.length += 1
    state.last_cell = cell
    side = size * size + 2 * seat
    if root(state, side) == root(state, side + 1):
        state.winner = seat
        state.current_player = TERMINAL
    else:
        state.current_player = 1 - seat


@njit(inline="always")
def place(state: Any, seat: int, row: int, column: int) -> None:
    """Put a stone on an empty cell and join it to the chains and sides that it touches."""
    size = state.board.shape[0]
    state.board[row, column] = seat
    cell = row * size + column
    for i in range(6):
        r, c = row + NEIGHBOURS[i, 0], column + NEIGHBOURS[i, 1]
        if 0 <= r < size and 0 <= c < size and state.board[r, c] == seat:
            join(state, cell, r * size + c)
    across = row if seat == 0 else column
    if across == 0:
        join(state, cell, size * size + 2 * seat)
    if across == size - 1:
        join(state, cell, size * size + 2 * seat + 1)


@njit(inline="always")
def join(state: Any, a: int, b: int) -> None:
    """Make one chain of two."""
    state.parent[root(state, a)] = root(state, b)


@njit(inline="always")
def root(state: Any, node: int) -> int:
    """Find the root of a chain, halving the way there for the next time."""
    while state.parent[node] != node:
        state.parent[node] = state.parent[state.parent[node]]
        node = state.parent[node]
    return node


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write four planes [rows, columns, 4], as in pgx.

    Stones of `seat`, stones of the other, 1 everywhere for the second player, 1 everywhere where the swap is legal.
    """
    own, other = np.int8(seat), np.int8(1 - seat)
    may_swap = state.swap and state.length == 1
    for row in range(state.board.shape[0]):
        for column in range(state.board.shape[1]):
            stone = state.board[row, column]
            out[row, column, 0] = stone == own
            out[row, column, 1] = stone == other
            out[row, column, 2] = own
            out[row, column, 3] = may_swap


def picture(state: State) -> Picture:
    """Return the board as a grid; the swap has no cell."""
    size, last = len(state["board"]), int(state["last_cell"])
    cell_actions, action_cells = cells_by_row(size, others=int(state["swap"]))
    return Picture(
        pieces=state["board"].copy(),
        cell_actions=cell_actions,
        action_cells=action_cells,
        row_labels=tuple(str(row + 1) for row in range(size)),
        column_labels=tuple(COLUMN_LETTERS[:size]),
        last=divmod(last, size) if last >= 0 else None,
        winning=_winning_chain(state["board"], int(state["winner"])),
        notes=(f"{MARKS[0]} top to bottom, {MARKS[1]} left to right",),
        board="hexagons",
        edges=(0, 1),
    )


def _winning_chain(board: NDArray[np.int8], winner: int) -> tuple[tuple[int, int], ...]:
    """Return a shortest chain of the winner from side to side; empty while there is none."""
    if winner < 0:
        return ()
    stones = {(int(row), int(column)) for row, column in np.argwhere(board == winner)}
    along = range(len(board))
    starts, ends = ({(i, side) if winner else (side, i) for i in along} for side in (0, len(board) - 1))
    return winning_chain(stones, starts, ends, NEIGHBOURS.tolist())


def action_text(state: State, action: int) -> str:
    """Return column letter and row number, `a1`, or `swap`."""
    size = len(state["board"])
    return "swap" if action == size * size else cell_text(action // size, action % size)


def parse_action(state: State, text: str) -> int:
    """Read a cell or `swap`."""
    size, swap = len(state["board"]), bool(state["swap"])
    if swap and text.strip().lower() == "swap":
        return size * size
    row, column = parse_cell(text, size, size, or_else=", or swap" if swap else "")
    return row * size + column


@checked_options
def game(size: int = 11, swap: bool = True) -> CompiledGame:
    """Describe the game; `size` from 1 to 19, `swap` whether the second player may take over the first stone.

    Raises `UsageError` for an option out of range.
    """
    require_between("hex", "size", size, 1, LARGEST)
    initial = np.zeros((), state_dtype(size))
    initial["board"] = initial["last_cell"] = initial["winner"] = -1
    initial["parent"] = np.arange(size * size + 4)
    initial["swap"] = swap
    return CompiledGame(
        name="hex",
        title="Hex",
        options={"size": size, "swap": swap},
        agents=("player_0", "player_1"),
        num_actions=size * size + swap,
        observation_shape=(size, size, 4),
        max_length=size * size + swap,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=win_or_loss,
            random_action=random_action,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        symmetries=(half_turn(size, swap),),
    )


def half_turn(size: int, swap: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the half turn of the board, as index arrays of the flat observation and of the actions."""
    planes, cells = np.arange(size * size * 4).reshape(size, size, 4), np.arange(size * size)
    return np.rot90(planes, 2).reshape(-1), np.append(cells[::-1], cells.size + np.arange(swap))


env, raw_env, parallel_env = views(game)
