"""Compiled search of forced wins in gomoku: by fours alone, and by fours and threes.

After Allis, van den Herik and Huntjens, "Go-Moku solved by new search techniques" (1993). A four forces its answer, so
that a win by fours alone is a line of moves. A three is a move that threatens such a win; of the answers to it those
are tried that can stop it: where the win would be played, where its answers would get a line of their own, and fours.

A window is five cells in a line. Shapes: C cells, W windows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.entries import unowned
from games.engine.jit import njit

FIVE = 5
THROUGH = 4 * FIVE
"""Number of windows through a cell, at most."""
NONE = -1
"""No cell."""
WON, FAILED = -1, -2
"""In place of a number of moves: the attack has succeeded, or failed."""
FAILED_PLACES = 1 << 16
"""Number of positions without a win by fours that are remembered, a power of two."""


class Windows(NamedTuple):
    """The windows of a board."""

    cells: NDArray[np.int16]
    """Their cells, [W, 5]."""
    beyond: NDArray[np.int16]
    """The cells before and after them in their line, `NONE` off the board, [W, 2]."""
    of_cell: NDArray[np.int16]
    """The windows through each cell, [C, 20], filled up with -1."""


class Stones(NamedTuple):
    """A position."""

    board: NDArray[np.int8]
    """The seat of the stone in each cell, -1 where there is none, [C]."""
    counts: NDArray[np.int8]
    """The stones of each seat in each window, [2, W]."""
    key: NDArray[np.uint64]
    """Hash of the position, [1]."""
    hashes: NDArray[np.uint64]
    """Random words, [2, C]."""


class ThreatSearch(NamedTuple):
    """Memory and limits of a search."""

    windows: Windows
    overline: bool
    """Whether more than five in a line win."""
    failed: NDArray[np.uint64]
    """Hashes of positions without a win by fours, [`FAILED_PLACES`]."""
    budget: NDArray[np.int64]
    """Number of positions that may still be searched for wins by fours, [1]."""
    line: NDArray[np.bool_]
    """Cells of the last win by fours that was found, both sides' and where it would have been completed, [C]."""
    answers: NDArray[np.bool_]
    """Cells of the answers in it, [C]."""
    moves: NDArray[np.int16]
    """Moves to be tried at each ply of a search by threes, [D, C]."""
    chosen: NDArray[np.int64]
    """The first move of the win that was found, [1]."""


@njit(cache=True, nogil=True)
def put(stones: Stones, cell: int, seat: int, windows: Windows) -> None:
    """Put a stone on an empty cell."""
    stones.board[cell] = seat
    stones.key[0] ^= stones.hashes[seat, cell]
    for i in range(THROUGH):
        window = windows.of_cell[cell, i]
        if window < 0:
            break
        stones.counts[seat, window] += 1


@njit(cache=True, nogil=True)
def take(stones: Stones, cell: int, windows: Windows) -> None:
    """Take a stone off again."""
    seat = stones.board[cell]
    stones.board[cell] = NONE
    stones.key[0] ^= stones.hashes[seat, cell]
    for i in range(THROUGH):
        window = windows.of_cell[cell, i]
        if window < 0:
            break
        stones.counts[seat, window] -= 1


@njit
def completing(stones: Stones, window: int, seat: int, search: ThreatSearch) -> Any:
    """Return the cell with which a seat completes five in a window; `NONE` if it has not four there, and that free."""
    if stones.counts[seat, window] != FIVE - 1 or stones.counts[1 - seat, window] != 0:
        return NONE
    if not search.overline:
        for i in range(2):
            beyond = search.windows.beyond[window, i]
            if beyond >= 0 and stones.board[beyond] == seat:
                return NONE
    for i in range(FIVE):
        cell = np.int64(search.windows.cells[window, i])
        if stones.board[cell] < 0:
            return cell
    return NONE


@njit
def fives(stones: Stones, seat: int, search: ThreatSearch) -> Any:
    """Return two cells with which a seat would complete five at once; `NONE` for each that is missing."""
    first = np.int64(NONE)
    for window in range(stones.counts.shape[1]):
        cell = completing(stones, window, seat, search)
        if cell >= 0 and first < 0:
            first = cell
        elif cell >= 0 and cell != first:
            return first, cell
    return first, np.int64(NONE)


@njit(cache=True, nogil=True)
def fives_through(stones: Stones, cell: int, seat: int, search: ThreatSearch) -> Any:
    """Return two cells with which a seat would complete five through `cell`; `NONE` for each that is missing."""
    first = np.int64(NONE)
    for i in range(THROUGH):
        window = np.int64(search.windows.of_cell[cell, i])
        if window < 0:
            break
        completed = completing(stones, window, seat, search)
        if completed >= 0 and first < 0:
            first = completed
        elif completed >= 0 and completed != first:
            return first, completed
    return first, np.int64(NONE)


@njit
def note_fours(search: ThreatSearch, move: int, first: int, second: int) -> None:
    """Note a move of a win by fours: its cell, that of its answer, and where else it would have been completed."""
    search.line[move] = search.line[first] = True
    if second >= 0:
        search.line[second] = True
    else:
        search.answers[first] = True


@njit(cache=True, nogil=True)
def win_by_fours(stones: Stones, seat: int, search: ThreatSearch) -> Any:
    """Return the first move of a win of the seat to move in which all its moves make five or a four; `NONE` if none.

    Adds the cells of the win to `line` and `answers`.
    """
    stones, search = unowned(stones), unowned(search)
    search.budget[0] -= 1
    five, _ = fives(stones, seat, search)
    if five >= 0:
        search.line[five] = True
        return five
    forced, other_forced = fives(stones, 1 - seat, search)
    key = stones.key[0] ^ np.uint64(seat)
    place = np.int64(key & np.uint64(FAILED_PLACES - 1))
    if other_forced >= 0 or search.budget[0] < 0 or search.failed[place] == key:
        return NONE
    for window in range(stones.counts.shape[1]):
        if stones.counts[seat, window] != FIVE - 2 or stones.counts[1 - seat, window] != 0:
            continue
        for i in range(FIVE):
            move = np.int64(search.windows.cells[window, i])
            if stones.board[move] >= 0 or (forced >= 0 and move != forced):
                continue
            put(stones, move, seat, search.windows)
            first, second = fives_through(stones, move, seat, search)
            won = second >= 0
            if first >= 0 and not won:
                put(stones, first, 1 - seat, search.windows)
                won = win_by_fours(stones, seat, search) >= 0
                take(stones, first, search.windows)
            take(stones, move, search.windows)
            if won:
                note_fours(search, move, first, second)
                return move
    if search.budget[0] >= 0:
        search.failed[place] = key
    return NONE


@njit
def list_attacks(stones: Stones, seat: int, moves: NDArray[np.int16], search: ThreatSearch) -> int:
    """Write the moves by which `seat` may threaten; return their number, or `WON` or `FAILED`."""
    move = win_by_fours(stones, seat, search)
    if move >= 0:
        search.chosen[0] = move
        return WON
    forced, other_forced = fives(stones, 1 - seat, search)
    if other_forced >= 0 or search.budget[0] < 0:
        return FAILED
    if forced >= 0:
        moves[0] = forced
        return 1
    count = 0
    for cell in range(stones.board.shape[0]):
        if stones.board[cell] < 0 and may_threaten(stones, cell, seat, search.windows):
            moves[count] = cell
            count += 1
    return count


@njit
def may_threaten(stones: Stones, cell: int, seat: int, windows: Windows) -> bool:
    """Return whether a stone in a cell would be the third or fourth of a seat in a window free of the other's."""
    for i in range(THROUGH):
        window = windows.of_cell[cell, i]
        if window < 0:
            break
        if stones.counts[seat, window] >= 2 and stones.counts[1 - seat, window] == 0:
            return True
    return False


@njit
def list_defences(stones: Stones, last: int, seat: int, moves: NDArray[np.int16], search: ThreatSearch) -> int:
    """Write the answers of `seat` that may stop what the other threatens by its `last` move; return their number.

    Or return `FAILED` if it threatens nothing: the attack has failed.
    """
    first, second = fives_through(stones, last, 1 - seat, search)
    if second >= 0:
        return WON
    if first >= 0:
        moves[0] = first
        return 1
    search.line[:] = False
    search.answers[:] = False
    if win_by_fours(stones, 1 - seat, search) < 0:
        return FAILED
    return list_stops(stones, seat, moves, search)


@njit(cache=True, nogil=True)
def list_stops(stones: Stones, seat: int, moves: NDArray[np.int16], search: ThreatSearch) -> int:
    """Write the moves of `seat` that may stop the win noted in `line` and `answers`; return their number.

    They are cells of that win, and cells where a stone, with those of its answers, makes a four of its own.
    """
    windows = search.windows
    for window in range(windows.cells.shape[0]):
        if stones.counts[1 - seat, window] != 0:
            continue
        own = int(stones.counts[seat, window])
        for i in range(FIVE):
            own += search.answers[windows.cells[window, i]]
        if own >= FIVE - 2:
            for i in range(FIVE):
                search.line[windows.cells[window, i]] = True
    count = 0
    for cell in range(stones.board.shape[0]):
        if search.line[cell] and stones.board[cell] < 0:
            moves[count] = cell
            count += 1
    return count


@njit(cache=True, nogil=True)
def win_by_threes(
    stones: Stones, attacker: int, attacks: bool, depth: int, ply: int, last: int, search: ThreatSearch
) -> bool:
    """Return whether `attacker` wins by at most `depth` moves of its choice before a win by fours.

    `attacks` says that it is to move, otherwise the other is, after the move `last`. Writes the first move of the win
    into `chosen`. False may also mean that the budget is used up.
    """
    stones, search = unowned(stones), unowned(search)
    mover = attacker if attacks else 1 - attacker
    moves = search.moves[ply]
    count = list_attacks(stones, mover, moves, search) if attacks else list_defences(stones, last, mover, moves, search)
    too_deep = (attacks and count > 1 and depth == 0) or ply + 1 == search.moves.shape[0]
    if count < 0 or search.budget[0] < 0 or too_deep:
        return count == WON
    for i in range(count):
        move = np.int64(moves[i])
        put(stones, move, mover, search.windows)
        left = depth - 1 if attacks and count > 1 else depth  # what is forced costs nothing
        won = win_by_threes(stones, attacker, not attacks, left, ply + 1, move, search)
        take(stones, move, search.windows)
        if won and attacks:
            search.chosen[0] = move
        if won == attacks:
            return won
    return not attacks
