"""Connect Four: drop discs into columns, four of one's own in a line win.

Rules: two players in turn drop a disc into a column that is not full; it falls to the lowest empty cell. Whoever
first has `k` discs in a row, column or diagonal wins; a full board is a draw. (Milton Bradley, 1974; 6 rows, 7 columns,
four in a line.) Actions, observations and rewards are those of PettingZoo's `connect_four_v3`.

An action is the number of a column, 0 on the left; people count columns from 1:

      1   2   3   4   5   6   7
    ╭───┬───┬───┬───┬───┬───┬───╮    row 0 is the top
    │   │   │   │   │   │   │   │
    ...
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import empty_board, end_or_pass, in_line, observe_stones, require_board, win_or_loss
from games.engine.chance import GAMMA, below, mix
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import State
from games.engine.jit import njit
from games.engine.options import checked_options
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views
from games.engine.winning import winning_line


def state_dtype(rows: int, columns: int) -> np.dtype[Any]:
    """Return the layout of a position's record on a board of this size."""
    return np.dtype(
        [
            ("board", np.int8, (rows, columns)),  # seat of the disc in each cell, -1 empty; row 0 on top
            ("height", np.int8, (columns,)),  # discs in each column
            ("length", np.int16),  # discs on the board
            ("last_action", np.int16),  # -1 before the first move
            ("k", np.int8),  # discs in a line that win
            ("winner", np.int8),  # seat, -1 for nobody (yet)
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every column that is not full."""
    for column in range(mask.shape[0]):
        mask[column] = state.height[column] < state.board.shape[0]


@njit
def random_action(state: Any, bits: Any) -> int:
    """Return a random column that is not full, by rejection sampling."""
    column = below(bits, state.height.shape[0])
    while state.height[column] == state.board.shape[0]:
        bits = mix(bits + GAMMA)
        column = below(bits, state.height.shape[0])
    return column


@njit
def apply(state: Any, action: int) -> None:
    """Drop a disc of the player to move into column `action`."""
    row = state.board.shape[0] - 1 - state.height[action]
    state.board[row, action] = state.current_player
    state.height[action] += 1
    state.length += 1
    state.last_action = action
    end_or_pass(state, in_line(state.board, row, action, state.k))


def picture(state: State) -> Picture:
    """Return the board; pointing anywhere in a column means that column."""
    board, height = state["board"], state["height"].astype(np.int64)
    rows, columns = board.shape
    across = np.arange(columns)
    landing = np.where(height < rows, rows - 1 - height, -1)
    last = int(state["last_action"])
    last_cell = (rows - int(height[last]), last) if last >= 0 else None
    return Picture(
        pieces=board.copy(),
        cell_actions=np.tile(across, (rows, 1)),
        action_cells=np.stack([landing, np.where(landing < 0, -1, across)], axis=1),
        row_labels=("",) * rows,
        column_labels=tuple(str(column + 1) for column in across),
        last=last_cell,
        winning=winning_line(board, last_cell, int(state["k"])),
    )


def action_text(state: State, action: int) -> str:
    """Return the column, counted from 1."""
    return str(action + 1)


def parse_action(state: State, text: str) -> int:
    """Read a column, counted from 1."""
    columns = state["board"].shape[1]
    if text.strip().isdecimal() and 1 <= int(text) <= columns:
        return int(text) - 1
    raise UsageError(f"{text.strip()!r} is not a column; type a number from 1 to {columns}")


@checked_options
def game(rows: int = 6, columns: int = 7, k: int = 4) -> CompiledGame:
    """Describe the game; `rows` and `columns` from 1 to 20, `k` (discs in a line that win) no longer than a side.

    Raises `UsageError` for an option out of range.
    """
    require_board("connect_four", k, rows=rows, columns=columns)
    initial = empty_board(state_dtype(rows, columns))
    initial["k"] = k
    return CompiledGame(
        name="connect_four",
        title="Connect Four",
        options={"rows": rows, "columns": columns, "k": k},
        agents=("player_0", "player_1"),
        num_actions=columns,
        observation_shape=(rows, columns, 2),
        max_length=rows * columns,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe_stones,
            returns=win_or_loss,
            random_action=random_action,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        symmetries=(mirror(rows, columns),),
        pettingzoo_name="connect_four_v3",
    )


def mirror(rows: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the left-right reflection, as index arrays of the flat observation and of the actions."""
    cells = np.arange(rows * columns * 2).reshape(rows, columns, 2)
    return cells[:, ::-1].reshape(-1), np.arange(columns)[::-1].copy()


env, raw_env, parallel_env = views(game)
