"""What games of cards share: dealing what is not seen, and a table of hands as a picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from games.engine.bits import popcount
from games.engine.chance import draw_below
from games.engine.picture import Picture


@njit
def draw_unseen(state: Any, num_cards: int) -> int:
    """Give a card (of fewer than 64) that is nowhere in `state.cards`, each as likely as the others."""
    seen = 0
    for card in state.cards:
        seen |= int(card >= 0) << (card & 63)
    choice = drawn = draw_below(state, num_cards - popcount(seen))
    for _ in range(state.cards.shape[0] - 1):  # as many as may be seen; a branch would be mispredicted
        drawn = choice + popcount(seen & ((2 << drawn) - 1))
    return drawn


@njit
def is_seen(state: Any, card: int) -> bool:
    """Whether a card is in `state.cards`."""
    seen = False
    for other in state.cards:
        seen |= other == card
    return seen


@njit
def deal_unseen(state: Any, place: int, num_cards: int) -> None:
    """Put a card that is nowhere in `state.cards` into one of its places, unless there is one; all are as likely."""
    while state.cards[place] < 0:
        card = draw_below(state, num_cards)
        if not is_seen(state, card):
            state.cards[place] = card


def hand_picture(hands: Sequence[Sequence[str]], num_actions: int, notes: tuple[str, ...] = ()) -> Picture:
    """A row a player, a cell a card; "?" is a card that is not known, and cells without a card stay empty.

    No action takes place in a cell.
    """
    width = max(1, *(len(hand) for hand in hands))
    letters = np.array([[*hand, *[""] * (width - len(hand))] for hand in hands])
    seats = np.arange(len(hands))[:, None]
    return Picture(
        pieces=np.where(letters == "", -1, seats).astype(np.int8),
        cell_actions=np.full(letters.shape, -1),
        action_cells=np.full((num_actions, 2), -1),
        row_labels=tuple(str(seat + 1) for seat in range(len(hands))),
        column_labels=("",) * width,
        letters=letters,
        notes=tuple(note for note in notes if note),
        cards=True,
    )
