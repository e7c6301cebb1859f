"""Observations and information states of gin rummy, and sampling the opponent's hand."""

from typing import Any

from numpy.typing import NDArray

from games.engine.chance import draw_below
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
from games.engine.planes import write_bits
from games.gin_rummy.melds import ALL_CARDS, NUM_CARDS, gin_card
from games.gin_rummy.rules import DISCARD, DRAW, HAND, LONGEST, TAKE, mover, nth_card, num_cards, pile_cards

PLANES = 4
KNOWN = 2 + 2 * NUM_CARDS + 2 * LONGEST


@njit
def write_cards(cards: Any, out: NDArray[Any], start: int) -> None:
    """Write 52 entries of `out`, 1 for each of the cards (bits), from the entry `start` on."""
    for card in (0, 16, 32, NUM_CARDS - 16):  # sixteen at a time; the last ones overlap
        write_bits(cards >> card, out, start + card)


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own hand, top and other discards, the other's taken cards [4, 52], and, by option, unseen cards [52].

    All zero after the end.
    """
    out[:] = 0
    if state.current_player == TERMINAL:
        return
    discards = pile_cards(state)
    top = 0
    if state.discarded > 0:
        top = 1 << state.pile[state.discarded - 1]
    hand, taken = state.hands[seat], state.taken[1 - seat]
    write_cards(hand, out, 0)
    write_cards(top, out, NUM_CARDS)
    write_cards(discards ^ top, out, 2 * NUM_CARDS)
    write_cards(taken, out, 3 * NUM_CARDS)
    if out.shape[0] > PLANES:
        if state.laid_away >= 0:
            discards |= 1 << state.laid_away
        write_cards(ALL_CARDS ^ (hand | taken | discards), out, PLANES * NUM_CARDS)


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the seat [1], who begins [1], own hand [52], the other's once open [52], actions with their cards.

    Of each of the actions [202, 2] the number, from 1, and, where the seat knows it, the card that it brought or laid
    away, from 1; 0 is none.
    """
    out[:] = 0
    out[0] = seat
    out[1] = state.first + 1
    write_cards(state.hands[seat], out, 2)
    if state.ending != 0:
        write_cards(state.hands[1 - seat], out, 2 + NUM_CARDS)
    for now in range(state.length):
        at = 2 + 2 * NUM_CARDS + 2 * now
        out[at] = state.actions[now] + 1
        if not is_hidden(state, seat, now):
            out[at + 1] = state.cards[now] + 1


@njit
def is_hidden(state: Any, seat: int, now: int) -> bool:
    """Return whether an action drew a card of the opponent that is hidden from `seat`."""
    return state.ending == 0 and state.actions[now] == DRAW and mover(state, now) != seat


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the other's cards, but for those taken from the pile, until the cards lie open."""
    if state.ending != 0:
        return
    state.hands[1 - seat] = state.taken[1 - seat]
    for now in range(state.length):
        if is_hidden(state, seat, now):
            state.cards[now] = -1


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the other cards that agree with all that it has done; all such deals are as likely.

    What it laid away it held before. And as those who can go gin have to, it never could when it discarded: deals in
    which it could are dealt again.
    """
    if state.ending != 0:
        return
    possible = False
    while not possible:
        redact(state, seat)
        hand = place_discards(state, 1 - seat)
        possible = replay(state, 1 - seat, fill_unseen(state, 1 - seat, hand))


@njit
def num_past(state: Any) -> Any:
    """Return how many actions are over; one is not while chance has still to draw its card."""
    return state.length - int(state.current_player == CHANCE and state.length > 0)


@njit
def num_dealt(state: Any, seat: int) -> Any:
    """Return how many cards a seat was dealt before the first action."""
    return state.held[seat] if state.length == 0 else HAND + int(seat == state.first)


@njit
def place_discards(state: Any, other: int) -> int:
    """Write what `other` discarded into its blank draws, unless it was dealt it; returns those that it was, as bits.

    In the order of the discards, each goes to one of the places that are left of those that had come before it. All
    ways to place them are as likely, since whatever place one discard takes, it takes from all that follow.
    """
    dealt, taken = 0, 0
    places, draws = num_dealt(state, other), 0
    for now in range(num_past(state)):
        if mover(state, now) != other:
            continue
        action = state.actions[now]
        card = 1 << (action - DISCARD if action >= DISCARD else max(state.cards[now], 0))
        if action == DRAW:
            draws += 1
        elif action == TAKE or taken & card:
            taken ^= card
        else:
            place = draw_below(state, places + draws)
            if place < places:
                dealt |= card
                places -= 1
            else:
                fill_draw(state, other, place - places, action - DISCARD)
                draws -= 1
    return dealt


@njit
def fill_draw(state: Any, other: int, n: int, card: int) -> None:
    """Write a card into the n-th draw of `other`, from 0, that is still blank."""
    now = -1
    while n >= 0:
        now += 1
        n -= is_blank(state, other, now)
    state.cards[now] = card


@njit
def is_blank(state: Any, other: int, now: int) -> bool:
    """Return whether an action of `other` drew a card that is still unknown."""
    return state.actions[now] == DRAW and state.cards[now] < 0 and mover(state, now) == other


@njit
def fill_unseen(state: Any, other: int, dealt: int) -> int:
    """Fill the blank draws of `other`, and what it was `dealt` (bits), with unseen cards; returns what it was dealt."""
    unseen = ALL_CARDS ^ (state.hands[1 - other] | state.taken[other] | pile_cards(state))
    for _ in range(num_dealt(state, other) - num_cards(dealt)):
        card = nth_card(unseen, draw_below(state, num_cards(unseen)))
        unseen ^= 1 << card
        dealt |= 1 << card
    for now in range(num_past(state)):
        if is_blank(state, other, now):
            card = nth_card(unseen, draw_below(state, num_cards(unseen)))
            unseen ^= 1 << card
            state.cards[now] = card
    return dealt


@njit
def replay(state: Any, other: int, hand: int) -> bool:
    """Give `other` the hand that its actions make of what it was dealt; returns whether it never had to go gin."""
    for now in range(num_past(state)):
        if mover(state, now) != other:
            continue
        action = state.actions[now]
        if action < DISCARD:
            hand |= 1 << state.cards[now]
        elif gin_card(hand) >= 0:
            return False
        else:
            hand ^= 1 << (action - DISCARD)
    state.hands[other] = hand
    return True
