"""Chances of hands of hold'em to win at the showdown, in compiled code."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from games.engine.holdem import HAND, NUM_CARDS, OPEN, card_bit, card_set, strength_of
from games.engine.jit import njit

HANDS = np.array(list(combinations(range(NUM_CARDS), HAND)), np.int8)
"""All hands of two cards, [1326, 2]."""


def conflicts(known: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which of `HANDS` hold one of the known cards [k], of which -1 stands for none: [1326]."""
    first, second = np.isin(HANDS, known).T
    return first | second


@njit
def shuffle_first(deck: NDArray[np.int8], size: int, count: int) -> None:
    """Draw `count` cards from the first `size` of a deck, to its front."""
    for i in range(count):
        j = np.random.randint(i, size)
        deck[i], deck[j] = deck[j], deck[i]


@njit(cache=True, nogil=True)
def win_chances(
    own: NDArray[np.int8],
    shown: NDArray[np.int8],
    hands: NDArray[np.int8],
    weights: NDArray[np.float64],
    samples: int,
    seed: int,
) -> NDArray[np.float64]:
    """Return the chance of `own` [2] to beat each of `hands` [H, 2], half of the chance of a draw included: [H].

    `shown` [k] are the open cards so far. What is still to come is drawn `samples` times; a single card is tried each,
    and none where all are open. Hands without weight, and those that hold a known card, have chance 0.
    """
    np.random.seed(seed)
    missing = OPEN - shown.shape[0]
    known = np.zeros(NUM_CARDS, np.bool_)
    known[own[0]] = known[own[1]] = True
    for card in shown:
        known[card] = True
    deck = np.array([card for card in range(NUM_CARDS) if not known[card]], np.int8)
    runouts = 1 if missing == 0 else deck.shape[0] if missing == 1 else samples
    won, counted = np.zeros(hands.shape[0]), np.zeros(hands.shape[0])
    open_cards, hole_cards = card_set(shown), card_set(own)
    bits = np.array([card_bit(hands[h, 0]) | card_bit(hands[h, 1]) for h in range(hands.shape[0])])
    for run in range(runouts):
        if missing == 1:
            deck[0], deck[run] = deck[run], deck[0]
        else:
            shuffle_first(deck, deck.shape[0], missing)
        board = open_cards
        for i in range(missing):
            board |= card_bit(deck[i])
            known[deck[i]] = True
        mine = strength_of(board | hole_cards)
        for h in range(hands.shape[0]):
            if weights[h] > 0 and not known[hands[h, 0]] and not known[hands[h, 1]]:
                theirs = strength_of(board | bits[h])
                won[h] += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
                counted[h] += 1
        for i in range(missing):
            known[deck[i]] = False
    return won / np.maximum(counted, 1)
