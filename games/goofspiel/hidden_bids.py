"""Guessing sealed bids from who won which round, for two players.

Each round says of the other's card that it is lower than one's own (one's own won), higher, or the same. How many ways
there are to give the other's cards to such rounds is counted card by card, from the highest down; then they are dealt
from the lowest up by these counts, so that every way is as likely as the others. (As when counting permutations with
restricted positions; the restrictions here are intervals that begin at the lowest card or end at the highest.)

Going up, a card is kept by the other, or bid in a round that asks for a higher card than an own one passed before, or
put aside for a round that asks for a lower card than an own one still to come, which then takes one of those put aside.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import draw, draw_below
from games.engine.jit import njit

LOWER, HIGHER, SAME = 1, 2, 3
"""Bound that a round sets on the other's card, by the own card that was bid in it; 0 for a card that was not bid."""


@njit
def guess_bids(state: Any, seat: int) -> None:
    """Sample the other's bids and hand, uniformly over all that agrees with what `seat` knows."""
    other, cards = 1 - seat, state.to_come.shape[0]
    bounds, rounds = np.zeros(cards, np.int64), np.zeros(cards, np.int64)
    for i in range(state.length):
        own_card = state.bids[i, seat]
        rounds[own_card] = i
        bounds[own_card] = SAME if state.winners[i] < 0 else LOWER if state.winners[i] == seat else HIGHER
    ways = count_ways(bounds)
    waiting, aside = np.empty(cards, np.int64), np.empty(cards, np.int64)  # rounds for a higher card; cards put aside
    num_waiting, num_aside = 0, 0
    for card in range(cards):
        if bounds[card] == LOWER:
            num_aside = take(aside, num_aside, state, rounds[card], other)
        state.hands[other, card] = 0
        after, later = ways[card + 1], int(bounds[card] == HIGHER)
        if bounds[card] == SAME:
            state.bids[rounds[card], other] = card
        else:
            kept = after[num_waiting + later, num_aside]
            bid = num_waiting * after[num_waiting - 1 + later, num_aside] if num_waiting else 0.0
            choice = draw(state) * (kept + bid + after[num_waiting + later, num_aside + 1])
            if choice < kept:
                state.hands[other, card] = 1
            elif choice < kept + bid:
                which = draw_below(state, num_waiting)
                state.bids[waiting[which], other] = card
                num_waiting -= 1
                waiting[which] = waiting[num_waiting]
            else:
                aside[num_aside] = card
                num_aside += 1
        if later:
            waiting[num_waiting] = rounds[card]
            num_waiting += 1


@njit
def take(aside: NDArray[Any], num_aside: int, state: Any, which: int, other: int) -> int:
    """Bid one of the cards put aside in a round; returns how many are left."""
    i = draw_below(state, num_aside)
    state.bids[which, other] = aside[i]
    aside[i] = aside[num_aside - 1]
    return num_aside - 1


@njit
def count_ways(bounds: NDArray[Any]) -> NDArray[Any]:
    """Return the number of ways to deal the cards from `card` on, [card, rounds that wait, cards put aside].

    One entry of each more than there can be stays 0. (Counts to 50!, as float64.)
    """
    cards = bounds.shape[0]
    ways = np.zeros((cards + 1, cards + 2, cards + 2))
    ways[cards, 0, 0] = 1.0
    for card in range(cards - 1, -1, -1):
        after, later = ways[card + 1], int(bounds[card] == HIGHER)
        for waiting in range(cards):
            for aside in range(cards):
                left = aside - int(bounds[card] == LOWER)
                if left < 0:
                    continue
                total = after[waiting + later, left]
                if bounds[card] != SAME:
                    total += after[waiting + later, left + 1]
                    if waiting:
                        total += waiting * after[waiting - 1 + later, left]
                ways[card, waiting, aside] = total * aside if bounds[card] == LOWER else total
    return ways
