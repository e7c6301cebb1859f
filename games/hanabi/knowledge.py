"""Information states of Hanabi, and sampling the own hand."""

from typing import Any

from numpy.typing import NDArray

from games.engine.chance import draw_below
from games.engine.game import TERMINAL
from games.engine.jit import njit
from games.hanabi.rules import unseen

MOST_COPIES = 4
"""More than there are of a card."""


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the seat [1], cards of the others [P, H], and each action, its outcome and its card [length, 3].

    Cards and actions count from 1; 0 is none. What others drew follows from these, back from the cards they have.
    """
    players, hand_size = state.hands.shape
    out[:] = 0
    out[0] = seat
    for other in range(players):
        if other != seat:
            for i in range(state.held[other]):
                out[1 + hand_size * other + i] = state.hands[other, i] + 1
    at = 1 + players * hand_size
    for now in range(state.length):
        out[at] = state.actions[now] + 1
        out[at + 1] = state.outcomes[now]
        out[at + 2] = state.shown[now] + 1
        at += 3


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the own hand, until the end."""
    if state.current_player != TERMINAL:
        state.hands[seat, :] = -1


@njit
def determinize(state: Any, seat: int) -> None:
    """Give the seat other cards that it may hold by what it sees and by what it was told.

    For each place a card is drawn from those that may lie there, as often as a card was drawn twice: so each hand is as
    likely as the others, copies of a card told apart.
    """
    if state.current_player == TERMINAL:
        return
    redact(state, seat)
    hand = state.hands[seat]
    clash = True
    while clash:
        clash = False
        for i in range(state.held[seat]):
            hand[i] = guess(state, seat, i)
            for j in range(i):
                clash = clash or hand[j] == hand[i]
    for i in range(state.held[seat]):
        hand[i] //= MOST_COPIES


@njit
def guess(state: Any, seat: int, place: int) -> int:
    """Draw a card that may lie there: `MOST_COPIES` times its number, and which copy it is."""
    total = 0
    for card in range(state.discarded.size):
        total += allowed(state, seat, place, card)
    left = draw_below(state, total)
    card = 0
    while left >= allowed(state, seat, place, card):
        left -= allowed(state, seat, place, card)
        card += 1
    return card * MOST_COPIES + left


@njit
def allowed(state: Any, seat: int, place: int, card: int) -> int:
    """Return the number of copies of a card that may be at a place of a hand."""
    ranks = state.discarded.shape[1]
    may = state.may_colors[seat, place] >> (card // ranks) & state.may_ranks[seat, place] >> (card % ranks) & 1
    return unseen(state, card, seat) if may else 0
