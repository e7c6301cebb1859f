"""Tron: light cycles leave walls behind them; the last one riding wins.

Rules: those of Waterloo's Google AI Challenge 2010, for two to four players. All move at once, one cell up, right, down
or left; a cycle cannot turn round on the spot. A cycle that leaves the board, runs into a wall (a cell that any cycle
has been in), or enters the same cell as another has crashed and is out; the walls remain. The game ends when one or
none still rides. The cycles that crashed last, or not at all, win: +1, shared by all that crashed last together, -1
shared by the others, nothing if all crashed together. Two begin to the left and right of the middle, the third above
it, the fourth below.

An action is a direction: `up` (0), `right` (1), `down` (2), `left` (3).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import COLUMN_LETTERS, LONGEST_SIDE
from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.joint import NEVER, NOT_YET, await_choices, choose, has_chosen, hide_choices
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.scores import share_win
from games.engine.views import views

WORDS = ("up", "right", "down", "left")
STEPS = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
MOST_PLAYERS = 4
RIDING = 10_000
"""In the field `fell`: not yet; longer than any game."""


def state_dtype(rows: int, columns: int, players: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("walls", np.int8, (rows, columns)),  # seat that has been in a cell, -1 free; row 0 on top
            ("entered", np.int8, (rows, columns)),  # by which action, -1 for where it began
            ("heads", np.int8, (players, 2)),  # row and column where each cycle is, or was last
            ("last", np.int8, players),  # what each chose last, -1 before the first time
            ("fell", np.int16, players),  # the round in which each has crashed, or RIDING
            ("chosen", np.int16, players),
            ("length", np.int16),  # rounds played
            ("current_player", np.int8),  # seat to choose, or TERMINAL
            RANDOM_FIELD,  # for guesses only
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow all directions but back; none for a seat that has crashed, or at the end."""
    seat = state.current_player
    if seat >= 0 and state.fell[seat] == RIDING:
        mask[:] = True
        if state.last[seat] >= 0:
            mask[(state.last[seat] + 2) % 4] = False


@njit
def apply(state: Any, action: int) -> None:
    """Choose a direction; when all have, ride."""
    if not choose(state, action):
        return
    state.length += 1
    for seat in range(state.chosen.shape[0]):
        if state.chosen[seat] >= 0 and crashes(state, seat):
            state.fell[seat] = state.length
    riding = 0
    for seat in range(state.chosen.shape[0]):
        if state.chosen[seat] >= 0:
            state.last[seat] = state.chosen[seat]
        if state.fell[seat] == RIDING:
            riding += 1
            ride(state, seat)
            state.chosen[seat] = NOT_YET
        else:
            state.chosen[seat] = NEVER
    if riding <= 1:
        state.current_player = TERMINAL
    else:
        await_choices(state)


@njit
def crashes(state: Any, seat: int) -> bool:
    """Return whether the choice of `seat` leads off the board, into a wall, or into a cell that another enters."""
    row, column = ahead(state, seat)
    if not (0 <= row < state.walls.shape[0] and 0 <= column < state.walls.shape[1]) or state.walls[row, column] >= 0:
        return True
    for other in range(state.chosen.shape[0]):
        if other != seat and state.chosen[other] >= 0 and ahead(state, other) == (row, column):
            return True
    return False


@njit
def ahead(state: Any, seat: int) -> tuple[int, int]:
    """Return row and column of the cell that `seat` has chosen, which may lie off the board."""
    direction = state.chosen[seat]
    return state.heads[seat, 0] + STEPS[direction, 0], state.heads[seat, 1] + STEPS[direction, 1]


@njit
def ride(state: Any, seat: int) -> None:
    """Enter the cell that `seat` has chosen."""
    row, column = ahead(state, seat)
    state.heads[seat, 0], state.heads[seat, 1] = row, column
    state.walls[row, column] = seat
    state.entered[row, column] = state.chosen[seat]


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write planes [rows, columns, 2 P], two for each seat in the order of turns, own first: walls, and the cycle."""
    players = state.chosen.shape[0]
    out[:] = 0
    for row in range(state.walls.shape[0]):
        for column in range(state.walls.shape[1]):
            if state.walls[row, column] >= 0:
                out[row, column, 2 * ((state.walls[row, column] - seat) % players)] = 1
    for other in range(players):
        if state.fell[other] == RIDING:
            out[state.heads[other, 0], state.heads[other, 1], 2 * ((other - seat) % players) + 1] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write owner and direction of each cell [rows * columns], last choices [P], and the own unseen choice [1]."""
    rows, columns = state.walls.shape
    for row in range(rows):
        for column in range(columns):
            way = 5 * state.walls[row, column] + state.entered[row, column] + 2
            out[row * columns + column] = way if state.walls[row, column] >= 0 else 0
    for other in range(state.last.shape[0]):
        out[rows * columns + other] = state.last[other] + 1
    out[rows * columns + state.last.shape[0]] = max(state.chosen[seat], NOT_YET) + 1


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write +1 shared by the seats that lasted longest, -1 by the others; nothing before the end."""
    if state.current_player == TERMINAL:
        share_win(state.fell, out)


@njit
def determinize(state: Any, seat: int) -> None:
    """Draw what others have chosen, unseen: any direction but back."""
    for other in range(state.chosen.shape[0]):
        if other != seat and has_chosen(state, other):
            if state.last[other] < 0:
                state.chosen[other] = draw_below(state, 4)
            else:
                state.chosen[other] = (state.last[other] + 3 + draw_below(state, 3)) % 4


def picture(state: State) -> Picture:
    """Return the walls, with each cycle's number, `x` where it crashed; cells beside a cycle are its moves."""
    rows, columns = state["walls"].shape
    letters = np.full((rows, columns), "")
    for seat, (row, column) in enumerate(state["heads"]):
        letters[row, column] = str(seat + 1) if state["fell"][seat] == RIDING else "x"
    cells, targets = np.full((rows, columns), -1), np.full((len(WORDS), 2), -1)
    if state["current_player"] >= 0:
        for action, (row, column) in enumerate(state["heads"][state["current_player"]] + STEPS):
            if 0 <= row < rows and 0 <= column < columns:
                cells[row, column], targets[action] = action, (row, column)
    out = [f"player {seat + 1} crashed in round {fell}" for seat, fell in enumerate(state["fell"]) if fell < RIDING]
    return Picture(
        pieces=state["walls"].copy(),
        cell_actions=cells,
        action_cells=targets,
        row_labels=tuple(str(row + 1) for row in range(rows)),
        column_labels=tuple(COLUMN_LETTERS[:columns]),
        letters=letters,
        board="tiles",
        notes=tuple(out),
    )


def action_text(state: State, action: int) -> str:
    """Return the name of a direction."""
    return WORDS[action]


def parse_action(state: State, text: str) -> int:
    """Read a direction, or its first letter."""
    word = text.strip().lower()
    for action, direction in enumerate(WORDS):
        if word in (direction, direction[0]):
            return action
    raise UsageError(f"{text.strip()!r} is no direction; type a word: {', '.join(WORDS)}")


@checked_options
def game(players: int = 2, rows: int = 10, columns: int = 10) -> CompiledGame:
    """Describe the game for 2 to 4 `players`; `rows` and `columns` from 3 to 20. Raises `UsageError` for others."""
    require_between("tron", "players", players, 2, MOST_PLAYERS)
    require_between("tron", "rows", rows, 3, LONGEST_SIDE)
    require_between("tron", "columns", columns, 3, LONGEST_SIDE)
    initial = np.zeros((), state_dtype(rows, columns, players))
    initial["walls"] = initial["entered"] = initial["last"] = -1
    initial["chosen"], initial["fell"] = NOT_YET, RIDING
    for seat, (row, column) in enumerate(starts(rows, columns)[:players]):
        initial["heads"][seat] = row, column
        initial["walls"][row, column] = seat
    return CompiledGame(
        name="tron",
        title="Tron",
        options={"players": players, "rows": rows, "columns": columns},
        agents=tuple(f"player_{seat}" for seat in range(players)),
        num_actions=len(WORDS),
        observation_shape=(rows, columns, 2 * players),
        max_length=rows * columns,  # a choice takes a free cell, or crashes, which each seat does once
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            redact=hide_choices,
            determinize=determinize,
            information_state=information_state,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        information_shape=(rows * columns + players + 1,),
        perfect_information=False,
        simultaneous=True,
    )


def starts(rows: int, columns: int) -> list[tuple[int, int]]:
    """Return the cells where the cycles begin: two pairs, each exchanged by a half turn of the board."""
    left, above = ((rows - 1) // 2, columns // 4), (rows // 4, columns // 2)
    return [start for row, column in (left, above) for start in ((row, column), (rows - 1 - row, columns - 1 - column))]


env, raw_env, parallel_env = views(game)
