"""Othello: enclose the other's discs between two of one's own and turn them over.

Rules: the first player has the dark discs. A disc goes to an empty cell from which, in at least one of the eight
directions, an unbroken run of the other's discs leads to one of one's own; all such runs turn over. A player who cannot
place must pass. When neither can, the game is over and more discs win; equal numbers draw. (World Othello Federation;
also boards of other even sizes, begun in the same way.)

An action is a cell, row by row from the top left; after the last cell comes the pass, which is legal only when nothing
else is. In text a cell is a column letter and a row number counted from the top; the pass is `pass`:

        a   b   c   d   e   f   g   h
    3 │   │   │   │ * │   │   │   │   │    * where dark may begin
    4 │   │   │ * │ ○ │ ● │   │   │   │
    5 │   │   │   │ ● │ ○ │ * │   │   │
    6 │   │   │   │   │ * │   │   │   │
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import popcount
from games.engine.boards import COLUMN_LETTERS, cell_text, cells_by_row, parse_cell, win_or_loss
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

SIZES = range(4, 17, 2)
CORNER = 10
"""Value of a corner, in moves to choose from."""
DIRECTIONS = np.array([(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])


def state_dtype(size: int) -> np.dtype[Any]:
    """Return the layout of a position's record; in a word for a row, bit c is column c."""
    return np.dtype(
        [
            ("discs", np.uint16, (2, size)),  # of each seat: a word for each row
            ("moves", np.uint16, (size,)),  # where the player to move may place a disc; none: it must pass
            ("last_cell", np.int16),  # of the last disc placed, -1 before the first
            ("winner", np.int8),  # seat, -1 for nobody (yet)
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every cell that turns discs over, or the pass if there is none."""
    size = state.moves.shape[0]
    anywhere = 0
    for row in range(size):
        anywhere |= state.moves[row]
        for column in range(size):
            mask[row * size + column] = (state.moves[row] >> column) & 1
    mask[size * size] = anywhere == 0 and state.current_player != TERMINAL


@njit
def apply(state: Any, action: int) -> None:
    """Place a disc of the player to move, or pass."""
    seat, other = state.current_player, 1 - state.current_player
    size = state.moves.shape[0]
    if action < size * size:
        place(state, seat, action // size, action % size)
        state.last_cell = action
    if find_moves(state, other):
        state.current_player = other
    elif find_moves(state, seat):
        state.moves[:] = 0  # those found are for after the pass
        state.current_player = other
    else:
        state.current_player = TERMINAL
        lead = count(state, 0) - count(state, 1)
        if lead != 0:
            state.winner = 0 if lead > 0 else 1


@njit(inline="always")
def place(state: Any, seat: int, row: int, column: int) -> None:
    """Put a disc on a cell and turn over every run between it and another disc of `seat`."""
    size = state.moves.shape[0]
    for i in range(8):
        down, right = DIRECTIONS[i, 0], DIRECTIONS[i, 1]
        r, c = row + down, column + right
        while 0 <= r < size and 0 <= c < size and (state.discs[1 - seat, r] >> c) & 1:
            r, c = r + down, c + right
        if 0 <= r < size and 0 <= c < size and (state.discs[seat, r] >> c) & 1:
            r, c = r - down, c - right
            while r != row or c != column:
                state.discs[seat, r] ^= 1 << c
                state.discs[1 - seat, r] ^= 1 << c
                r, c = r - down, c - right
    state.discs[seat, row] |= 1 << column


@njit
def find_moves(state: Any, seat: int) -> bool:
    """Write into `moves` where `seat` may place a disc; returns whether it may anywhere.

    All cells of a row are worked on at once. Runs of the other's discs that begin beside an own one grow row by row
    (three words: straight, and slanting either way) and end in a move where they reach an empty cell.
    """
    size = state.moves.shape[0]
    state.moves[:] = 0
    for down in range(2):
        above = straight = left = right = np.int64(0)
        for i in range(size):
            row = i if down else size - 1 - i
            own, others = np.int64(state.discs[seat, row]), np.int64(state.discs[1 - seat, row])
            state.moves[row] |= (straight | left >> 1 | right << 1) & ~(own | others)
            straight = (straight | above) & others
            left = (left | above) >> 1 & others
            right = (right | above) << 1 & others
            above = own
    anywhere = 0
    for row in range(size):
        own, others = np.int64(state.discs[seat, row]), np.int64(state.discs[1 - seat, row])
        rightwards = others + (own << 1 & others)  # a carry runs through the discs to the cell behind them
        leftwards = own >> 1 & others
        for _ in range(size - 3):
            leftwards |= leftwards >> 1 & others
        within = (1 << size) - 1
        state.moves[row] = (state.moves[row] | rightwards | leftwards >> 1) & ~(own | others) & within
        anywhere |= state.moves[row]
    return anywhere != 0


@njit
def count(state: Any, seat: int) -> int:
    """Return the number of discs of `seat`."""
    discs = 0
    for row in range(state.discs.shape[1]):
        bits = np.int64(state.discs[seat, row])
        while bits:
            bits &= bits - 1
            discs += 1
    return discs


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write two planes [rows, columns, 2]: the discs of `seat`, and those of the other."""
    for row in range(state.moves.shape[0]):
        own, others = state.discs[seat, row], state.discs[1 - seat, row]
        for column in range(state.moves.shape[0]):
            out[row, column, 0] = (own >> column) & 1
            out[row, column, 1] = (others >> column) & 1


@njit
def heuristic(state: Any, seat: int) -> float:
    """Return the lead in corners, which are never lost, with a little for mobility; counting discs would mislead."""
    size = state.moves.shape[0]
    ends = 1 | 1 << (size - 1)
    lead = 0
    for row in (0, size - 1):
        lead += popcount(np.uint64(state.discs[seat, row] & ends)) - popcount(
            np.uint64(state.discs[1 - seat, row] & ends)
        )
    choices = 0
    for row in range(size):
        choices += popcount(np.uint64(state.moves[row]))
    return (CORNER * lead + (choices if state.current_player == seat else -choices)) / (4 * CORNER + size * size)


def picture(state: State) -> Picture:
    """Return the board with the number of discs below it; the pass has no cell."""
    size = len(state["moves"])
    discs = state["discs"][:, :, None] >> np.arange(size) & 1
    cell_actions, action_cells = cells_by_row(size, others=1)
    last = int(state["last_cell"])
    return Picture(
        pieces=np.where(discs[0], 0, np.where(discs[1], 1, -1)).astype(np.int8),
        cell_actions=cell_actions,
        action_cells=action_cells,
        row_labels=tuple(str(row + 1) for row in range(size)),
        column_labels=tuple(COLUMN_LETTERS[:size]),
        last=divmod(last, size) if last >= 0 else None,
        surface="felt",
        sides=("black", "white"),
        notes=(f"discs: {discs[0].sum()} to {discs[1].sum()}",),
    )


def action_text(state: State, action: int) -> str:
    """Return column letter and row number, `d3`, or `pass`."""
    size = len(state["moves"])
    return "pass" if action == size * size else cell_text(action // size, action % size)


def parse_action(state: State, text: str) -> int:
    """Read a cell or `pass`."""
    size = len(state["moves"])
    if text.strip().lower() == "pass":
        return size * size
    row, column = parse_cell(text, size, size, or_else=", or pass")
    return row * size + column


@checked_options
def game(size: int = 8) -> CompiledGame:
    """Describe the game; `size` is even, from 4 to 16. Raises `UsageError` for another."""
    if size not in SIZES:
        raise UsageError(f"othello: size={size} is not an even number between {SIZES[0]} and {SIZES[-1]}")
    initial = np.zeros((), state_dtype(size))
    half = size // 2
    left, right = 1 << (half - 1), 1 << half
    initial["discs"][:, half - 1 : half + 1] = [[right, left], [left, right]]
    initial["moves"][half - 2 : half + 2] = [left, left >> 1, right << 1, right]
    initial["last_cell"] = initial["winner"] = -1
    return CompiledGame(
        name="othello",
        title="Othello",
        options={"size": size},
        agents=("player_0", "player_1"),
        num_actions=size * size + 1,
        observation_shape=(size, size, 2),
        max_length=2 * (size * size - 4) - 1,  # between any two discs at most one pass
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
        symmetries=symmetries(size),
    )


def symmetries(size: int) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
    """Return both diagonal reflections and the half turn (others exchange the colours), as index arrays."""
    planes, cells = np.arange(size * size * 2).reshape(size, size, 2), np.arange(size * size).reshape(size, size)

    def indices(planes: NDArray[np.int64], cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return planes.reshape(-1), np.append(cells, size * size)

    turned = np.rot90(planes, 2), np.rot90(cells, 2)
    return (
        indices(planes.transpose(1, 0, 2), cells.T),
        indices(turned[0].transpose(1, 0, 2), turned[1].T),
        indices(*turned),
    )


env, raw_env, parallel_env = views(game)
