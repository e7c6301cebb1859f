"""Gomoku: five stones in a line win.

Rules: two players in turn put a stone on an empty cell of a board of 15 x 15. Whoever first has five in a row, column
or diagonal wins; a full board is a draw. Variants differ in six or more: in freestyle gomoku they win as well (the
default), in standard gomoku only exactly five do (`overline=False`). (Gomocup plays both.)

An action is a cell, row by row from the top left; in text a column letter and a row number counted from the bottom:

        a   b   c
    3 │ 0 │ 1 │ 2 │    (of a corner of 3 x 3)
    2 │ 3 │ 4 │ 5 │
    1 │ 6 │ 7 │ 8 │
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import (
    COLUMN_LETTERS,
    LONGEST_SIDE,
    cell_text,
    cells_by_row,
    empty_board,
    end_or_pass,
    in_exact_line,
    in_line,
    observe_stones,
    parse_cell,
    reflections,
    star_points,
    win_or_loss,
)
from games.engine.compiled import CompiledGame
from games.engine.game import State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views
from games.engine.winning import winning_line

FIVE = 5


def state_dtype(size: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("board", np.int8, (size, size)),  # seat of the stone in each cell, -1 empty; row 0 on top
            ("length", np.int16),  # stones on the board
            ("last_action", np.int16),  # -1 before the first move
            ("overline", np.bool_),  # whether more than five win
            ("winner", np.int8),  # seat, -1 for nobody (yet)
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every empty cell."""
    size = state.board.shape[0]
    for row in range(size):
        for column in range(size):
            mask[row * size + column] = state.board[row, column] < 0


@njit
def apply(state: Any, action: int) -> None:
    """Put a stone of the player to move on a cell."""
    size = state.board.shape[0]
    row, column = action // size, action % size
    state.board[row, column] = state.current_player
    state.length += 1
    state.last_action = action
    won = in_line(state.board, row, column, FIVE) if state.overline else in_exact_line(state.board, row, column, FIVE)
    end_or_pass(state, won)


def picture(state: State) -> Picture:
    """Return the board, row 1 at the bottom."""
    size, last = len(state["board"]), int(state["last_action"])
    last_cell = divmod(last, size) if last >= 0 else None
    cell_actions, action_cells = cells_by_row(size)
    return Picture(
        pieces=state["board"].copy(),
        cell_actions=cell_actions,
        action_cells=action_cells,
        row_labels=tuple(str(size - row) for row in range(size)),
        column_labels=tuple(COLUMN_LETTERS[:size]),
        last=last_cell,
        winning=winning_line(state["board"], last_cell, FIVE, exact=not state["overline"]),
        board="crossings",
        sides=("black", "white"),
        stars=star_points(size),
    )


def action_text(state: State, action: int) -> str:
    """Return column letter and row number, `h8`."""
    size = len(state["board"])
    return cell_text(size - 1 - action // size, action % size)


def parse_action(state: State, text: str) -> int:
    """Read a column letter and a row number."""
    size = len(state["board"])
    row, column = parse_cell(text, size, size)
    return (size - 1 - row) * size + column


@checked_options
def game(size: int = 15, overline: bool = True) -> CompiledGame:
    """Describe the game; `size` from 5 to 20, `overline` whether more than five in a line win, too.

    Raises `UsageError` for an option out of range.
    """
    require_between("gomoku", "size", size, FIVE, LONGEST_SIDE)
    initial = empty_board(state_dtype(size))
    initial["overline"] = overline
    return CompiledGame(
        name="gomoku",
        title="Gomoku",
        options={"size": size, "overline": overline},
        agents=("player_0", "player_1"),
        num_actions=size * size,
        observation_shape=(size, size, 2),
        max_length=size * size,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe_stones,
            returns=win_or_loss,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        symmetries=reflections(size, size),
    )


env, raw_env, parallel_env = views(game)
