"""The rules of Hanabi, on one record; cards and actions are numbered as the package says."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import RANDOM_FIELD
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit

DISCARD, PLAY, TELL_COLOR, TELL_RANK = 0, 1, 2, 3
SCORED, REGAINED = 1, 2
"""Bits of the outcome of playing a card."""
COLOR_TOLD, RANK_TOLD = 1, 2


def state_dtype(colors: int, ranks: int, players: int, hand_size: int, longest: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("hands", np.int8, (players, hand_size)),  # cards, -1 for none, or unknown
            ("held", np.int8, players),  # how many there are in each hand
            ("may_colors", np.uint8, (players, hand_size)),  # what each card may be by what was told of it, as bits
            ("may_ranks", np.uint8, (players, hand_size)),
            ("told", np.uint8, (players, hand_size)),  # what was told of just this card: COLOR_TOLD, RANK_TOLD
            ("fireworks", np.int8, colors),  # how high each is
            ("discarded", np.int8, (colors, ranks)),  # how many, failures included
            ("deck", np.int8),  # how many cards are left
            ("information", np.int8),
            ("most_information", np.int8),
            ("lives", np.int8),
            ("most_lives", np.int8),
            ("turns_left", np.int8),  # once the deck is empty
            ("actions", np.int16, longest),  # all so far, -1 for none; seats move in turn
            ("outcomes", np.uint8, longest),  # cards that were told of, as bits; SCORED and REGAINED of playing
            ("shown", np.int8, longest),  # cards that were played or discarded, else -1
            ("length", np.int16),  # how many actions
            ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
            RANDOM_FIELD,
        ]
    )


@njit
def copies(rank: Any, ranks: int) -> Any:
    """Return the number of cards of a rank in each color."""
    if rank == 0:
        return 3
    return 1 if rank == ranks - 1 else 2


@njit
def unseen(state: Any, card: int, seat: int) -> int:
    """Return the number of copies of a card in the deck or in the hand of `seat`."""
    ranks = state.discarded.shape[1]
    color, rank = card // ranks, card % ranks
    left = copies(rank, ranks) - state.discarded[color, rank] - int(state.fireworks[color] > rank)
    for other in range(state.hands.shape[0]):
        if other != seat:
            for i in range(state.held[other]):
                left -= int(state.hands[other, i] == card)
    return left


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probability of each card to be drawn next."""
    for card in range(probabilities.shape[0]):
        probabilities[card] = unseen(state, card, -1) / state.deck


@njit
def kind_of(state: Any, action: int) -> tuple[int, int, int]:
    """Return the kind of an action, its position or the distance to the seat it hints to, and the color or rank."""
    players, hand_size = state.hands.shape
    colors, ranks = state.discarded.shape
    if action < 2 * hand_size:
        return action // hand_size, action % hand_size, 0
    action -= 2 * hand_size
    if action < (players - 1) * colors:
        return TELL_COLOR, 1 + action // colors, action % colors
    action -= (players - 1) * colors
    return TELL_RANK, 1 + action // ranks, action % ranks


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Discard unless all tokens are there, play, and with a token tell of something that is in a hand."""
    if state.current_player == TERMINAL:
        return
    players, hand_size = state.hands.shape
    colors, ranks = state.discarded.shape
    seat = state.current_player
    for i in range(state.held[seat]):
        mask[i] = state.information < state.most_information
        mask[hand_size + i] = True
    if state.information == 0:
        return
    for on in range(1, players):
        other = (seat + on) % players
        for i in range(state.held[other]):
            card = state.hands[other, i]
            mask[2 * hand_size + colors * (on - 1) + card // ranks] = True
            mask[2 * hand_size + colors * (players - 1) + ranks * (on - 1) + card % ranks] = True


@njit
def apply(state: Any, action: int) -> None:
    """Draw a card, or discard, play, tell."""
    players, hand_size = state.hands.shape
    ranks = state.discarded.shape[1]
    if state.current_player == CHANCE:
        draw_card(state, action)
        return
    seat = state.current_player
    if state.deck == 0:
        state.turns_left -= 1
    kind, where, what = kind_of(state, action)
    now = state.length
    state.actions[now] = action
    state.length += 1
    if kind >= TELL_COLOR:
        state.outcomes[now] = tell(state, (seat + where) % players, kind == TELL_COLOR, what)
    else:
        card = state.hands[seat, where]
        state.shown[now] = card
        state.outcomes[now] = play(state, card) if kind == PLAY else discard(state, card)
        remove(state, seat, where)
    complete = True
    for height in state.fireworks:
        complete = complete and height == ranks
    if complete or state.lives == 0 or state.turns_left == 0:
        state.current_player = TERMINAL
    else:
        state.current_player = CHANCE if state.deck > 0 and state.held[seat] < hand_size else (seat + 1) % players


@njit
def draw_card(state: Any, card: int) -> None:
    """Give a card to the first hand that lacks one; then whoever is next moves, if no other hand does."""
    players, hand_size = state.hands.shape
    seat = 0
    while state.held[seat] == hand_size:
        seat += 1
    i = state.held[seat]
    state.hands[seat, i] = card
    state.may_colors[seat, i] = (1 << state.discarded.shape[0]) - 1
    state.may_ranks[seat, i] = (1 << state.discarded.shape[1]) - 1
    state.told[seat, i] = 0
    state.held[seat] += 1
    state.deck -= 1
    if state.length > 0 or (seat == players - 1 and i == hand_size - 1):
        state.current_player = state.length % players


@njit
def remove(state: Any, seat: int, where: int) -> None:
    """Take a card out of a hand; later ones move up."""
    last = state.held[seat] - 1
    for i in range(where, last):
        state.hands[seat, i] = state.hands[seat, i + 1]
        state.may_colors[seat, i] = state.may_colors[seat, i + 1]
        state.may_ranks[seat, i] = state.may_ranks[seat, i + 1]
        state.told[seat, i] = state.told[seat, i + 1]
    state.hands[seat, last] = -1
    state.may_colors[seat, last] = state.may_ranks[seat, last] = state.told[seat, last] = 0
    state.held[seat] = last


@njit
def tell(state: Any, seat: int, by_color: bool, what: int) -> int:
    """Tell a seat of a color or rank; returns which cards have it, as bits."""
    ranks = state.discarded.shape[1]
    state.information -= 1
    touched = 0
    bit = 1 << what
    for i in range(state.held[seat]):
        card = state.hands[seat, i]
        has = (card // ranks if by_color else card % ranks) == what
        touched |= int(has) << i
        keep = bit if has else 255 ^ bit
        if by_color:
            state.may_colors[seat, i] &= keep
            state.told[seat, i] |= COLOR_TOLD * int(has)
        else:
            state.may_ranks[seat, i] &= keep
            state.told[seat, i] |= RANK_TOLD * int(has)
    return touched


@njit
def discard(state: Any, card: int) -> int:
    """Lay a card away for a token."""
    ranks = state.discarded.shape[1]
    state.discarded[card // ranks, card % ranks] += 1
    state.information += 1
    return 0


@njit
def play(state: Any, card: int) -> int:
    """Add a card to the firework of its color, or lose a life; returns SCORED and REGAINED."""
    ranks = state.discarded.shape[1]
    color, rank = card // ranks, card % ranks
    if state.fireworks[color] != rank:
        state.discarded[color, rank] += 1
        state.lives -= 1
        return 0
    state.fireworks[color] += 1
    if rank == ranks - 1 and state.information < state.most_information:
        state.information += 1
        return SCORED | REGAINED
    return SCORED


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the number of cards in the fireworks, for all; 0 once the lives are spent."""
    score = 0
    if state.lives > 0:
        for height in state.fireworks:
            score += height
    out[:] = score
