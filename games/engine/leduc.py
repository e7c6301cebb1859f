"""Parts that `leduc_poker` and `leduc_holdem` share: the six cards, who sees them, and the strength of hands.

The record has `cards` (int8 [3]): of seat 0, of seat 1, and the open one, rank * 2 + suit; -1 not dealt, or unknown.
"""

from typing import Any

from numpy.typing import NDArray

from games.engine.cards import UNKNOWN, deal_unseen, draw_unseen, hand_picture, named_card
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.picture import Picture

CARDS = ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
RANKS, NUM_CARDS = 3, 6


@njit
def next_card(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probability of each card to be next: those left are equally likely."""
    probabilities[:] = 1.0 / (NUM_CARDS - int(state.cards[0] >= 0) - int(state.cards[1] >= 0))
    for card in state.cards[:2]:
        if card >= 0:
            probabilities[card] = 0.0


@njit
def draw_card(state: Any) -> int:
    """Draw one of the cards that are left."""
    return draw_unseen(state, NUM_CARDS)


@njit
def write_cards(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the own seat [2], own card [6] and open card [6], one-hot, into `out`, all zero on entry."""
    out[seat] = 1
    if state.cards[seat] >= 0:
        out[2 + state.cards[seat]] = 1
    if state.cards[2] >= 0:
        out[2 + NUM_CARDS + state.cards[2]] = 1


@njit
def hand_value(state: Any, seat: int) -> int:
    """Return the strength of a hand: its rank, higher with a pair."""
    rank = state.cards[seat] // 2
    return rank + RANKS * int(rank == state.cards[2] // 2)


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the other's card, until it lies open at the end."""
    if state.current_player != TERMINAL:
        state.cards[1 - seat] = -1


@njit
def guess_other(state: Any, seat: int) -> None:
    """Deal the other a card that is not seen."""
    state.cards[1 - seat] = -1
    deal_unseen(state, 1 - seat, NUM_CARDS)


def table_picture(state: State, num_actions: int, notes: tuple[str, ...]) -> Picture:
    """Return a row for each player with its card, and one for the open card, once there is one."""
    first, second, shown = (UNKNOWN if card < 0 else named_card(CARDS[card]) for card in state["cards"])
    table = [shown] if state["cards"][2] >= 0 else []
    return hand_picture([[first], [second]], num_actions, notes, table)
