"""The game move by move, as compiled functions over one record: what a move does, when the game ends, what is seen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.chess.actions import MOVES, ORIGINS, PLANES, TARGETS, UNDERPROMOTED, UNDERPROMOTIONS
from games.chess.board import BOARDS, KNIGHT, PAWN, QUEEN, clear, copy_board, kind_at, planes, relocate
from games.chess.draws import FIFTY_MOVES, can_claim, insufficient_material, occurrences
from games.chess.keys import EP_KEYS, PIECE_KEYS, key_after
from games.chess.moves import MOVERS, generate
from games.engine.attacks import CASTLING_KEPT
from games.engine.bits import ONE, ZERO, has, lowest_index, popcount
from games.engine.chance import below
from games.engine.game import TERMINAL
from games.engine.jit import njit
from games.engine.planes import write_bits

SHOWN = 8
"""Positions that an observation shows."""

MOST_MATERIAL = 104
"""More than nine queens, and the other officers."""
STATE_DTYPE = np.dtype(
    [
        ("boards", np.uint64, (BOARDS, 4)),  # see `games.chess.board`; after n moves the board is boards[n % 9]
        ("targets", np.uint64, (MOVERS,)),  # where each piece that can move may go, seen from the player to move
        ("origins", np.int8, (MOVERS,)),  # where it stands
        ("ep_files", np.int8, (BOARDS,)),  # file of the pawn that has just gone two squares, -1 for none; as boards
        ("repeated", np.int8, (BOARDS,)),  # whether the position had been there before; as boards
        ("movers", np.int8),  # how many pieces can move
        ("in_check", np.int8),
        ("ep_capture", np.int8),  # whether en passant is legal
        ("castling", np.int8),  # rights: 1 and 2 white's kingside and queenside, 4 and 8 black's
        ("turn", np.int8),  # seat to move, at the end too
        ("claims", np.int8),  # whether draws are claimed a move ahead
        ("recurrences", np.int8),  # positions since the last capture or pawn's move that had been there before
        ("winner", np.int8),  # seat, -1 for nobody (yet)
        ("current_player", np.int8),  # seat to move, or TERMINAL
        ("clock", np.int16),  # moves since the last capture or pawn's move
        ("length", np.int16),  # moves since the beginning
        ("number", np.int16),  # of the move as people count, one for both
        ("last_action", np.int16),  # -1 before the first
        ("keys", np.uint64, (FIFTY_MOVES + 1,)),  # of the positions since the last capture or pawn's move, by clock
    ],
    align=True,
)


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every move that does not leave the king in check."""
    pawns = planes(state.boards[state.length % BOARDS], state.turn)[0]
    for i in range(state.movers):
        origin, targets = np.int64(state.origins[i]), state.targets[i]
        promotes = origin >= 48 and has(pawns, origin)
        while targets:
            target = lowest_index(targets)
            mask[MOVES[origin, target]] = True
            if promotes:
                for piece in range(3):
                    mask[UNDERPROMOTED[origin, target, piece]] = True
            targets &= targets - ONE


@njit
def count_moves(state: Any) -> Any:
    """Return the number of legal moves."""
    pawns = planes(state.boards[state.length % BOARDS], state.turn)[0]
    count = 0
    for i in range(state.movers):
        moves = popcount(state.targets[i])
        count += 4 * moves if state.origins[i] >= 48 and has(pawns, np.int64(state.origins[i])) else moves
    return count


@njit
def random_action(state: Any, bits: Any) -> int:
    """Give one of the legal moves, each as likely as the others."""
    pawns = planes(state.boards[state.length % BOARDS], state.turn)[0]
    choice = below(bits, count_moves(state))
    for i in range(state.movers):
        origin, targets = np.int64(state.origins[i]), state.targets[i]
        ways = 4 if origin >= 48 and has(pawns, origin) else 1
        moves = ways * popcount(targets)
        if choice < moves:
            for _ in range(choice // ways):
                targets &= targets - ONE
            target, way = lowest_index(targets), choice % ways
            return UNDERPROMOTED[origin, target, way - 1] if way else MOVES[origin, target]
        choice -= moves
    return -1


@njit
def apply(state: Any, action: int) -> None:
    """Move a piece of the player to move."""
    seat = np.int64(state.turn)
    upside_down = 56 * seat
    origin, target = ORIGINS[action] ^ upside_down, TARGETS[action] ^ upside_down
    board = state.boards[state.length % BOARDS]
    kind, taken = kind_at(board, origin), kind_at(board, target)
    key = key_after(state, kind, origin, target)
    if taken:
        key ^= PIECE_KEYS[1 - seat, taken, target]
    state.castling &= CASTLING_KEPT[origin] & CASTLING_KEPT[target]
    state.number += seat
    state.length += 1
    state.clock += 1
    state.last_action = action
    slot = state.length % BOARDS
    state.ep_files[slot] = -1
    copy_board(state)
    board = state.boards[slot]
    if kind == PAWN or taken:
        state.clock = 0
        state.recurrences = 0
    if kind == PAWN:
        key ^= move_pawn(state, board, seat, action % PLANES, origin, target)
    else:
        relocate(board, seat, kind, origin, target)
    state.turn = 1 - seat
    generate(state)
    if state.ep_capture:
        key ^= EP_KEYS[state.ep_files[slot]]
    state.keys[state.clock] = key
    end(state)


@njit
def move_pawn(state: Any, board: NDArray[Any], seat: int, plane: int, origin: int, target: int) -> Any:
    """Move a pawn with all that may follow: promotion, en passant; returns what that adds to the position's key."""
    key = ZERO
    kind = PAWN
    if target < 8 or target >= 56:
        kind = QUEEN if plane < UNDERPROMOTIONS else KNIGHT + (plane - UNDERPROMOTIONS) % 3
        key = PIECE_KEYS[seat, PAWN, target] ^ PIECE_KEYS[seat, kind, target]
    elif abs(target - origin) == 16:
        state.ep_files[state.length % BOARDS] = target % 8
    elif (target - origin) % 8 and kind_at(board, target) == 0:
        passed = origin // 8 * 8 + target % 8
        clear(board, passed)
        key = PIECE_KEYS[1 - seat, PAWN, passed]
    relocate(board, seat, kind, origin, target)
    return key


@njit
def end(state: Any) -> None:
    """Say who moves next, or that the game is over."""
    state.current_player = TERMINAL
    times = occurrences(state, state.keys[state.clock], np.int64(state.clock))
    state.repeated[state.length % BOARDS] = times > 1
    state.recurrences += times > 1
    if state.movers == 0:
        if state.in_check:
            state.winner = 1 - state.turn
    elif not (
        times >= 3
        or state.clock >= FIFTY_MOVES
        or insufficient_material(state.boards[state.length % BOARDS])
        or (state.claims and can_claim(state))
    ):
        state.current_player = state.turn


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write planes [rank, file, 111], own side below: rights, clock, and eight boards of 13 planes, latest first."""
    out[:] = False
    own, other = state.castling >> (2 * seat), state.castling >> (2 - 2 * seat)
    everywhere = np.int64(own & 3 | (other & 3) << 2 | seat << 4 | 1 << 6)
    for square in range(64):
        write_bits(everywhere, out, square * out.shape[2])
    upside_down = 0 if seat else 56
    rule_square = (state.clock // 2) ^ upside_down
    out[rule_square >> 3, rule_square & 7, 5] = True
    for back in range(min(SHOWN, state.length)):
        slot = (state.length - back) % BOARDS
        show_board(state.boards[slot], seat, out, 7 + 13 * back)
        if state.ep_files[slot] >= 0:
            show_double_step(1 - (state.turn ^ back & 1), state.ep_files[slot], seat, out, 7 + 13 * back)
        if state.repeated[slot]:
            for square in range(64):
                show(out, square, 19 + 13 * back)


@njit
def show(out: NDArray[Any], square: int, plane: int) -> None:
    """Set one entry of a plane."""
    out[square >> 3, square & 7, plane] = True


@njit
def show_board(board: NDArray[Any], seat: int, out: NDArray[Any], first: int) -> None:
    """Write twelve planes: own pieces by kind, then the other's."""
    upside_down = 0 if seat else 56
    occupied = board[0] | board[1] | board[2]
    while occupied:
        square = lowest_index(occupied)
        plane = first + kind_at(board, square) - 1
        if has(board[3], square) == (seat == 1):
            plane += 6
        show(out, square ^ upside_down, plane)
        occupied &= occupied - ONE


@njit
def show_double_step(mover: int, file: int, seat: int, out: NDArray[Any], first: int) -> None:
    """Show a pawn that may be taken en passant on the rank behind its own pieces (as in Leela Chess Zero)."""
    home, stands = (7, 4) if mover == seat else (0, 3)
    plane = first if mover == seat else first + 6
    out[stands, file, plane] = False
    out[home, file, plane] = True


@njit
def heuristic(state: Any, seat: int) -> float:
    """Return the lead in material: a pawn 1, knights and bishops 3, rooks 5, queens 9, divided by a bound."""
    pawns, knights, slanting, straight, _, own, _ = planes(state.boards[state.length % BOARDS], seat)
    lead = 0
    for pieces, value in ((pawns, 1), (knights, 3), (slanting & ~straight, 3), (straight & ~slanting, 5)):
        lead += value * (popcount(pieces & own) - popcount(pieces & ~own))
    queens = slanting & straight
    return (lead + 9 * (popcount(queens & own) - popcount(queens & ~own))) / MOST_MATERIAL
