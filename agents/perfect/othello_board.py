"""Othello on two words of 64 bits: what a move turns over, legal moves, final scores.

Words have 8 x 8 cells, with cell (row, column) at bit 8 * row + column; on smaller boards the other bits stay 0. A line
of discs is found in a few steps of doubling length, in all eight directions (parallel prefix: Kogge and Stone 1973, as
in the bitboards of chess).
"""

from typing import Any, NamedTuple

import numpy as np

from games.engine.bits import ZERO, popcount
from games.engine.jit import njit

BESIDE, DOWN_LEFT, BELOW, DOWN_RIGHT = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
"""Distances in bits to the next cell in four of the eight directions; the others lead back."""


class BoardMasks(NamedTuple):
    """Masks of a board's cells."""

    cells: Any
    """All of them."""
    inner: Any
    """Those not in an outermost column: only through them do lines along rows and diagonals go on."""
    corners: Any
    """Those of discs that are never turned over."""


def board_of(size: int) -> BoardMasks:
    """Return the masks of a board of `size` x `size` cells, at most 8."""
    row, columns = (1 << size) - 1, range(0, 8 * size, 8)
    ends = 1 | 1 << (size - 1)
    return BoardMasks(
        np.uint64(sum(row << i for i in columns)),
        np.uint64(sum((row & ~ends) << i for i in columns)),
        np.uint64(ends | ends << (8 * (size - 1))),
    )


@njit
def run_above(start: Any, runs: Any, step: Any) -> Any:
    """Return the unbroken run in `runs` that follows `start` towards higher bits, up to six cells."""
    reach = runs & start << step
    reach |= runs & reach << step
    pairs = runs & runs << step
    reach |= pairs & reach << (step + step)
    return reach | pairs & reach << (step + step)


@njit
def run_below(start: Any, runs: Any, step: Any) -> Any:
    """Return the unbroken run in `runs` that follows `start` towards lower bits, up to six cells."""
    reach = runs & start >> step
    reach |= runs & reach >> step
    pairs = runs & runs >> step
    reach |= pairs & reach >> (step + step)
    return reach | pairs & reach >> (step + step)


@njit
def turned_along(move: Any, own: Any, runs: Any, step: Any) -> Any:
    """Return the discs turned over in both directions of one axis."""
    above, below = run_above(move, runs, step), run_below(move, runs, step)
    turned = above if above << step & own else ZERO
    return turned | below if below >> step & own else turned


@njit
def turned_by(move: Any, own: Any, other: Any, board: BoardMasks) -> Any:
    """Return the discs of `other` that a move turns over; none if it is illegal."""
    inner = other & board.inner
    return (
        turned_along(move, own, inner, BESIDE)
        | turned_along(move, own, inner, DOWN_LEFT)
        | turned_along(move, own, other, BELOW)
        | turned_along(move, own, inner, DOWN_RIGHT)
    )


@njit
def reached_along(own: Any, runs: Any, step: Any) -> Any:
    """Return the cells behind the runs beside own discs, in both directions of one axis."""
    return run_above(own, runs, step) << step | run_below(own, runs, step) >> step


@njit
def moves_of(own: Any, other: Any, board: BoardMasks) -> Any:
    """Return the legal cells."""
    inner = other & board.inner
    reached = (
        reached_along(own, inner, BESIDE)
        | reached_along(own, inner, DOWN_LEFT)
        | reached_along(own, other, BELOW)
        | reached_along(own, inner, DOWN_RIGHT)
    )
    return reached & board.cells & ~(own | other)


@njit
def beside(discs: Any, board: BoardMasks) -> Any:
    """Return the cells beside discs, but for neighbours across an outermost column, where no line goes on."""
    inner = discs & board.inner
    rows = discs << BELOW | discs >> BELOW | inner << BESIDE | inner >> BESIDE
    return rows | inner << DOWN_LEFT | inner >> DOWN_LEFT | inner << DOWN_RIGHT | inner >> DOWN_RIGHT


@njit
def final_score(own: Any, other: Any, board: BoardMasks) -> int:
    """Return the lead in discs at the end; the winner has the empty cells (World Othello Federation)."""
    lead = popcount(own) - popcount(other)
    empty = popcount(board.cells & ~(own | other))
    return lead + (empty if lead > 0 else -empty if lead < 0 else 0)
