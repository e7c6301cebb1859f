"""Tic-tac-toe on an m x n board, k in a row wins.

Rules: two players in turn put a mark on an empty cell. Whoever first has `k` marks in a row, column or diagonal wins;
a full board is a draw. Actions, observations and rewards are those of PettingZoo's `tictactoe_v3` (3 x 3, 3 in a row).
With `players` three or four take turns with a mark each; the winner gets 1, which the others pay.

Cells are numbered down the columns, on every size; in text a cell is a column letter and a row number:

        a   b   c
      ╭───┬───┬───╮
    1 │ 0 │ 3 │ 6 │
    2 │ 1 │ 4 │ 7 │
    3 │ 2 │ 5 │ 8 │
      ╰───┴───┴───╯
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import (
    COLUMN_LETTERS,
    cell_text,
    empty_board,
    end_or_pass,
    end_or_pass_to,
    in_line,
    observe_stones,
    parse_cell,
    random_empty,
    reflections,
    require_board,
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

MOST_PLAYERS = 4


def state_dtype(m: int, n: int, players: int = 2) -> np.dtype[Any]:
    """Return the layout of a position's record on a board of m rows and n columns."""
    more = [("players", np.int8)] if players > 2 else []
    return np.dtype(
        [
            *more,  # first: numba would take the record for one of two players with something behind it, and warn
            ("board", np.int8, (n, m)),  # seat of the mark in each cell, -1 empty; column first, as cells are numbered
            ("length", np.int16),  # marks on the board
            ("last_action", np.int16),  # -1 before the first move
            ("k", np.int8),  # marks in a line that win
            ("winner", np.int8),  # seat, -1 for nobody (yet)
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every empty cell."""
    rows = state.board.shape[1]
    for action in range(mask.shape[0]):
        mask[action] = state.board[action // rows, action % rows] < 0


@njit
def random_action(state: Any, bits: Any) -> int:
    """Return a random empty cell."""
    return random_empty(state.board, bits)


@njit
def apply(state: Any, action: int) -> None:
    """Mark a cell for the player to move, one of two."""
    end_or_pass(state, mark(state, action))


@njit(inline="always")
def mark(state: Any, action: int) -> bool:
    """Mark a cell for the player to move; return whether that makes a line."""
    column, row = action // state.board.shape[1], action % state.board.shape[1]
    state.board[column, row] = state.current_player
    state.length += 1
    state.last_action = action
    return in_line(state.board, column, row, state.k)


@njit
def apply_in_turn(state: Any, action: int) -> None:
    """Mark a cell for the player to move, one of several."""
    end_or_pass_to(state, mark(state, action), (state.current_player + 1) % state.players)


@njit
def observe_all(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write planes [columns, rows, P]: the marks of `seat`, then those of the others in the order of turns."""
    board, players = state.board, out.shape[2]
    for column in range(board.shape[0]):
        for row in range(board.shape[1]):
            for plane in range(players):
                out[column, row, plane] = 0
            owner = board[column, row]  # one plane has it: to compare it with all of them compiles four times as long
            if owner >= 0:
                out[column, row, (owner - seat + players) % players] = 1


@njit
def returns_of_all(state: Any, out: NDArray[Any]) -> None:
    """Write +1 for the winner, paid by the others in equal parts."""
    if state.winner >= 0:
        for seat in range(out.shape[0]):
            out[seat] = 1 if seat == state.winner else -1 / (out.shape[0] - 1)


def picture(state: State) -> Picture:
    """Return the board with rows downwards."""
    columns, rows = state["board"].shape
    actions = np.arange(columns * rows)
    last, pieces = int(state["last_action"]), state["board"].T.copy()
    last_cell = (last % rows, last // rows) if last >= 0 else None
    return Picture(
        pieces=pieces,
        cell_actions=actions.reshape(columns, rows).T.copy(),
        action_cells=np.stack([actions % rows, actions // rows], axis=1),
        row_labels=tuple(str(row + 1) for row in range(rows)),
        column_labels=tuple(COLUMN_LETTERS[:columns]),
        last=last_cell,
        winning=winning_line(pieces, last_cell, int(state["k"])),
    )


def action_text(state: State, action: int) -> str:
    """Return column letter and row number, `b3`."""
    rows = state["board"].shape[1]
    return cell_text(action % rows, action // rows)


def parse_action(state: State, text: str) -> int:
    """Read a column letter and a row number."""
    columns, rows = state["board"].shape
    row, column = parse_cell(text, rows, columns)
    return column * rows + row


@checked_options
def game(m: int = 3, n: int = 3, k: int = 3, players: int = 2) -> CompiledGame:
    """Describe the game for 2 to 4 `players`.

    `m` rows and `n` columns from 1 to 20, `k` (marks in a line that win) no longer than a side. Raises `UsageError` for
    an option out of range.
    """
    require_board("tic_tac_toe", k, m=m, n=n)
    require_between("tic_tac_toe", "players", players, 2, MOST_PLAYERS)
    initial = empty_board(state_dtype(m, n, players))
    initial["k"] = k
    if players > 2:
        initial["players"] = players
    return CompiledGame(
        name="tic_tac_toe",
        title="Tic-tac-toe",
        options={"m": m, "n": n, "k": k, "players": players},
        agents=tuple(f"player_{seat + 1}" for seat in range(players)),
        num_actions=m * n,
        observation_shape=(n, m, players),
        max_length=m * n,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply if players == 2 else apply_in_turn,
            observe=observe_stones if players == 2 else observe_all,
            returns=win_or_loss if players == 2 else returns_of_all,
            random_action=random_action,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        symmetries=reflections(n, m, players),
        pettingzoo_name="tictactoe_v3" if players == 2 else None,
    )


env, raw_env, parallel_env = views(game)
