"""Parts that `texas_holdem` and `texas_holdem_no_limit` share: the deal, hidden cards, and the strength of hands.

Cards are numbered as RLCard numbers them, ace to king of spades, hearts, diamonds, clubs. A record has the fields of
`card_fields`; those of P seats come first in `cards`, two each, then the five that lie open.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import deal_unseen, hand_picture, playing_card
from games.engine.jit import njit
from games.engine.picture import Picture
from games.engine.poker_hands import NUM_RANKS, hand_strength

NUM_CARDS = 52
ROUNDS, HAND, OPEN = 4, 2, 5
MOST_PLAYERS = 10
SHOWN = np.array([0, 3, 4, 5], np.int8)  # open cards in each round


def card_fields(players: int) -> list[Any]:
    """Return the fields of a record for the cards of so many seats."""
    return [
        ("cards", np.int8, HAND * players + OPEN),  # by seat, then the open ones; -1 not dealt, or unknown
        ("dealt", np.int8),  # how many
    ]


@njit
def num_hole_cards(state: Any) -> int:
    """Return the number of hole cards of all seats; the open cards follow them."""
    return state.cards.shape[0] - OPEN


@njit
def next_card(state: Any, probabilities: NDArray[Any]) -> None:
    """Write how likely each card is to be dealt next: those that are left, alike."""
    probabilities[:NUM_CARDS] = 1.0 / (NUM_CARDS - state.dealt)
    for card in state.cards:
        if card >= 0:
            probabilities[card] = 0.0


@njit
def deal(state: Any, card: int) -> None:
    """Deal a card: to each seat in turn, until all have two, then into the open."""
    place, hole_cards = state.dealt, num_hole_cards(state)
    if place < hole_cards:
        round_of_deal, seat = divmod(np.int64(place), hole_cards // HAND)
        place = HAND * seat + round_of_deal
    state.cards[place] = card
    state.dealt += 1


@njit
def is_visible(place: Any, seat: int, hole_cards: int) -> bool:
    """Return whether `seat` sees the card at a place of `cards`, the first `hole_cards` of which are in hands."""
    return place >= hole_cards or place // HAND == seat


@njit
def write_visible_cards(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write 1 at the cards that `seat` sees into `out` [52]."""
    hole_cards = num_hole_cards(state)
    for place in range(state.cards.shape[0]):
        if state.cards[place] >= 0 and is_visible(place, seat, hole_cards):
            out[state.cards[place]] = 1


@njit
def write_in_order(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [P], own cards [52] and open cards [52] into `out`.

    A card is written as the number of its place in its hand or in the open cards, from 1.
    """
    hole_cards = num_hole_cards(state)
    out[seat] = 1
    hand = out[hole_cards // HAND :]
    for i in range(HAND):
        if state.cards[HAND * seat + i] >= 0:
            hand[state.cards[HAND * seat + i]] = i + 1
    for i in range(OPEN):
        if state.cards[hole_cards + i] >= 0:
            hand[NUM_CARDS + state.cards[hole_cards + i]] = i + 1


@njit
def card_bit(card: Any) -> Any:
    """Return the bit of a card in a set of cards: a word of 13 bits for each suit, one above the other."""
    suit, rank = divmod(np.int64(card), NUM_RANKS)
    return np.int64(1) << (NUM_RANKS * suit + (rank + NUM_RANKS - 1) % NUM_RANKS)  # the ace is highest


@njit(cache=True, nogil=True)
def card_set(cards: NDArray[Any]) -> Any:
    """Return a set of cards."""
    result = np.int64(0)
    for card in cards:
        result |= card_bit(card)
    return result


@njit
def strength_of(cards: Any) -> Any:
    """Return the strength of the best five of a set of up to seven cards."""
    word = (1 << NUM_RANKS) - 1
    return hand_strength(
        cards & word, cards >> NUM_RANKS & word, cards >> 2 * NUM_RANKS & word, cards >> 3 * NUM_RANKS & word
    )


@njit
def seat_strength(state: Any, seat: int) -> int:
    """Return the strength of a seat's two cards with the five open ones."""
    cards, hole_cards = np.int64(0), num_hole_cards(state)
    for place in range(state.cards.shape[0]):
        if is_visible(place, seat, hole_cards):
            cards |= card_bit(state.cards[place])
    return strength_of(cards)


@njit
def hide_hand(state: Any, seat: int) -> None:
    """Blank the two cards of a seat."""
    state.cards[HAND * seat : HAND * seat + HAND] = -1


@njit
def hide_other_hands(state: Any, seat: int) -> None:
    """Blank the cards of all seats but one."""
    for place in range(num_hole_cards(state)):
        if place // HAND != seat:
            state.cards[place] = -1


@njit
def guess_hidden_hands(state: Any) -> None:
    """Deal cards that are not seen to the seats whose cards are blank, once all have been dealt."""
    hole_cards = num_hole_cards(state)
    if state.dealt >= hole_cards:
        for place in range(hole_cards):
            deal_unseen(state, place, NUM_CARDS)


def table_picture(state: NDArray[Any], num_actions: int, notes: tuple[str, ...]) -> Picture:
    """Return a row for each player with its cards, and one for those that are open; the `notes` stand below."""
    cards = [playing_card(int(card)) for card in state["cards"]]
    hole_cards = len(cards) - OPEN
    hands = [cards[first : first + HAND] for first in range(0, hole_cards, HAND)]
    return hand_picture(hands, num_actions, notes, table=cards[hole_cards : int(state["dealt"])])
