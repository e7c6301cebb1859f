"""Parts that card games share: dealing unseen cards, names of cards, and a picture of all hands."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from games.engine.bits import popcount
from games.engine.chance import draw_below
from games.engine.jit import njit
from games.engine.picture import HIDDEN, MARKS, NOBODY, Picture
from games.engine.picture import SUITS as SUIT_SYMBOLS

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


class Card(NamedTuple):
    """The face of a card or a die as it is seen."""

    text: str
    """One sign or two, or a word; "?" for one that is not seen."""
    ink: str = ""
    """Colour of the text, one of `palette.INKS`; "" for black."""
    figure: str = ""
    """A figure that screens draw in place of the text (⚂)."""


UNKNOWN = Card(HIDDEN)
DICE = "⚀⚁⚂⚃⚄⚅"
PIPS = {1: "    •    ", 2: "•       •", 3: "•   •   •", 4: "• •   • •", 5: "• • • • •", 6: "• •• •• •"}
"""Places of the pips of a die, three lines of three."""


def playing_card(card: int) -> Card:
    """Return one of 52 cards as it is printed, spades black, hearts red, diamonds blue, clubs green; -1 is not seen."""
    return named_card(card_text(card)) if card >= 0 else UNKNOWN


def named_card(name: str) -> Card:
    """Return the card of a rank and a suit that are named by letters, `As`."""
    symbol = next(symbol for symbol, letter in SUIT_SYMBOLS.items() if letter == name[1])
    return Card(name[0] + symbol, {"h": "red", "d": "blue", "c": "green"}.get(name[1], "black"))


def die_face(number: int) -> Card:
    """Return a die that shows a number; 0 is not seen."""
    if number == 0:
        return UNKNOWN
    return Card(str(number), figure=DICE[number - 1] if number <= len(DICE) else "")


def hand_picture(
    hands: Sequence[Sequence[Card]],
    num_actions: int,
    notes: tuple[str, ...] = (),
    table: Sequence[Card] = (),
    table_label: str = "table",
) -> Picture:
    """Return a picture with a row for each player and a cell for each card, and below them a row of the table's.

    Cells without a card stay empty. No action has a cell.
    """
    rows = [*hands, *([table] if table else [])]
    width = max(1, *(len(row) for row in rows))
    cards = [[*row, *[Card("")] * (width - len(row))] for row in rows]
    letters, inks, figures = (np.array([[card[i] for card in row] for row in cards]) for i in range(len(Card._fields)))
    owners = np.array([*range(len(hands)), *([NOBODY] if table else [])])[:, None]
    labels = [f"{MARKS[seat % len(MARKS)]} {seat + 1}" for seat in range(len(hands))]
    return Picture(
        pieces=np.where(letters == "", -1, owners).astype(np.int8),
        cell_actions=np.full(letters.shape, -1),
        action_cells=np.full((num_actions, 2), -1),
        row_labels=(*labels, *([table_label] if table else [])),
        column_labels=("",) * width,
        letters=letters,
        inks=inks if inks.any() else None,
        figures=figures if figures.any() else None,
        notes=tuple(note for note in notes if note),
        board="cards",
    )
