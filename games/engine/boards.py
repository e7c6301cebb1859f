"""Parts that games on a rectangular board share: lines, observations, returns, sizes, and the notation of cells.

A board is int8 [rows, columns] (or columns first), the seat of the stone in each cell, -1 where there is none. What is
called once a move is inlined: inside the caller the size of its board is a constant, which makes a move twice as fast.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import GAMMA, below, mix
from games.engine.entries import flat
from games.engine.errors import UsageError
from games.engine.game import TERMINAL
from games.engine.jit import njit
from games.engine.options import require_between
from games.engine.planes import cells_of, write_stones

LONGEST_SIDE = 20
FIRST_COLUMN = np.array([sum(1 << cell for cell in range(0, 64, n or 64)) for n in range(LONGEST_SIDE + 1)], np.uint64)
"""The cells in the first column of a board of so many columns, as bits."""
COLUMN_LETTERS = "abcdefghijklmnopqrst"


@njit(inline="always")
def in_line(board: NDArray[Any], row: int, column: int, k: int) -> bool:
    """Return whether the stone at this cell, the latest of its colour, is one of `k` or more in a line."""
    if board.size <= 64:  # known when compiling
        return any_line(cells_of(board, board[row, column]), board.shape[1], k)
    return (
        line(board, row, column, 1, 0) >= k
        or line(board, row, column, 0, 1) >= k
        or line(board, row, column, 1, 1) >= k
        or line(board, row, column, 1, -1) >= k
    )


@njit(inline="always")
def any_line(cells: Any, columns: int, k: int) -> bool:
    """Return whether `k` of these cells, bits of a board of at most 64, are in a line."""
    one, width = np.uint64(1), np.uint64(columns)
    # no branches in the loop: on random positions they would be mispredicted
    first = FIRST_COLUMN[columns]
    last = first << (width - one)
    across, down, slant, other = cells, cells, cells, cells  # where lines begin that go on this way
    for _ in range(k - 1):
        across = cells & (across & ~first) >> one
        down = cells & down >> width
        slant = cells & (slant & ~first) >> (width + one)
        other = cells & (other & ~last) >> (width - one)
    return across | down | slant | other != 0


@njit(inline="always")
def in_exact_line(board: NDArray[Any], row: int, column: int, k: int) -> bool:
    """Return whether the stone at this cell is one of exactly `k` of its colour in a line."""
    return (
        line(board, row, column, 1, 0) == k
        or line(board, row, column, 0, 1) == k
        or line(board, row, column, 1, 1) == k
        or line(board, row, column, 1, -1) == k
    )


@njit(inline="always")
def line(board: NDArray[Any], row: int, column: int, down: int, right: int) -> int:
    """Return the number of stones of its colour in a line with the one at this cell, itself included."""
    return run(board, row, column, down, right) + run(board, row, column, -down, -right) - 1


@njit
def run(board: NDArray[Any], row: int, column: int, down: int, right: int) -> int:
    """Return the number of stones of one colour in a row from this cell in one direction, itself included."""
    seat = board[row, column]
    length = 0
    while 0 <= row < board.shape[0] and 0 <= column < board.shape[1] and board[row, column] == seat:
        length += 1
        row += down
        column += right
    return length


@njit
def observe_stones(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write two planes [rows, columns, 2]: the stones of `seat`, and those of the other."""
    write_stones(state.board, seat, 1 - seat, out)


@njit(inline="always")
def random_empty(board: NDArray[Any], bits: Any) -> int:
    """Return a random empty cell, numbered in the order of the board's memory, by rejection sampling."""
    cells = flat(board)
    cell = below(bits, cells.size)
    while cells[cell] >= 0:
        bits = mix(bits + GAMMA)
        cell = below(bits, cells.size)
    return cell


@njit(inline="always")
def end_or_pass(state: Any, won: bool) -> None:
    """End the game if the stone just put down has won, or was the last that fits; else it is the other's turn."""
    end_or_pass_to(state, won, 1 - state.current_player)


@njit(inline="always")
def end_or_pass_to(state: Any, won: bool, seat: int) -> None:
    """End the game if the stone just put down has won, or was the last that fits; else it is the turn of `seat`."""
    if won:
        state.winner = state.current_player
        state.current_player = TERMINAL
    elif state.length == state.board.size:
        state.current_player = TERMINAL
    else:
        state.current_player = seat


@njit
def win_or_loss(state: Any, out: NDArray[Any]) -> None:
    """Write the returns of two seats: +1 for `state.winner`, -1 for the other; 0 where nobody has won (-1)."""
    if state.winner >= 0:
        out[state.winner] = 1
        out[1 - state.winner] = -1


def empty_board(dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the record of an empty board, shape (); it has the fields `board`, `last_action` and `winner`."""
    initial = np.zeros((), dtype)
    initial["board"] = initial["last_action"] = initial["winner"] = -1
    return initial


def cells_by_row(size: int, others: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return `cell_actions` and `action_cells` of a picture [size, size] with one action a cell, row by row.

    `others` are actions without a cell that follow (a pass).
    """
    cells = np.arange(size * size)
    places = np.stack([cells // size, cells % size], axis=1)
    return cells.reshape(size, size), np.append(places, np.full((others, 2), -1), axis=0)


def star_points(size: int) -> tuple[tuple[int, int], ...]:
    """Return the crossings that are marked on a go board: near the corners, in the middle, and on large ones between.

    >>> len(star_points(19)), len(star_points(13)), star_points(6)
    (9, 5, ())
    """
    if size < 7:
        return ()
    low, middle, high = (3 if size > 11 else 2), size // 2, size - 1 - (3 if size > 11 else 2)
    corners = [(row, column) for row in (low, high) for column in (low, high)]
    sides = [(low, middle), (middle, low), (middle, high), (high, middle)] if size > 15 and size % 2 else []
    return (*corners, *sides, *([(middle, middle)] if size % 2 else []))


def require_board(game: str, k: int, **sides: int) -> None:
    """Raise `UsageError` unless both sides are from 1 to 20, and `k` stones in a line fit on the longer one."""
    for name, value in sides.items():
        require_between(game, name, value, 1, LONGEST_SIDE)
    longest = max(sides.values())
    if not 1 <= k <= longest:
        raise UsageError(f"{game}: k={k} is not between 1 and the longer side, {longest}")


def reflections(
    rows: int, columns: int, planes: int = 2, others: int = 0
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
    """Return the symmetries of an empty board but the identity, as `Game.symmetries` lists them.

    For observations [rows, columns, planes] and one action a cell, row by row, before `others` (a pass) that stay.
    """
    entries = np.arange(rows * columns * planes).reshape(rows, columns, planes)
    cells = np.arange(rows * columns).reshape(rows, columns)
    rest = np.arange(cells.size, cells.size + others)
    turns = range(4) if rows == columns else (0, 2)
    moved = [
        (np.rot90(side(entries), turn).reshape(-1), np.append(np.rot90(side(cells), turn), rest))
        for side in (np.asarray, np.flipud)
        for turn in turns
    ]
    return tuple(moved[1:])


def cell_text(row: int, column: int) -> str:
    """Return column letter and row number, `a1` for row 0 and column 0."""
    return f"{COLUMN_LETTERS[column]}{row + 1}"


def parse_cell(text: str, rows: int, columns: int, or_else: str = "") -> tuple[int, int]:
    """Read row and column of a cell; `UsageError` (whose message ends in `or_else`) if there is no such cell."""
    match = re.fullmatch(r"([a-t])([0-9]{1,2})", text.strip().lower(), re.ASCII)
    if match:
        column, row = COLUMN_LETTERS.index(match[1]), int(match[2]) - 1
        if column < columns and 0 <= row < rows:
            return row, column
    corner = cell_text(rows - 1, columns - 1)
    raise UsageError(f"{text.strip()!r} is not a cell; type a column and a row, from a1 to {corner}{or_else}")
