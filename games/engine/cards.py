"""Parts that card games share: dealing unseen cards, names of cards, and a picture of all hands."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from games.engine.bits import popcount
from games.engine.chance import draw_below
from games.engine.jit import njit
from games.engine.picture import Picture

RANKS, SUITS = "A23456789TJQK", "shdc"
"""Letters of the ranks and suits of 52 cards: card 13 * suit + rank, the ace lowest."""


@njit
def draw_unseen(state: Any, num_cards: int) -> int:
    """Draw a card (of fewer than 64) that is not in `state.cards`, uniformly."""
    used = 0
    for card in state.cards:
        used |= int(card >= 0) << (card & 63)
    choice = drawn = draw_below(state, num_cards - popcount(used))
    for _ in range(state.cards.shape[0] - 1):  # as many as may be seen; a branch would be mispredicted
        drawn = choice + popcount(used & ((2 << drawn) - 1))
    return drawn


@njit
def has_card(state: Any, card: int) -> bool:
    """Return whether a card is in `state.cards`."""
    present = False
    for other in state.cards:
        present |= other == card
    return present


@njit
def deal_unseen(state: Any, place: int, num_cards: int) -> None:
    """Fill a place of `state.cards`, if it is blank, with a card drawn uniformly from those not in it."""
    while state.cards[place] < 0:
        card = draw_below(state, num_cards)
        if not has_card(state, card):
            state.cards[place] = card


def card_text(card: int) -> str:
    """Return rank and suit of one of 52 cards, `As` for the ace of spades."""
    suit, rank = divmod(card, len(RANKS))
    return RANKS[rank] + SUITS[suit]


def hand_picture(hands: Sequence[Sequence[str]], num_actions: int, notes: tuple[str, ...] = ()) -> Picture:
    """Return a picture with a row for each player and a cell for each card; "?" is an unknown card.

    Cells without a card stay empty. No action has a cell.
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
