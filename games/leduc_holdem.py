"""Leduc hold'em as RLCard and PettingZoo play it.

Jack, queen and king in two suits; each of two seats gets a card, blinds of 1 and 2 are paid; after a round of betting a
card is turned up for both, and a second round follows. A raise is 2 in the first round and 4 in the second, at most two
in a round. A pair with the open card wins, else the higher card; equal cards share the pot. How betting goes, which
differs from the literature's game, is told in `games.engine.limit_betting`; that game is `leduc_poker`.

Actions, agents, observations and rewards are those of PettingZoo's `leduc_holdem_v4`: 0 calls, 1 raises, 2 folds, 3
checks. It differs in this: PettingZoo's documentation says that the mask of an agent whose turn it is not is all zero,
and here it is (there it is that of the agent to move).
"""

from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.cards import hand_picture
from games.engine.chance import RANDOM_FIELD, draw, draw_below, reseed
from games.engine.game import CHANCE, TERMINAL, Game, State
from games.engine.leduc import (
    NUM_CARDS,
    RANKS,
    draw_card,
    guess_other,
    hand_value,
    hands,
    next_card,
    redact,
    write_cards,
)
from games.engine.limit_betting import (
    BIG_BLIND,
    WORDS,
    before_the_deal,
    bet,
    bet_notes,
    bet_text,
    bets_size,
    betting_fields,
    legal_bets,
    parse_bet,
    pay_blinds,
    settle_pot,
    write_bets,
)
from games.engine.picture import Picture
from games.engine.views import views

__all__ = ["draw", "env", "game", "parallel_env", "raw_env", "redact", "reseed"]

ROUNDS, MOST_RAISES = 2, 2
MOST_CHIPS = 14
STATE = np.dtype(
    [
        ("cards", np.int8, 3),  # of seat 0, of seat 1, the open one: rank * 2 + suit; -1 not dealt, or unknown
        *betting_fields(ROUNDS, MOST_RAISES),
        RANDOM_FIELD,
    ]
)
SEEN = 2 * RANKS + 2 * (MOST_CHIPS + 1)
KNOWN = 2 + 2 * NUM_CARDS + bets_size(ROUNDS, MOST_RAISES)

legal_actions = legal_bets


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """A card of those left; when both hands are dealt, the seat that pays the small blind."""
    if state.cards[1] >= 0 and state.small_blind < 0:
        probabilities[:2] = 0.5
        return
    next_card(state, probabilities)


@njit
def draw_outcome(state: Any) -> int:
    """A card of those left, or a seat."""
    if state.cards[1] >= 0 and state.small_blind < 0:
        return draw_below(state, 2)
    return draw_card(state)


@njit
def apply(state: Any, action: int) -> None:
    """Deal a card, say who pays the small blind, or bet."""
    if state.current_player != CHANCE:
        if bet(state, action, BIG_BLIND << state.round):
            state.current_player = TERMINAL if state.round == ROUNDS else CHANCE
    elif state.small_blind >= 0:
        state.cards[2] = action
        state.current_player = state.next_player
    elif state.cards[1] >= 0:
        pay_blinds(state, action)
    else:
        state.cards[int(state.cards[0] >= 0)] = action


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Rank of the own card [3], of the open one [3], chips paid by this seat [15], by the other [15]: all one-hot."""
    out[:] = 0
    if state.cards[seat] >= 0:
        out[state.cards[seat] // 2] = 1
    if state.cards[2] >= 0:
        out[RANKS + state.cards[2] // 2] = 1
    out[2 * RANKS + state.paid[seat]] = 1
    out[2 * RANKS + MOST_CHIPS + 1 + state.paid[1 - seat]] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Own seat [2], own card [6], open card [6], who pays the small blind, and all bets: one-hot."""
    out[:] = 0
    write_cards(state, seat, out)
    write_bets(state, out[2 + 2 * NUM_CARDS :])


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Big blinds won or lost; nothing before the end."""
    if state.current_player == TERMINAL:
        settle_pot(state, hand_value(state, 0) - hand_value(state, 1), out)


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the other a card that is not seen."""
    if state.current_player == TERMINAL or state.small_blind < 0:
        return
    guess_other(state, seat)


def picture(state: State) -> Picture:
    """A row a player, with its card and the open one; what was done stands below."""
    return hand_picture(hands(state), len(WORDS), notes=bet_notes(state))


@cache
def game() -> Game:
    """Describe the game."""
    return Game(
        name="leduc_holdem",
        title="Leduc hold'em",
        options={},
        agents=("player_0", "player_1"),
        num_actions=len(WORDS),
        observation_shape=(SEEN,),
        observation_dtype=np.float32,
        max_length=ROUNDS * (MOST_RAISES + 2),
        initial=before_the_deal(STATE, MOST_RAISES),
        rules=__name__,
        picture=picture,
        action_text=bet_text,
        parse_action=parse_bet,
        num_outcomes=NUM_CARDS,
        information_shape=(KNOWN,),
        perfect_information=False,
        pettingzoo_name="leduc_holdem_v4",
    )


env, raw_env, parallel_env = views(game)
