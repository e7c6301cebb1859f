"""Checkers: English draughts, on the dark squares of a board of 8 x 8.

Rules: men step diagonally ahead to an empty square; kings also back. A piece jumps over one of the other's to the empty
square behind it, and takes it. A player who can jump must, and goes on with the same piece as long as it can; which
jump is free to choose. A man that reaches the farthest row becomes a king, and its turn is over. A player who cannot
move, or has no pieces, has lost. (World Checkers/Draughts Federation.) There a player may claim a draw when both have
made 40 moves without taking a piece or moving a man, or when a position comes for the third time. Here the first ends
the game by itself, after `draw_after` moves of each, and so ends games of the second kind, too.

A turn of several jumps is several actions of the same player, a jump each. Both players see the board from their own
side, turned by 180 degrees for the second: action `square * 4 + direction` moves the piece on that square (0 to 31 from
the own home row on) ahead (0, 1) or back (2, 3), for the first player to the left (0, 2) or right (1, 3) of the board.
In text squares have the usual numbers, the same for both; a step is `11-15`, a jump `22x15`:

     1-4   │   │ 1 │   │ 2 │   │ 3 │   │ 4 │    the first player's side; it has the dark pieces
     5-8   │ 5 │   │ 6 │   │ 7 │   │ 8 │   │
     9-12  │   │ 9 │   │10 │   │11 │   │12 │
    ...
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import popcount
from games.engine.boards import win_or_loss
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

ALL = 0xFFFFFFFF
EVEN, ODD = 0x0F0F0F0F, 0xF0F0F0F0  # rows 0, 2, 4, 6 and the others
INNER_EVEN, INNER_ODD = 0x07070707, 0xE0E0E0E0  # without the squares at the edge that a step aside would leave
KING_ROW = 28  # the first square of the farthest row
SQUARES = np.arange(32)
ROWS = SQUARES // 4
COLUMNS = 2 * (SQUARES % 4) + (ROWS + 1) % 2
MOST_PROGRESS = 2 * 4 * (7 + 6 + 5) + 24  # steps of men on their way to be kings, pieces taken
STATE = np.dtype(
    [
        ("men", np.uint32, (2,)),  # of each seat: bit 0 is square 1
        ("kings", np.uint32, (2,)),
        ("moves", np.uint32, (4,)),  # for each direction, the pieces that may move so, as the player to move sees them
        ("jumps", np.bool_),  # whether those moves are jumps
        ("jumper", np.int8),  # the piece that has jumped and must go on, as its player sees it; -1 if there is none
        ("quiet", np.int16),  # moves since a piece was taken or a man moved
        ("draw_after", np.int16),  # twice the option
        ("last_square", np.int8),  # where the last move ended, -1 before the first
        ("winner", np.int8),  # seat, -1 for nobody (yet)
        ("current_player", np.int8),  # seat to move, or TERMINAL
    ]
)


def neighbours() -> NDArray[np.int64]:
    """Return the square next to each one in each direction; -1 beside the board, and at -1 (the last row) -1 again."""
    table = np.full((33, 4), -1)
    for direction, (down, right) in enumerate([(1, -1), (1, 1), (-1, -1), (-1, 1)]):
        for square in SQUARES:
            next_to_it = (ROWS - ROWS[square] == down) & (COLUMNS - COLUMNS[square] == right)
            table[square, direction] = next_to_it.argmax() if next_to_it.any() else -1
    return table


NEIGHBOURS = neighbours()


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every jump of the piece that must go on, or else of any piece; if there is none, every step."""
    for direction in range(4):
        movers = np.int64(state.moves[direction])
        for square in range(32):
            mask[square * 4 + direction] = (movers >> square) & 1


@njit
def apply(state: Any, action: int) -> None:
    """Step or jump with a piece."""
    seat, other = state.current_player, 1 - state.current_player
    origin, direction = action // 4, action % 4
    target = NEIGHBOURS[origin, direction]
    if state.jumps:
        left = ~from_side_of(1 << target, seat)
        state.men[other] &= left
        state.kings[other] &= left
        target = NEIGHBOURS[target, direction]
    is_man = (from_side_of(state.men[seat], seat) >> origin) & 1 == 1
    crowned = is_man and target >= KING_ROW
    path = from_side_of(1 << origin | 1 << target, seat)
    if is_man:
        state.men[seat] ^= path
    else:
        state.kings[seat] ^= path
    if crowned:
        state.men[seat] ^= from_side_of(1 << target, seat)
        state.kings[seat] |= from_side_of(1 << target, seat)
    state.quiet = 0 if is_man or state.jumps else state.quiet + 1
    state.last_square = target if seat == 0 else 31 - target
    if state.jumps and not crowned and find_moves(state, seat, 1 << target):
        state.jumper = target
    else:
        state.jumper = -1
        turn_over(state, seat)


@njit
def turn_over(state: Any, seat: int) -> None:
    """Give the turn to the other, unless the game is over."""
    state.current_player = 1 - seat
    if not find_moves(state, 1 - seat, 0):
        state.winner = seat
        state.current_player = TERMINAL
    elif state.quiet >= state.draw_after:
        state.moves[:] = 0
        state.current_player = TERMINAL


@njit
def find_moves(state: Any, seat: int, jumper: Any) -> bool:
    """Write into `moves` what `seat` may do; returns whether it may do anything.

    A piece that has jumped, `jumper` (as a word, 0 for none), may only jump again.
    """
    men, kings = from_side_of(state.men[seat], seat), from_side_of(state.kings[seat], seat)
    others = from_side_of(state.men[1 - seat] | state.kings[1 - seat], seat)
    empty = ALL & ~(men | kings | others)
    movers = jumper if jumper else men | kings
    anything = np.int64(0)
    for direction in range(4):  # 3 - direction is the way back
        able = movers & (men | kings if direction < 2 else kings)
        jumps = able & shifted(others & shifted(empty, 3 - direction), 3 - direction)
        state.moves[direction] = jumps
        anything |= jumps
    state.jumps = anything != 0
    if not state.jumps and not jumper:
        for direction in range(4):
            steps = (men | kings if direction < 2 else kings) & shifted(empty, 3 - direction)
            state.moves[direction] = steps
            anything |= steps
    return anything != 0


@njit(inline="always")
def shifted(squares: Any, direction: int) -> Any:
    """Return all squares of a word moved by one diagonal step; those that leave the board are gone."""
    if direction == 0:
        moved = (squares & EVEN) << 4 | (squares & INNER_ODD) << 3
    elif direction == 1:
        moved = (squares & INNER_EVEN) << 5 | (squares & ODD) << 4
    elif direction == 2:
        moved = (squares & EVEN) >> 4 | (squares & INNER_ODD) >> 5
    else:
        moved = (squares & INNER_EVEN) >> 3 | (squares & ODD) >> 4
    return moved & ALL


@njit
def from_side_of(squares: Any, seat: int) -> Any:
    """Return a word as `seat` sees the board, or back: its bits are reversed (a half turn) for the second player."""
    word = np.int64(squares)
    if seat == 1:
        word = (word >> 1 & 0x55555555) | (word & 0x55555555) << 1
        word = (word >> 2 & 0x33333333) | (word & 0x33333333) << 2
        word = (word >> 4 & 0x0F0F0F0F) | (word & 0x0F0F0F0F) << 4
        word = (word >> 8 & 0x00FF00FF) | (word & 0x00FF00FF) << 8
        word = word >> 16 | (word & 0x0000FFFF) << 16
    return word & ALL


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write five planes [8, 8, 5], the home row of `seat` first.

    Own men, own kings, men and kings of the other, and the piece that must go on jumping.
    """
    men, kings = from_side_of(state.men[seat], seat), from_side_of(state.kings[seat], seat)
    other_men, other_kings = from_side_of(state.men[1 - seat], seat), from_side_of(state.kings[1 - seat], seat)
    jumper = state.jumper if seat == state.current_player else 31 - state.jumper
    out[:] = 0
    for square in range(32):
        row, column = ROWS[square], COLUMNS[square]
        out[row, column, 0] = (men >> square) & 1
        out[row, column, 1] = (kings >> square) & 1
        out[row, column, 2] = (other_men >> square) & 1
        out[row, column, 3] = (other_kings >> square) & 1
        out[row, column, 4] = state.jumper >= 0 and jumper == square


def squares_of(state: State, action: Any) -> tuple[Any, Any, Any]:
    """Return the squares from and to which an action leads (0 to 31, -1 beside the board), and whether it jumps.

    Takes an array of actions as well.
    """
    seat = 1 if state["current_player"] == 1 else 0
    others = bits(state["men"][1 - seat] | state["kings"][1 - seat])[:: -1 if seat else 1]
    origin, way = action // 4, action % 4
    step = NEIGHBOURS[origin, way]
    jumps = np.append(others, False)[step]
    target = np.where(jumps, NEIGHBOURS[step, way], step)
    if seat == 1:
        origin, target = 31 - origin, np.where(target < 0, -1, 31 - target)
    return origin, target, jumps


def bits(word: Any) -> NDArray[np.bool_]:
    """Return a word as booleans [32], square 1 first."""
    return (int(word) >> SQUARES & 1).astype(np.bool_)


@njit
def heuristic(state: Any, seat: int) -> float:
    """Return the lead in pieces, with 3 for a king and 2 for a man, divided by more than twelve kings."""
    return (strength(state, seat) - strength(state, 1 - seat)) / 37


@njit
def strength(state: Any, seat: int) -> int:
    """Return the strength of a side: two for a man, three for a king."""
    return 2 * popcount(np.uint64(state.men[seat])) + 3 * popcount(np.uint64(state.kings[seat]))


def picture(state: State) -> Picture:
    """Return the board with the first player on top, kings as K; a move takes two squares to point at."""
    pieces, letters = np.full((8, 8), -1, np.int8), np.full((8, 8), "", "<U1")
    for seat in (0, 1):
        men, kings = bits(state["men"][seat]), bits(state["kings"][seat])
        pieces[ROWS[men | kings], COLUMNS[men | kings]] = seat
        letters[ROWS[kings], COLUMNS[kings]] = "Kk"[seat]
    origins, targets, _ = squares_of(state, np.arange(128))
    cells = np.append(np.stack([ROWS, COLUMNS], axis=1), [[-1, -1]], axis=0)
    last = int(state["last_square"])
    return Picture(
        pieces=pieces,
        letters=letters,
        cell_actions=np.full((8, 8), -1),
        action_cells=cells[targets],
        action_origins=np.where(targets[:, None] < 0, -1, cells[origins]),
        row_labels=tuple(str(4 * row + 1) for row in range(8)),
        column_labels=("",) * 8,
        last=(int(ROWS[last]), int(COLUMNS[last])) if last >= 0 else None,
        board="squares",
        sides=("black", "white"),
    )


def action_text(state: State, action: int) -> str:
    """Return the squares of a step, `11-15`, or of a jump, `22x15`; the first alone, `4-`, if it leaves the board."""
    origin, target, jumps = squares_of(state, action)
    return f"{origin + 1}{'x' if jumps else '-'}{target + 1 if target >= 0 else ''}"


def parse_action(state: State, text: str) -> int:
    """Read the two squares of a step or of one jump of the player to move."""
    match = re.fullmatch(r"([0-9]{1,2})\s*[-x ]\s*([0-9]{1,2})", text.strip().lower(), re.ASCII)
    if match:
        origin, target = (int(number) - 1 for number in match.groups())
        if state["current_player"] == 1:
            origin, target = 31 - origin, 31 - target
        for way in range(4) if 0 <= origin < 32 and 0 <= target < 32 else ():
            step = NEIGHBOURS[origin, way]
            if target in (step, NEIGHBOURS[step, way]):
                return origin * 4 + way
    raise UsageError(
        f"{text.strip()!r} is not a move; type a step like 11-15 or a jump like 22x15, each jump by itself"
    )


@checked_options
def game(draw_after: int = 40) -> CompiledGame:
    """Describe the game.

    It is drawn after `draw_after` moves of each player, from 1 to 100, in which nothing was taken and no man moved.
    Raises `UsageError` for another number.
    """
    require_between("checkers", "draw_after", draw_after, 1, 100)
    initial = np.zeros((), STATE)
    initial["men"] = 0x00000FFF, 0xFFF00000
    initial["moves"] = 0x00000F00, 0x00000700, 0, 0
    initial["jumper"] = initial["last_square"] = initial["winner"] = -1
    initial["draw_after"] = 2 * draw_after
    return CompiledGame(
        name="checkers",
        title="Checkers",
        options={"draw_after": draw_after},
        agents=("player_0", "player_1"),
        num_actions=128,
        observation_shape=(8, 8, 5),
        max_length=(MOST_PROGRESS + 1) * 2 * draw_after,
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
    )


env, raw_env, parallel_env = views(game)
