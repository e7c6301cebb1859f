"""What a value network is shown of a position between two turns.

Counts of checkers in unary, after TD-Gammon (Tesauro 1992, "Practical issues in temporal difference learning", Machine
Learning 8), and a few numbers that a small network is slow to find, after those of GNU Backgammon: pips, contact, the
other's shots, primes, and how a checker that is left behind may escape.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import leading_zeros, popcount
from games.engine.jit import njit

OFF, BAR = 0, 25
UNITS = 4
"""Inputs of a point, or of the bar."""
SEAT_FEATURES = 25 * UNITS + 2 + 6
NUM_FEATURES = 2 * SEAT_FEATURES + 1
BOARD = np.int64((1 << 25) - 2)
"""The bits of the points 1 to 24."""
PIPS = 167.0
"""Pips of each seat at the beginning."""


@njit
def features(state: Any, seat: int, out: NDArray[Any]) -> bool:
    """Write the features [217] of both seats, of `seat` first, and whether they are still in contact."""
    write_seat(state, seat, out, 0)
    write_seat(state, 1 - seat, out, SEAT_FEATURES)
    out[NUM_FEATURES - 1] = rearmost(state.occupied[0]) + rearmost(state.occupied[1]) > 25
    return True


@njit
def write_seat(state: Any, seat: int, out: NDArray[Any], place: int) -> None:
    """Write the features of one seat from `place` on."""
    pips = 0
    for point in range(1, 26):
        count = state.checkers[seat, point]
        pips += count * point
        out[place] = count == 1
        out[place + 1] = count >= 2
        out[place + 2] = count >= 3
        out[place + 3] = 0.5 * max(count - 3, 0)
        place += UNITS
    out[place] = state.checkers[seat, OFF] / 15
    out[place + 1] = state.checkers[seat, OFF] == 0
    made = np.int64(state.closed[1 - seat])  # as the other counts points
    out[place + 2] = pips / PIPS
    out[place + 3] = shots(state, seat) / 36
    out[place + 4] = longest_run(made) / 6
    out[place + 5] = popcount(np.uint64(made >> 19)) / 6
    out[place + 6] = escapes(state, seat) / 36
    out[place + 7] = rearmost(state.occupied[seat]) / 25


@njit
def rearmost(occupied: Any) -> int:
    """Return the highest point (bit) that is occupied; -1 if none is."""
    return 63 - leading_zeros(np.uint64(occupied))


@njit
def longest_run(points: Any) -> int:
    """Return the length of the longest row of adjacent points (bits)."""
    length = 0
    while points != 0:
        points &= points >> 1
        length += 1
    return length


@njit
def shots(state: Any, seat: int) -> int:
    """Return how many of the 36 rolls of the other seat hit a checker of `seat` that stands alone."""
    other = 1 - seat
    blots = np.int64(0)
    for point in range(1, 25):
        if state.checkers[seat, point] == 1:
            blots |= np.int64(1) << (25 - point)
    if blots == 0:
        return 0
    occupied, closed, bar = np.int64(state.occupied[other]), np.int64(state.closed[other]), state.checkers[other, BAR]
    count = 0
    for a in range(1, 7):
        for b in range(1, a + 1):
            if bar > 0:
                hit = hits_from_bar(occupied, closed, blots, bar, a, b)
            elif a == b:
                hit = hits_by_doubles(occupied, closed, blots, a, 4)
            else:
                by_a, by_b = reach(occupied, closed, a), reach(occupied, closed, b)
                hit = (by_a | by_b | reach(by_a, closed, b) | reach(by_b, closed, a)) & blots != 0
            count += (1 if a == b else 2) * hit
    return count


@njit(inline="always")
def reach(points: Any, closed: Any, number: int) -> Any:
    """Return the open points (bits) that are `number` points further than one of `points`."""
    return (points >> number) & ~closed & BOARD


@njit
def hits_by_doubles(points: Any, closed: Any, blots: Any, number: int, moves: int) -> bool:
    """Return whether a checker on one of `points` comes to a blot in up to `moves` moves of one number."""
    for _ in range(moves):
        points = reach(points, closed, number)
        if points & blots:
            return True
    return False


@njit
def hits_from_bar(occupied: Any, closed: Any, blots: Any, bar: int, a: int, b: int) -> bool:
    """Return whether a roll hits a blot where `bar` checkers must enter first."""
    entry = np.int64(1) << BAR
    if a == b:
        entered = reach(entry, closed, a)
        if entered == 0 or bar >= 4:
            return entered & blots != 0
        return entered & blots != 0 or hits_by_doubles((occupied & ~entry) | entered, closed, blots, a, 4 - bar)
    by_a, by_b = reach(entry, closed, a), reach(entry, closed, b)
    if (by_a | by_b) & blots or bar > 1:
        return (by_a | by_b) & blots != 0
    then_b = reach((occupied & ~entry) | by_a, closed, b) if by_a else np.int64(0)
    then_a = reach((occupied & ~entry) | by_b, closed, a) if by_b else np.int64(0)
    return (then_a | then_b) & blots != 0


@njit
def escapes(state: Any, seat: int) -> int:
    """Return how many of the 36 rolls the rearmost checker of `seat` can play alone, both numbers of them."""
    point, closed = rearmost(state.occupied[seat]), np.int64(state.closed[seat])
    count = 0
    for a in range(1, 7):
        for b in range(1, 7):
            beyond = is_open(closed, point - a - b)
            count += beyond and (is_open(closed, point - a) or is_open(closed, point - b))
    return count


@njit(inline="always")
def is_open(closed: Any, point: int) -> bool:
    """Return whether a point may be landed on; those beyond the board may."""
    return point <= 0 or (closed >> point) & 1 == 0
