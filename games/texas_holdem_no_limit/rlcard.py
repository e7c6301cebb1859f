"""No-limit hold'em as RLCard and PettingZoo play it: order of betting, legal actions, and observations.

All have as many chips. The seat after the button pays the small blind and the next one the big blind, of two seats too;
the one after that begins, in later rounds the first one after the button that is still in and not all-in. A raise puts
a share of the pot into it, what there was to call included; it has to lead to more than the others have bet, by however
little, and whoever has answered already may raise again after it. Folding is always legal. A hand that ends by folding
in an action that also ends the round is shown all five open cards.
"""

from typing import Any

from numpy.typing import NDArray

from games.engine.game import CHANCE, TERMINAL
from games.engine.holdem import NUM_CARDS, OPEN, ROUNDS, SHOWN, num_hole_cards, write_visible_cards
from games.engine.jit import njit
from games.engine.pots import begin_sharing, give_odd_chips, write_winnings
from games.texas_holdem_no_limit.table import (
    CALL,
    FOLD,
    RAISE,
    THOUSAND,
    all_in_action,
    await_cards,
    begin_round,
    behind,
    deal_is_over,
    fold_hand,
    following,
    note_action,
    pay_blinds,
    players_of,
    pot_size,
    put_in,
    ruleset,
)

OBSERVATION_SIZE = NUM_CARDS + 2


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow folding and calling always; raises and all-in where chips are left after a call."""
    seat = state.current_player
    if seat < 0:
        return
    owed, left, pot = state.high - state.bet[seat], behind(state, seat), pot_size(state)
    mask[FOLD] = mask[CALL] = True
    if owed == 0 or owed < left:
        for i in range(state.sizes.shape[0]):
            chips = pot * state.sizes[i] // THOUSAND
            mask[RAISE + i] = owed < chips <= left
        mask[all_in_action(state)] = True


@njit
def apply(state: Any, action: int) -> None:
    """Give the button, deal a card, give odd chips to a winner, or bet."""
    if state.current_player != CHANCE:
        act(state, action)
    elif state.odd > 0:
        give_odd_chips(state, action)
    elif state.button < 0:
        big = pay_blinds(state, action, following(state, action))
        await_cards(state, 0, following(state, big))
    elif deal_is_over(state, action) and state.current_player == TERMINAL:
        begin_sharing(state)


@njit
def act(state: Any, action: int) -> None:
    """Fold, call, or raise."""
    seat = state.current_player
    note_action(state, action)
    if action == FOLD:
        fold_hand(state, seat)
    else:
        put_in(state, seat, chips_of(state, seat, action))
        state.answered = state.answered + 1 if action == CALL else 1
        if behind(state, seat) == 0:
            state.answered -= 1  # it counts as one that plays no more
    inactive = 0
    for other in range(players_of(state)):
        inactive += plays_no_more(state, other)
    if state.answered + inactive >= players_of(state):
        end_round(state, players_of(state) - inactive)
    elif state.standing == 1:
        begin_sharing(state)
    else:
        seat = following(state, seat)
        while state.folded[seat]:
            seat = following(state, seat)
        state.current_player = seat


@njit
def chips_of(state: Any, seat: int, action: int) -> int:
    """Return how many chips a call or raise takes."""
    if action == CALL:
        return state.high - state.bet[seat]
    if action == all_in_action(state):
        return behind(state, seat)
    return pot_size(state) * state.sizes[action - RAISE] // THOUSAND


@njit
def plays_no_more(state: Any, seat: int) -> bool:
    """Return whether a seat has folded or is all-in."""
    return state.folded[seat] != 0 or behind(state, seat) == 0


@njit
def end_round(state: Any, active: int) -> None:
    """Deal for the next round, or, where at most one seat can still bet, for all; then compare the hands."""
    state.round += 1
    begin_round(state)
    if active <= 1:
        if state.standing > 1:
            state.round = ROUNDS
        await_cards(state, OPEN, TERMINAL)
    elif state.round < ROUNDS:
        seat = following(state, state.button)
        while plays_no_more(state, seat):
            seat = following(state, seat)
        await_cards(state, SHOWN[state.round], seat)
    if state.round == ROUNDS and state.dealt == num_hole_cards(state) + OPEN:
        begin_sharing(state)


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own and open cards [52], chips of this seat in the pot, chips of the seat that has put in the most."""
    out[:] = 0
    write_visible_cards(state, seat, out)
    most = state.paid[0]
    for chips in state.paid:
        most = max(most, chips)
    out[NUM_CARDS] = state.paid[seat]
    out[NUM_CARDS + 1] = most


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the chips won or lost; nothing before the end."""
    write_winnings(state, 1, out)


RLCARD = ruleset(legal_actions, apply, observe=observe, returns=returns)
