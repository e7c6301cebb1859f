"""Leduc hold'em as RLCard and PettingZoo play it.

Jack, queen and king in two suits; each of two seats gets a card, blinds of 1 and 2 are paid; after a round of betting a
card is turned up for both, and a second round follows. A raise is 2 in the first round and 4 in the second, at most two
in a round. A pair with the open card wins, else the higher card; equal cards share the pot. The betting
differs from the literature's game, which is `leduc_poker`; `games.engine.limit_betting` describes it.

Actions, agents, observations and rewards are those of PettingZoo's `leduc_holdem_v4`: 0 calls, 1 raises, 2 folds, 3
checks. It differs in this:

- PettingZoo's documentation says that the mask of an agent whose turn it is not is all zero, and here it is (there it
  is that of the agent to move).
- After a hand the agent behind the one that moved last is the first to step with None (there it is player_0).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.game import CHANCE, TERMINAL, Game, State
from games.engine.jit import njit
from games.engine.leduc import (
    NUM_CARDS,
    RANKS,
    draw_card,
    guess_other,
    hand_value,
    next_card,
    redact,
    table_picture,
    write_cards,
)
from games.engine.limit_betting import (
    BIG_BLIND,
    WORDS,
    before_the_deal,
    bet,
    bet_notes,
    betting_fields,
    legal_bets,
    limit_game,
    pay_blinds,
    settle_pot,
    write_bets,
)
from games.engine.options import checked_options
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

ROUNDS, MOST_RAISES = 2, 2
MOST_CHIPS = 14
STATE = np.dtype(
    [
        ("cards", np.int8, 3),  # of seat 0, of seat 1, the open one: rank * 2 + suit; -1 not dealt, or unknown
        *betting_fields(ROUNDS, MOST_RAISES),
        RANDOM_FIELD,
    ]
)
OBSERVATION_SIZE = 2 * RANKS + 2 * (MOST_CHIPS + 1)


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write probabilities of the cards left, or, when both hands are dealt, of the seat that pays the small blind."""
    if state.cards[1] >= 0 and state.small_blind < 0:
        probabilities[:2] = 0.5
        return
    next_card(state, probabilities)


@njit
def draw_outcome(state: Any) -> int:
    """Draw a card of those left, or a seat."""
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
    """Write the own rank [3], the open one [3], chips paid by this seat [15] and by the other [15]: all one-hot."""
    out[:] = 0
    if state.cards[seat] >= 0:
        out[state.cards[seat] // 2] = 1
    if state.cards[2] >= 0:
        out[RANKS + state.cards[2] // 2] = 1
    out[2 * RANKS + state.paid[seat]] = 1
    out[2 * RANKS + MOST_CHIPS + 1 + state.paid[1 - seat]] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [2], own card [6], open card [6], who pays the small blind, and all bets: one-hot."""
    out[:] = 0
    write_cards(state, seat, out)
    write_bets(state, out[2 + 2 * NUM_CARDS :])


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the big blinds won or lost; nothing before the end."""
    if state.current_player == TERMINAL:
        settle_pot(state, hand_value(state, 0) - hand_value(state, 1), out)


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the other a card that is not seen."""
    if state.current_player == TERMINAL or state.small_blind < 0:
        return
    guess_other(state, seat)


def picture(state: State) -> Picture:
    """Return a row for each player, with its card, and one for the open card; the actions stand below."""
    return table_picture(state, len(WORDS), bet_notes(state))


@checked_options
def game() -> Game:
    """Describe the game."""
    return limit_game(
        name="leduc_holdem",
        title="Leduc hold'em",
        options={},
        num_cards=NUM_CARDS,
        observation_size=OBSERVATION_SIZE,
        initial=before_the_deal(STATE, MOST_RAISES),
        rules=Ruleset(
            legal_actions=legal_bets,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
            draw_outcome=draw_outcome,
            redact=redact,
            determinize=determinize,
            information_state=information_state,
        ),
        picture=picture,
    )


env, raw_env, parallel_env = views(game)
