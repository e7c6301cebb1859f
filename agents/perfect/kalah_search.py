"""Compiled search of kalah to its end: what the player to move still gains on the other, or bounds of it.

Negamax with a transposition table. What is gained from a position on does not depend on the stores, so that the table
knows positions without them, as the databases of Irving, Donkers and Uiterwijk (ICGA Journal 23, 2000, "Solving
kalah") do.

The houses of a player are the bytes of a word, the first house the lowest one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.perfect.position_table import known_bounds, remember
from games.engine.bits import ONE, ZERO
from games.engine.jit import njit

EIGHT = np.uint64(8)
BYTE = np.uint64(0xFF)
EACH = np.uint64(0x0101010101010101)
"""A seed in every byte."""
UNKNOWN = -1000
"""Less than any gain."""


class KalahRules(NamedTuple):
    """Options of the game."""

    houses: int
    """Of each player, 1 to 7."""
    empty_capture: bool
    sweep: bool


class KalahWorkspace(NamedTuple):
    """Memory of a search."""

    rules: KalahRules
    table: NDArray[Any]
    """Records `ENTRY` of `agents.perfect.position_table`."""
    searched: NDArray[np.int64]
    """Number of positions searched, [1]."""


class Sown(NamedTuple):
    """A position after a move."""

    own: Any
    other: Any
    gain: int
    """Seeds that came to the own store."""
    again: bool
    """Whether the same player moves again."""


@njit(cache=True)
def seeds_in(houses: Any) -> Any:
    """Return the number of seeds in all houses of a player."""
    return np.int64(houses * EACH >> np.uint64(56))


@njit
def one_each(count: int) -> Any:
    """Return a seed in each of the first houses, fewer than 8."""
    return EACH & ((ONE << (EIGHT * np.uint64(count))) - ONE)


@njit(cache=True)
def seeds_of(houses: Any, house: int) -> Any:
    """Return the number of seeds in a house."""
    return np.int64(houses >> (EIGHT * np.uint64(house)) & BYTE)


@njit(cache=True)
def sow(own: Any, other: Any, house: int, rules: KalahRules) -> Sown:
    """Sow the seeds of an own house, and capture."""
    count, places = rules.houses, 2 * rules.houses + 1
    hand = seeds_of(own, house)
    own &= ~(BYTE << (EIGHT * np.uint64(house)))
    laps, rest = hand // places, hand % places
    own += one_each(count) * np.uint64(laps)
    other += one_each(count) * np.uint64(laps)
    gain = laps
    to_own = min(rest, count - 1 - house)
    own += one_each(to_own) << (EIGHT * np.uint64(house + 1))
    rest -= to_own
    if rest > 0:
        gain += 1
        to_other = min(rest - 1, count)
        other += one_each(to_other)
        own += one_each(rest - 1 - to_other)
    last = (house + hand) % places
    if last < count and seeds_of(own, last) == 1:
        opposite = count - 1 - last
        caught = seeds_of(other, opposite)
        if caught > 0 or rules.empty_capture:
            gain += caught + 1
            own &= ~(BYTE << (EIGHT * np.uint64(last)))
            other &= ~(BYTE << (EIGHT * np.uint64(opposite)))
    return Sown(own, other, gain, last == count)


@njit
def priority(own: Any, other: Any, house: int, rules: KalahRules) -> Any:
    """Return how early a house is tried: first where one moves again, then captures, then near the store."""
    hand = seeds_of(own, house)
    if house + hand == rules.houses:
        return 1000 + house
    last = house + hand
    if last < rules.houses and seeds_of(own, last) == 0:
        return 100 * seeds_of(other, rules.houses - 1 - last) + house
    return house


@njit(cache=True)
def next_house(own: Any, other: Any, tried: int, known: int, rules: KalahRules) -> int:
    """Return the house to be tried next, `known` before all, without those whose bits are in `tried`; -1 if none is."""
    if tried == 0 and known >= 0:
        return known
    house, most = -1, -1
    for one in range(rules.houses):
        if not tried >> one & 1 and seeds_of(own, one) > 0:
            early = priority(own, other, one, rules)
            if early > most:
                house, most = one, early
    return house


@njit(cache=True, nogil=True)
def search(own: Any, other: Any, alpha: int, beta: int, space: KalahWorkspace) -> Any:
    """Return the gain of the player to move, if both play best; a bound of it where it is not between alpha and beta.

    `alpha` < `beta`. Where the houses of a side are all empty, the game is over.
    """
    if own == ZERO or other == ZERO:
        return seeds_in(own) - seeds_in(other) if space.rules.sweep else 0
    space.searched[0] += 1
    seeds = seeds_in(own) + seeds_in(other)
    low, high, known = known_bounds(own, other, seeds, space.table)
    floor, ceiling = max(alpha, low), min(beta, high)
    if floor >= ceiling:
        return low if low > alpha else high
    best, chosen, tried = UNKNOWN, -1, 0
    while best < ceiling:
        house = next_house(own, other, tried, known, space.rules)
        if house < 0:
            break
        tried |= 1 << house
        sown = sow(own, other, house, space.rules)
        least, gain = max(floor, best), sown.gain
        if sown.again:
            gain += search(sown.own, sown.other, least - gain, ceiling - gain, space)
        else:
            gain -= search(sown.other, sown.own, gain - ceiling, gain - least, space)
        if gain > best:
            best, chosen = gain, house
    known_low, known_high = best if best > floor else low, best if best < ceiling else high
    remember(own, other, known_low, known_high, chosen, seeds, space.table)
    return best
