"""Parts that both ways to play no-limit hold'em share: the record, the deal, observations and hidden cards.

A record goes through the same stages in both: chance says who has the button, deals two cards to each seat, seats bet,
chance deals open cards whenever `due` says that there are more to come, and so on until the pot is shared.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import RANDOM_FIELD
from games.engine.game import CHANCE, TERMINAL
from games.engine.holdem import (
    NUM_CARDS,
    ROUNDS,
    card_fields,
    deal,
    guess_hidden_hands,
    hide_hand,
    num_hole_cards,
    write_in_order,
    write_visible_cards,
)
from games.engine.jit import njit
from games.engine.pots import draw_hand_outcome, hand_chance_outcomes, pot_fields
from games.engine.ruleset import Rule, Ruleset

FOLD, CALL, RAISE = 0, 1, 2
"""Actions: the first of the raises is RAISE, one for each size that there is; after them comes all-in."""
THOUSAND = 1000
"""Sizes of raises are thousandths of the pot."""


def state_dtype(players: int, raises: int, longest: int) -> np.dtype[Any]:
    """Return the layout of a record for so many seats, sizes of raises, and actions at most."""
    return np.dtype(
        [
            *card_fields(players),
            ("due", np.int8),  # how many cards are to be dealt before seats go on
            ("next_player", np.int8),  # seat that will move then; TERMINAL: hands are compared
            ("stack", np.int32, players),  # chips of each seat before the hand
            ("paid", np.int32, players),  # of them in the pot
            ("bet", np.int32, players),  # of those in this round
            ("high", np.int32),  # chips that a seat needs to have bet in this round to stay in
            ("full", np.int32),  # a raise by less does not reopen the betting (in real poker)
            ("acted", np.int8, players),  # 1 where a seat has acted in this round
            ("folded", np.int8, players),  # 1 where a seat gave up
            ("standing", np.int8),  # how many seats have not folded
            ("answered", np.int8),  # how many seats with chips left have agreed to what is bet (in RLCard's)
            ("round", np.int8),  # rounds of betting that are over
            ("button", np.int8),  # seat that deals, -1 not yet known
            ("blinds", np.int32, 2),
            ("sizes", np.int32, raises),  # of raises, in thousandths of the pot
            ("history", np.int8, longest),  # actions of all rounds, -1 for none
            ("length", np.int16, ROUNDS),  # how many of them there are in each round
            *pot_fields(players),
            ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
            RANDOM_FIELD,
        ]
    )


@njit
def players_of(state: Any) -> int:
    """Return the number of seats."""
    return state.paid.shape[0]


@njit
def all_in_action(state: Any) -> int:
    """Return the action that puts in all chips, the last one."""
    return RAISE + state.sizes.shape[0]


@njit
def behind(state: Any, seat: int) -> int:
    """Return the number of chips that a seat has left."""
    return state.stack[seat] - state.paid[seat]


@njit
def pot_size(state: Any) -> int:
    """Return how many chips are in the pot, all bets included."""
    chips = 0
    for seat in range(players_of(state)):
        chips += state.paid[seat]
    return chips


@njit
def following(state: Any, seat: int) -> int:
    """Return the next seat round the table."""
    return seat + 1 if seat + 1 < players_of(state) else 0


@njit
def put_in(state: Any, seat: int, chips: int) -> None:
    """Move chips of a seat into the pot, and keep the highest bet up to date."""
    state.paid[seat] += chips
    state.bet[seat] += chips
    state.high = max(state.high, state.bet[seat])


@njit
def pay_blinds(state: Any, button: int, small: int) -> int:
    """Give a seat the button; `small` and the seat after it pay the blinds. Returns that seat."""
    big = following(state, small)
    state.button = button
    put_in(state, small, state.blinds[0])
    put_in(state, big, state.blinds[1])
    state.full = state.blinds[1]
    return big


@njit
def note_action(state: Any, action: int) -> None:
    """Append an action to the history."""
    at = 0
    for which in range(ROUNDS):
        at += state.length[which]
    state.history[at] = action
    state.length[state.round] += 1


@njit
def fold_hand(state: Any, seat: int) -> None:
    """Give up."""
    state.folded[seat] = 1
    state.standing -= 1


@njit
def begin_round(state: Any) -> None:
    """Begin a round of betting: nobody has bet in it."""
    state.high = 0
    state.full = state.blinds[1]
    state.answered = 0
    for seat in range(players_of(state)):
        state.bet[seat] = 0
        state.acted[seat] = 0


@njit
def await_cards(state: Any, open_cards: int, seat: int) -> None:
    """Let chance deal until so many cards lie open, and then `seat` go on (TERMINAL: nobody)."""
    state.due = num_hole_cards(state) + open_cards
    state.next_player = seat
    state.current_player = CHANCE


@njit
def deal_is_over(state: Any, card: int) -> bool:
    """Deal a card; returns whether it was the last one due, so that `next_player` goes on."""
    deal(state, card)
    if state.dealt < state.due:
        return False
    state.current_player = state.next_player
    return True


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write probabilities: of the seat with the button, the cards left, or the winner who gets odd chips."""
    hand_chance_outcomes(state, state.button < 0, probabilities)


@njit
def draw_outcome(state: Any) -> int:
    """Draw a seat, or a card of those left; odd chips are left to the probabilities."""
    return draw_hand_outcome(state, state.button < 0)


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [P], own cards [52], open cards [52] in order, the button's seat [P], all actions [longest].

    A card is written as the number of its place in its hand or in the open cards, from 1; an action as its own number
    and 1; seats are one-hot.
    """
    out[:] = 0
    write_in_order(state, seat, out)
    rest = out[players_of(state) + 2 * NUM_CARDS :]
    if state.button >= 0:
        rest[state.button] = 1
    for i in range(state.history.shape[0]):
        rest[players_of(state) + i] = state.history[i] + 1


def information_size(players: int, longest: int) -> int:
    """Return how many entries `information_state` fills."""
    return 2 * players + 2 * NUM_CARDS + longest


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the others' cards; when hands have been compared, those of seats that folded."""
    compared = state.odd > 0 or (state.current_player == TERMINAL and state.standing > 1)
    for other in range(players_of(state)):
        if other != seat and not (compared and state.folded[other] == 0):
            hide_hand(state, other)


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the others cards that are not seen."""
    redact(state, seat)
    guess_hidden_hands(state)


@njit
def write_table(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own cards [52], open cards [52], the round [4], and five numbers for each seat, from the own one on.

    They are chips in the pot, chips bet in this round, chips left (all in big blinds), whether it is still in, and
    whether it has the button.
    """
    out[:] = 0
    write_visible_cards(state, seat, out)
    for place in range(num_hole_cards(state), state.cards.shape[0]):
        if state.cards[place] >= 0:
            out[state.cards[place]] = 0
            out[NUM_CARDS + state.cards[place]] = 1
    table = out[2 * NUM_CARDS :]
    table[min(state.round, ROUNDS - 1)] = 1
    table = table[ROUNDS:]
    for i in range(players_of(state)):
        other = (seat + i) % players_of(state)
        table[5 * i] = state.paid[other] / state.blinds[1]
        table[5 * i + 1] = state.bet[other] / state.blinds[1]
        table[5 * i + 2] = behind(state, other) / state.blinds[1]
        table[5 * i + 3] = 1 - state.folded[other]
        table[5 * i + 4] = state.button == other


def table_size(players: int) -> int:
    """Return how many entries `write_table` fills."""
    return 2 * NUM_CARDS + ROUNDS + 5 * players


def ruleset(legal_actions: Rule, apply: Rule, observe: Rule, returns: Rule) -> Ruleset:
    """Return the rules of a way to play: its own four, and those that both ways share."""
    return Ruleset(
        legal_actions=legal_actions,
        apply=apply,
        observe=observe,
        returns=returns,
        chance_outcomes=chance_outcomes,
        draw_outcome=draw_outcome,
        redact=redact,
        determinize=determinize,
        information_state=information_state,
    )
