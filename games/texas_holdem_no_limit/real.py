"""No-limit hold'em as it is played at a table: order of betting, legal actions, and side pots.

The rules are those of the Tournament Directors Association (TDA), https://www.pokertda.com/poker-tda-rules:

* The seat after the button pays the small blind, the next one the big blind, and the one after that begins; of two
  seats the button pays the small blind and begins. Later rounds begin with the first seat after the button.
* A bet is at least the big blind, a raise at least the largest bet or raise of the round before it, unless it takes all
  the chips that a seat has. The big blind may raise where everybody has only called. Where there is nothing to call
  nobody folds, and where nobody else could answer nobody raises.
* A seat that has acted already may raise again only if it faces at least a full raise: one that goes all-in for less
  does not reopen the betting, but several together may (rule 47).
* A seat wins at most as much from each other seat as it has put in itself: there is a side pot for each amount that a
  seat is all-in for. Each pot goes to the best hand of those that have paid their part of it, what nobody called back
  to who bet it. Equal hands share a pot; chips that cannot be shared evenly go to the first winner after the button.
"""

from typing import Any

from numpy.typing import NDArray

from games.engine.game import CHANCE, TERMINAL
from games.engine.holdem import OPEN, ROUNDS, SHOWN
from games.engine.jit import njit
from games.engine.pots import compare_hands, write_winnings
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
    write_table,
)

NOBODY = -1


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow folding to a bet, calling or checking, all-in, and each other size of raise that is large enough."""
    seat = state.current_player
    if seat < 0:
        return
    mask[FOLD] = state.high > state.bet[seat]
    mask[CALL] = True
    if may_raise(state, seat):
        most, smaller = state.bet[seat] + behind(state, seat), 0
        for i in range(state.sizes.shape[0]):
            target = raise_target(state, seat, i)
            mask[RAISE + i] = smaller < target < most
            smaller = target
        mask[all_in_action(state)] = True


@njit
def may_raise(state: Any, seat: int) -> bool:
    """Return whether a seat has chips left after a call, another one could answer, and the betting is open to it."""
    owed = state.high - state.bet[seat]
    if behind(state, seat) <= owed or (state.acted[seat] and owed < state.full):
        return False
    return number_answering(state) > can_answer(state, seat)


@njit
def can_answer(state: Any, seat: int) -> bool:
    """Return whether a seat could still bet more than the highest bet."""
    return state.folded[seat] == 0 and state.bet[seat] + behind(state, seat) > state.high


@njit
def number_answering(state: Any) -> int:
    """Return how many seats could still bet more than the highest bet."""
    seats = 0
    for seat in range(players_of(state)):
        seats += can_answer(state, seat)
    return seats


@njit
def raise_target(state: Any, seat: int, size: int) -> int:
    """Return the bet that a raise leads to: its share of the pot after a call, on top of that call."""
    pot = pot_size(state) + state.high - state.bet[seat]
    return state.high + max(state.full, pot * state.sizes[size] // THOUSAND)


@njit
def apply(state: Any, action: int) -> None:
    """Give the button, deal a card, or bet."""
    if state.current_player != CHANCE:
        act(state, action)
    elif state.button < 0:
        small = action if players_of(state) == 2 else following(state, action)
        big = pay_blinds(state, action, small)
        await_cards(state, 0, next_to_act(state, big))
    elif deal_is_over(state, action) and state.current_player == TERMINAL:
        settle_pots(state)


@njit
def act(state: Any, action: int) -> None:
    """Fold, call as far as the chips go, or raise."""
    seat = state.current_player
    note_action(state, action)
    state.acted[seat] = 1
    if action == FOLD:
        fold_hand(state, seat)
    elif action == CALL:
        put_in(state, seat, min(state.high - state.bet[seat], behind(state, seat)))
    else:
        high, chips = state.high, behind(state, seat)
        if action != all_in_action(state):
            chips = raise_target(state, seat, action - RAISE) - state.bet[seat]
        put_in(state, seat, chips)
        state.full = max(state.full, state.high - high)
    following_seat = next_to_act(state, seat)
    if state.standing == 1:
        settle_pots(state)
    elif following_seat != NOBODY:
        state.current_player = following_seat
    else:
        end_round(state)


@njit
def next_to_act(state: Any, seat: int) -> int:
    """Return the next seat that has something to decide in this round, NOBODY if there is none."""
    candidate, answering = seat, number_answering(state)
    for _ in range(players_of(state)):
        candidate = following(state, candidate)
        if state.folded[candidate] == 0 and behind(state, candidate) > 0:
            owes = state.bet[candidate] < state.high
            may_open = state.acted[candidate] == 0 and answering > can_answer(state, candidate)
            if owes or may_open:
                return candidate
    return NOBODY


@njit
def end_round(state: Any) -> None:
    """Deal for the next round, or, where nobody can bet any more, for all; then compare the hands."""
    state.round += 1
    begin_round(state)
    seat = next_to_act(state, state.button)
    if state.round == ROUNDS:
        settle_pots(state)
    elif seat != NOBODY:
        await_cards(state, SHOWN[state.round], seat)
    else:
        state.round = ROUNDS
        await_cards(state, OPEN, TERMINAL)


@njit
def settle_pots(state: Any) -> None:
    """Compare the hands and share each pot: one for each amount that a seat which is still in has paid."""
    state.current_player = TERMINAL
    compare_hands(state)
    shared = 0
    while shared >= 0:
        shared = share_pot(state, shared)


@njit
def share_pot(state: Any, shared: int) -> int:
    """Share what all have paid beyond `shared`, up to the next amount at which a seat is all-in, or to the highest.

    Returns that amount; -1 if there was nothing left to share.
    """
    amount, best = -1, -1
    for seat in range(players_of(state)):
        if state.folded[seat] == 0 and state.paid[seat] > shared:
            amount = state.paid[seat] if amount < 0 else min(amount, state.paid[seat])
            best = max(best, state.strength[seat])
    if amount < 0:
        return amount
    chips, winners = 0, 0
    for seat in range(players_of(state)):
        chips += max(0, min(state.paid[seat], amount) - shared)
        winners += gets_share(state, seat, amount, best)
    odd = chips % winners
    seat = state.button
    for _ in range(players_of(state)):
        seat = following(state, seat)
        if gets_share(state, seat, amount, best):
            state.won[seat] += chips // winners + odd
            odd = 0
    return amount


@njit
def gets_share(state: Any, seat: int, amount: int, best: int) -> bool:
    """Return whether a seat has paid its part of a pot, and has the best hand of the seats that have."""
    return state.folded[seat] == 0 and state.paid[seat] >= amount and state.strength[seat] == best


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the big blinds won or lost; nothing before the end."""
    write_winnings(state, state.blinds[1], out)


REAL = ruleset(legal_actions, apply, observe=write_table, returns=returns)
