"""Sharing the pot of a hold'em game among several seats, as RLCard does it, and the outcomes of chance in a hand.

The pot is shared layer by layer: as many chips of each seat that has some left as the seat with the fewest has. Chips
of a layer that cannot be shared evenly go to one of the winners by chance (at a poker table: to the first one left of
the button). A seat that has put in more than any winner gets the rest back.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import draw_unseen
from games.engine.chance import draw_below
from games.engine.game import CHANCE, TERMINAL
from games.engine.holdem import NUM_CARDS, next_card, seat_strength
from games.engine.jit import njit

FOLDED = -1
"""Strength of the hand of a seat that gave up; all others are stronger."""


def pot_fields(players: int) -> list[Any]:
    """Return the fields of a record for sharing the pot; beside them it has `paid`, `folded` and `standing`."""
    return [
        ("strength", np.int64, players),  # of the hands, once they are compared
        ("unshared", np.int32, players),  # chips of each seat that are still in the pot
        ("won", np.int32, players),  # chips that each seat has got out of it
        ("odd", np.int32),  # chips that chance has to give to a winner
    ]


@njit
def compare_hands(state: Any) -> None:
    """Write how strong the hands are; a seat that stands alone need not show its own."""
    for seat in range(state.paid.shape[0]):
        state.strength[seat] = FOLDED
        if not state.folded[seat]:
            state.strength[seat] = seat_strength(state, seat) if state.standing > 1 else 0


@njit
def is_winner(state: Any, seat: int) -> bool:
    """Return whether no hand is stronger than that of `seat`."""
    best = state.strength[0]
    for other in range(1, state.paid.shape[0]):
        best = max(best, state.strength[other])
    return state.strength[seat] == best


@njit
def begin_sharing(state: Any) -> None:
    """Compare the hands and share the pot, until the game is over or chance has to give away odd chips."""
    compare_hands(state)
    for seat in range(state.paid.shape[0]):
        state.unshared[seat] = state.paid[seat]
    share_layers(state)


@njit
def share_layers(state: Any) -> None:
    """Share what is left of the pot, until the game is over or chance has to give away odd chips."""
    state.current_player = TERMINAL
    while state.odd == 0 and share_layer(state):
        pass
    if state.odd > 0:
        state.current_player = CHANCE


@njit
def share_layer(state: Any) -> bool:
    """Share as much of each seat's chips as the one with the fewest has left; returns whether more are left."""
    least, payers, winners = 0, 0, 0
    for seat in range(state.paid.shape[0]):
        chips = state.unshared[seat]
        if chips > 0:
            least = chips if payers == 0 else min(least, chips)
            payers += 1
            winners += is_winner(state, seat)
    if winners == 0 or winners == payers:  # everybody gets back what is left
        for seat in range(state.paid.shape[0]):
            state.won[seat] += state.unshared[seat]
            state.unshared[seat] = 0
        return False
    for seat in range(state.paid.shape[0]):
        if state.unshared[seat] > 0:
            state.unshared[seat] -= least
            if is_winner(state, seat):
                state.won[seat] += least * payers // winners
    state.odd = least * payers % winners
    return True


@njit
def odd_chip_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write how likely each seat is to get the odd chips: the winners, alike."""
    winners = 0
    for seat in range(state.paid.shape[0]):
        winners += is_winner(state, seat)
    for seat in range(state.paid.shape[0]):
        probabilities[seat] = is_winner(state, seat) / winners


@njit
def give_odd_chips(state: Any, seat: int) -> None:
    """Give the odd chips to a winner, and share on."""
    state.won[seat] += state.odd
    state.odd = 0
    share_layers(state)


@njit
def hand_chance_outcomes(state: Any, draws_seat: bool, probabilities: NDArray[Any]) -> None:
    """Write how likely each outcome is: who gets odd chips, else a seat if `draws_seat`, else a card that is left."""
    if state.odd > 0:
        odd_chip_outcomes(state, probabilities)
    elif draws_seat:
        players = state.paid.shape[0]
        probabilities[:players] = 1.0 / players
    else:
        next_card(state, probabilities)


@njit
def draw_hand_outcome(state: Any, draws_seat: bool) -> int:
    """Draw a seat if `draws_seat`, else a card that is left; -1 where odd chips are due, by their probabilities."""
    if state.odd > 0:
        return -1
    if draws_seat:
        return draw_below(state, state.paid.shape[0])
    return draw_unseen(state, NUM_CARDS)


@njit
def write_winnings(state: Any, unit: int, out: NDArray[Any]) -> None:
    """Write the chips that each seat has won or lost into `out` [P], counted in `unit` chips; nothing before the end.

    `out` is all zero on entry.
    """
    if state.current_player == TERMINAL:
        for seat in range(state.paid.shape[0]):
            out[seat] = (state.won[seat] - state.paid[seat]) / unit
