"""Observations of Hanabi: the canonical encoding of the learning environment."""

from typing import Any

from numpy.typing import NDArray

from games.engine.jit import njit
from games.hanabi.rules import COLOR_TOLD, RANK_TOLD, TELL_COLOR, TELL_RANK, copies, kind_of


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the others' hands, the table, the last action, and hints on all cards; seats count from `seat`.

    It is the paper's canonical encoding: zeros and ones.
    """
    out[:] = 0
    at = write_hands(state, seat, out)
    at = write_table(state, out, at)
    if state.length > 0:
        write_last_action(state, seat, out, at)
    players, hand_size = state.hands.shape
    colors, ranks = state.discarded.shape
    at += 2 * players + 4 + colors + ranks + 2 * hand_size + colors * ranks + 2
    write_knowledge(state, seat, out, at)


@njit
def write_hands(state: Any, seat: int, out: NDArray[Any]) -> int:
    """Write cards of the others [P - 1, H, C * R], and whose hands lack a card [P]; returns where it ends."""
    players, hand_size = state.hands.shape
    cards = state.discarded.size
    at = 0
    for on in range(1, players):
        other = (seat + on) % players
        for i in range(state.held[other]):
            out[at + cards * i + state.hands[other, i]] = 1
        at += cards * hand_size
    for on in range(players):
        out[at + on] = state.held[(seat + on) % players] < hand_size
    return at + players


@njit
def write_table(state: Any, out: NDArray[Any], at: int) -> int:
    """Write deck, fireworks [C, R], tokens, lives and discards, as bars of ones but for fireworks; returns the end."""
    players, hand_size = state.hands.shape
    colors, ranks = state.discarded.shape
    out[at : at + state.deck] = 1
    for rank in range(ranks):
        at += colors * copies(rank, ranks)
    at -= players * hand_size
    for color in range(colors):
        if state.fireworks[color] > 0:
            out[at + state.fireworks[color] - 1] = 1
        at += ranks
    out[at : at + state.information] = 1
    at += state.most_information
    out[at : at + state.lives] = 1
    at += state.most_lives
    for color in range(colors):
        for rank in range(ranks):
            out[at : at + state.discarded[color, rank]] = 1
            at += copies(rank, ranks)
    return at


@njit
def write_last_action(state: Any, seat: int, out: NDArray[Any], at: int) -> None:
    """Write seat and kind [P + 4], target and hint [P + C + R], cards hinted at [H]; or the card and its outcome.

    Card and outcome are position [H], card [C * R], and, if played, SCORED and REGAINED [2].
    """
    players, hand_size = state.hands.shape
    colors, ranks = state.discarded.shape
    now = state.length - 1
    kind, where, what = kind_of(state, state.actions[now])
    mover = (now - seat) % players
    out[at + mover] = 1
    at += players
    out[at + (1 - kind if kind < TELL_COLOR else kind)] = 1  # playing comes first here
    at += 4
    is_hint = kind >= TELL_COLOR
    if is_hint:
        out[at + (mover + where) % players] = 1
        out[at + players + what + (colors if kind == TELL_RANK else 0)] = 1
    at += players + colors + ranks
    if is_hint:
        for i in range(hand_size):
            out[at + i] = state.outcomes[now] >> i & 1
        return
    at += hand_size
    out[at + where] = 1
    at += hand_size
    out[at + state.shown[now]] = 1
    at += colors * ranks
    out[at] = state.outcomes[now] & 1
    out[at + 1] = state.outcomes[now] >> 1 & 1


@njit
def write_knowledge(state: Any, seat: int, out: NDArray[Any], at: int) -> None:
    """Write for each card in each hand [P, H] what it may be [C * R], and its hinted color [C] and rank [R]."""
    players, hand_size = state.hands.shape
    colors, ranks = state.discarded.shape
    for on in range(players):
        other = (seat + on) % players
        for i in range(hand_size):
            if i < state.held[other]:
                may_colors, may_ranks = state.may_colors[other, i], state.may_ranks[other, i]
                hinted = state.told[other, i]
                for color in range(colors):
                    if may_colors >> color & 1:
                        for rank in range(ranks):
                            out[at + ranks * color + rank] = may_ranks >> rank & 1
                        out[at + colors * ranks + color] = hinted & COLOR_TOLD
                for rank in range(ranks):
                    if may_ranks >> rank & 1:
                        out[at + colors * ranks + colors + rank] = (hinted & RANK_TOLD) >> 1
            at += colors * ranks + colors + ranks
