"""Breakthrough: be the first to bring a piece to the other side.

Rules: both players have two full rows of pieces (one row on boards of fewer than six rows, as in OpenSpiel). A piece
moves one cell ahead, straight or slanting, to an empty cell; slanting it may also capture. Whoever reaches the farthest
row, or captures everything, wins. One can always move: the foremost piece can, slanting. (Dan Troyka, 2000.)

Both players see the board from their own side: rows count from one's own home row, columns from the left of the first
player. Action `(row * columns + column) * 3 + direction` moves the piece in that cell ahead, and a column to the left
(0), straight (1), or a column to the right (2). In text a move is two cells, as the first player counts them, with `-`
between them, or `x` if it captures: `a2-a3`, `d7xe6`.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import COLUMN_LETTERS, LONGEST_SIDE, cell_text, parse_cell, win_or_loss
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views


def state_dtype(rows: int, columns: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            # of each seat, a word for each row from its own home row on: bit c is column c
            ("pieces", np.uint32, (2, rows)),
            ("count", np.int8, (2,)),  # pieces of each seat
            ("columns", np.int8),
            ("last_action", np.int16),  # -1 before the first move
            ("last_seat", np.int8),  # who moved last
            ("winner", np.int8),  # seat, -1 for nobody yet
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every step ahead to a free cell, and slanting steps to cells of the other's pieces."""
    seat, rows = state.current_player, state.pieces.shape[1]
    if seat == TERMINAL:
        return
    columns = mask.shape[0] // (3 * (rows - 1))
    for row in range(rows - 1):
        pieces = np.int64(state.pieces[seat, row])
        own, others = np.int64(state.pieces[seat, row + 1]), np.int64(state.pieces[1 - seat, rows - 2 - row])
        # Bit c is the piece on column c. A slanting step needs a target on the board without an own piece: to column
        # c - 1 bit c of `own << 1` says so, and bit 0 has no target; only a step straight ahead needs a free cell.
        left = pieces & ~(own << 1 | 1)
        straight = pieces & ~(own | others)
        right = pieces & ~(own >> 1 | 1 << (columns - 1))
        for column in range(columns):
            action = (row * columns + column) * 3
            mask[action] = (left >> column) & 1
            mask[action + 1] = (straight >> column) & 1
            mask[action + 2] = (right >> column) & 1


@njit
def apply(state: Any, action: int) -> None:
    """Move a piece ahead, capturing what stands there."""
    seat, rows = state.current_player, state.pieces.shape[1]
    cell = action // 3
    row, column = cell // state.columns, cell % state.columns
    target, facing = column + action % 3 - 1, rows - 2 - row  # rows of the other are counted from its own side
    state.pieces[seat, row] ^= 1 << column
    state.pieces[seat, row + 1] |= 1 << target
    if (state.pieces[1 - seat, facing] >> target) & 1:
        state.pieces[1 - seat, facing] ^= 1 << target
        state.count[1 - seat] -= 1
    state.last_action = action
    state.last_seat = seat
    if row == rows - 2 or state.count[1 - seat] == 0:
        state.winner = seat
        state.current_player = TERMINAL
    else:
        state.current_player = 1 - seat


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write two planes [rows, columns, 2], the home row of `seat` first: its pieces, and those of the other."""
    rows = state.pieces.shape[1]
    for row in range(rows):
        own, others = state.pieces[seat, row], state.pieces[1 - seat, rows - 1 - row]
        for column in range(out.shape[1]):
            out[row, column, 0] = (own >> column) & 1
            out[row, column, 1] = (others >> column) & 1


@njit
def heuristic(state: Any, seat: int) -> float:
    """Return the lead in pieces, divided by a bound on it."""
    return (state.count[seat] - state.count[1 - seat]) / (2 * state.columns + 1)


def picture(state: State) -> Picture:
    """Return the board with the first player at the bottom; a move takes two cells to point at."""
    rows, columns = state["pieces"].shape[1], int(state["columns"])
    first, second = state["pieces"][:, :, None] >> np.arange(columns) & 1
    seat, last_seat, last = (int(state[field]) for field in ("current_player", "last_seat", "last_action"))
    row, column, ahead, target = cells_of(np.arange((rows - 1) * columns * 3), rows, columns, seat)
    beside = ((target < 0) | (target >= columns))[:, None]
    _, _, last_row, last_column = cells_of(last, rows, columns, last_seat)
    return Picture(
        pieces=np.where(first[::-1], 0, np.where(second, 1, -1)).astype(np.int8),
        cell_actions=np.full((rows, columns), -1),
        action_cells=np.where(beside, -1, np.stack([rows - 1 - ahead, target], axis=1)),
        action_origins=np.where(beside, -1, np.stack([rows - 1 - row, column], axis=1)),
        row_labels=tuple(str(rows - row) for row in range(rows)),
        column_labels=tuple(COLUMN_LETTERS[:columns]),
        last=(rows - 1 - last_row, last_column) if last >= 0 else None,
        board="squares",
        sides=("white", "black"),
    )


def cells_of(action: Any, rows: int, columns: int, seat: int) -> tuple[Any, Any, Any, Any]:
    """Return row and column where an action of `seat` starts and where it ends, rows from the first player's side.

    Takes an array of actions as well. The last column lies beside the board if there is no such move.
    """
    row, column = divmod(action // 3, columns)
    ahead, target = row + 1, column + action % 3 - 1
    return (row, column, ahead, target) if seat != 1 else (rows - 1 - row, column, rows - 1 - ahead, target)


def action_text(state: State, action: int) -> str:
    """Return the two cells of a move, `a2-a3`, or `a2xb3` if it captures, or `a2-` if it leaves the board."""
    rows, columns, seat = state["pieces"].shape[1], int(state["columns"]), int(state["current_player"])
    row, column, ahead, target = cells_of(action, rows, columns, seat)
    if not 0 <= target < columns:
        return cell_text(row, column) + "-"
    facing = int(state["pieces"][1 - seat, rows - 2 - action // 3 // columns])
    return cell_text(row, column) + ("x" if facing >> target & 1 else "-") + cell_text(ahead, target)


def parse_action(state: State, text: str) -> int:
    """Read a move of the player to move, with or without a sign between the cells."""
    rows, columns, seat = state["pieces"].shape[1], int(state["columns"]), int(state["current_player"])
    match = re.fullmatch(r"([a-t][0-9]{1,2})[-x]?([a-t][0-9]{1,2})", text.strip().lower(), re.ASCII)
    if match:
        (row, column), (ahead, target) = (parse_cell(part, rows, columns) for part in match.groups())
        steps = row - ahead if seat == 1 else ahead - row
        if steps == 1 and abs(target - column) <= 1:
            own_row = rows - 1 - row if seat == 1 else row
            return (own_row * columns + column) * 3 + target - column + 1
    raise UsageError(f"{text.strip()!r} is not a step ahead; type a move like a2-a3 or d7xe6")


@checked_options
def game(rows: int = 8, columns: int = 8) -> CompiledGame:
    """Describe the game; `rows` and `columns` from 2 to 20. Raises `UsageError` for others."""
    for name, value in (("rows", rows), ("columns", columns)):
        require_between("breakthrough", name, value, 2, LONGEST_SIDE)
    full = 2 if rows >= 6 else 1
    initial = np.zeros((), state_dtype(rows, columns))
    initial["pieces"][:, :full] = (1 << columns) - 1
    initial["count"] = full * columns
    initial["columns"] = columns
    initial["last_action"] = initial["winner"] = -1
    return CompiledGame(
        name="breakthrough",
        title="Breakthrough",
        options={"rows": rows, "columns": columns},
        agents=("player_0", "player_1"),
        num_actions=(rows - 1) * columns * 3,
        observation_shape=(rows, columns, 2),
        max_length=2 * columns * sum(rows - 2 - row for row in range(full)) + 1,  # all walk up, one arrives
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=win_or_loss,
            heuristic=heuristic,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        symmetries=(mirror(rows, columns),),
    )


def mirror(rows: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the left-right reflection, as index arrays of the flat observation and of the actions."""
    planes = np.arange(rows * columns * 2).reshape(rows, columns, 2)
    actions = np.arange((rows - 1) * columns * 3).reshape(rows - 1, columns, 3)
    return planes[:, ::-1].reshape(-1), actions[:, ::-1, ::-1].reshape(-1)


env, raw_env, parallel_env = views(game)
