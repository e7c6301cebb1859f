"""The rules of gin rummy, on one record; cards are numbered as in `melds`, actions as the package says."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.bits import popcount
from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
from games.gin_rummy.melds import ALL_CARDS, NUM_CARDS, deadwood, gin_card, knocking_cards

SCORE, DRAW, TAKE, DEAD, GIN, DISCARD = 0, 2, 3, 4, 5, 6
KNOCK = DISCARD + NUM_CARDS
NUM_ACTIONS = KNOCK + NUM_CARDS
"""SCORE + seat scores; DISCARD + card and KNOCK + card lay a card away."""
HAND = 10
DEALT = 2 * HAND + 1
DEAD_CARDS = 2
"""Cards of the stock that are never drawn."""
MOST_MOVES = 199
"""After so many actions the hand is dead; PettingZoo counts the deal as one more."""
LONGEST = MOST_MOVES + 3
PILE = NUM_CARDS - 2 * HAND - DEAD_CARDS
STATE = np.dtype(
    [
        ("hands", np.int64, 2),  # cards as bits, of the other's hand those that are known
        ("held", np.int8, 2),  # how many there are in each hand
        ("taken", np.int64, 2),  # cards that each has taken from the discard pile, and holds
        ("pile", np.int8, PILE),  # discarded cards from the bottom, -1 for none
        ("discarded", np.int8),  # how many
        ("actions", np.int8, LONGEST),  # all so far, -1 for none
        ("cards", np.int8, LONGEST),  # what each action drew or took, or laid away for gin; -1 none, or unknown
        ("length", np.int16),  # how many actions
        ("first", np.int8),  # seat that begins, -1 not yet known
        ("ending", np.int8),  # DEAD, GIN or KNOCK, 0 not yet; from then on all cards lie open
        ("ender", np.int8),  # seat whose action it was, -1 none
        ("laid_away", np.int8),  # the card that it laid away for gin or to knock, -1 none
        ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
        ("knock_reward", np.float64),
        ("gin_reward", np.float64),
        RANDOM_FIELD,
    ]
)


@njit
def mover(state: Any, now: int) -> Any:
    """Return the seat of an action before the end: one to begin with, then two in turn."""
    return state.first ^ ((now + 1) // 2 & 1)


@njit
def pile_cards(state: Any) -> int:
    """Return all discarded cards, as bits."""
    cards = 0
    for i in range(state.discarded):
        cards |= 1 << state.pile[i]
    return cards


@njit
def num_cards(cards: Any) -> Any:
    """Return how many cards (bits) there are."""
    return popcount(np.uint64(cards))


@njit
def nth_card(cards: Any, n: int) -> int:
    """Return the n-th lowest of some cards, from 0."""
    for _ in range(n):
        cards &= cards - 1
    return num_cards((cards & -cards) - 1)


@njit
def stock(state: Any) -> int:
    """Return the cards that nobody has had, as bits, while the game goes on."""
    return ALL_CARDS ^ (state.hands[0] | state.hands[1] | pile_cards(state))


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probabilities of the seat that begins, then of the cards of the stock."""
    if state.first < 0:
        probabilities[:2] = 0.5
        return
    cards = stock(state)
    number = num_cards(cards)
    for card in range(NUM_CARDS):
        probabilities[card] = (cards >> card & 1) / number


@njit
def draw_outcome(state: Any) -> int:
    """Draw a seat, or a card of the stock."""
    if state.first < 0:
        return draw_below(state, 2)
    cards = stock(state)
    return nth_card(cards, draw_below(state, popcount(np.uint64(cards))))


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow drawing or taking, then a discard or going out; at the end, scoring. Gin is forced if possible."""
    seat = state.current_player
    if seat < 0:
        return
    if state.ending != 0:
        mask[SCORE + seat] = True
    elif state.held[seat] > HAND:
        write_discards(state, state.hands[seat], mask)
    elif state.length >= MOST_MOVES:
        mask[DEAD] = True
    else:
        drawable = NUM_CARDS - 2 * HAND - state.discarded > DEAD_CARDS
        mask[DRAW] = drawable
        mask[DEAD] = not drawable
        mask[TAKE] = True


@njit
def write_discards(state: Any, hand: int, mask: NDArray[Any]) -> None:
    """Allow gin if possible, else discarding any card but one just taken, and knocking, with that one too."""
    if gin_card(hand) >= 0:
        mask[GIN] = True
        return
    just_taken = -1
    if state.length > 0 and state.actions[state.length - 1] == TAKE:
        just_taken = state.cards[state.length - 1]
    knocking = knocking_cards(hand)
    for card in range(NUM_CARDS):
        mask[DISCARD + card] = hand >> card & 1 and card != just_taken
        mask[KNOCK + card] = knocking >> card & 1


@njit
def apply(state: Any, action: int) -> None:
    """Say who begins, deal a card, or play an action."""
    if state.current_player == CHANCE:
        deal(state, action)
        return
    seat, now = state.current_player, state.length
    state.actions[now] = action
    state.length += 1
    if state.ending != 0:
        state.current_player = 1 if seat == 0 else TERMINAL
    elif action == DRAW:
        state.current_player = CHANCE
    elif action == TAKE:
        take(state, seat, now)
    elif DISCARD <= action < KNOCK:
        lay_away(state, seat, action - DISCARD)
        state.pile[state.discarded] = action - DISCARD
        state.discarded += 1
        state.current_player = 1 - seat
    else:
        end(state, seat, action)


@njit
def deal(state: Any, outcome: int) -> None:
    """Let a seat begin; or deal a card: eleven to that seat, ten to the other, later one to whoever draws."""
    if state.first < 0:
        state.first = outcome
        return
    seat = state.first
    if state.length > 0:
        seat = mover(state, state.length - 1)
        state.cards[state.length - 1] = outcome
    elif state.held[seat] > HAND:
        seat = 1 - seat
    state.hands[seat] |= 1 << outcome
    state.held[seat] += 1
    if state.length > 0:
        state.current_player = seat
    elif state.held[0] + state.held[1] == DEALT:
        state.current_player = state.first


@njit
def take(state: Any, seat: int, now: int) -> None:
    """Take the top card of the discard pile."""
    state.discarded -= 1
    card = state.pile[state.discarded]
    state.pile[state.discarded] = -1
    state.cards[now] = card
    state.hands[seat] |= 1 << card
    state.taken[seat] |= 1 << card
    state.held[seat] += 1


@njit
def lay_away(state: Any, seat: int, card: int) -> None:
    """Take a card out of a hand."""
    state.hands[seat] &= ~(1 << card)
    state.taken[seat] &= ~(1 << card)
    state.held[seat] -= 1


@njit
def end(state: Any, seat: int, action: int) -> None:
    """Return declare the hand dead, go gin, or knock; then seat 0 is the first to score."""
    card = action - KNOCK
    state.ending = DEAD if action == DEAD else KNOCK
    if action == GIN:
        state.ending = GIN
        card = gin_card(state.hands[seat])
        state.cards[state.length - 1] = card
    if action != DEAD:
        state.laid_away = card
        lay_away(state, seat, card)
    state.ender = seat
    state.current_player = 0


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the reward of the seat that went out, and minus a hundredth of their deadwood for others."""
    if state.current_player != TERMINAL:
        return
    for seat in range(2):
        if seat == state.ender and state.ending != DEAD:
            out[seat] = state.gin_reward if state.ending == GIN else state.knock_reward
        else:
            out[seat] = -deadwood(state.hands[seat]) / 100
