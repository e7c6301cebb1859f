"""Leduc poker: six cards, two rounds of betting, one card for all.

Rules: F. Southey, M. Bowling, B. Larson, C. Piccione, N. Burch, D. Billings, C. Rayner, "Bayes' bluff: opponent
modelling in poker" (UAI 2005). Jack, queen and king in two suits; both ante 1 and get a card; after a round of betting
a card is turned up for all, and a second round follows. Seat 0 begins each round. A raise is 2 in the first round and 4
in the second, and there are at most two in a round. A pair with the open card wins, else the higher card; equal cards
share the pot. Actions are OpenSpiel's: 0 folds (only what was raised), 1 calls or checks, 2 raises. RLCard's variant,
which PettingZoo plays, is `leduc_holdem`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import RANDOM_FIELD, below
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.leduc import (
    NUM_CARDS,
    draw_card,
    guess_other,
    hand_value,
    next_card,
    redact,
    table_picture,
    write_cards,
)
from games.engine.options import checked_options
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.stakes import Stakes
from games.engine.views import views

FOLD, CALL, RAISE = 0, 1, 2
WORDS = ("fold", "call", "raise")
ANTE, SMALL_BET, MOST_RAISES = 1, 2, 2
LONGEST_ROUND = MOST_RAISES + 2  # check, raise, raise, call
STATE = np.dtype(
    [
        ("cards", np.int8, 3),  # of seat 0, of seat 1, the open one: rank * 2 + suit; -1 not dealt, or unknown
        ("history", np.int8, (2, LONGEST_ROUND)),  # actions of each round, -1 for none
        ("length", np.int8, 2),  # how many there are in each round
        ("paid", np.int8, 2),  # chips of each seat in the pot, the ante included
        ("raises", np.int8),  # in this round
        ("round", np.int8),
        ("folded", np.int8),  # the seat that gave up, -1 none
        ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
        RANDOM_FIELD,
    ]
)
OBSERVATION_SIZE = 2 + 2 * NUM_CARDS + 2 * LONGEST_ROUND * 2


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow folding after a raise, calling, and up to two raises a round."""
    mask[FOLD] = state.paid[0] != state.paid[1]
    mask[CALL] = True
    mask[RAISE] = state.raises < MOST_RAISES


@njit
def random_action(state: Any, bits: Any) -> int:
    """Return a legal action. Legal actions are consecutive: fold is the first, raise the last."""
    first = int(state.paid[0] == state.paid[1])
    return first + below(bits, 2 - first + int(state.raises < MOST_RAISES))


@njit
def apply(state: Any, action: int) -> None:
    """Deal a card, or bet."""
    if state.current_player == CHANCE:
        place = 0
        while state.cards[place] >= 0:
            place += 1
        state.cards[place] = action
        if place > 0:
            state.current_player = 0
        return
    seat, which = state.current_player, state.round
    at = state.length[which]
    state.history[which, at] = action
    state.length[which] = at + 1
    # by arithmetic: branches on what is random would be mispredicted
    folds, raises = action == FOLD, action == RAISE
    closes = (action == CALL) & (at > 0)  # a call that is not the first action ends the round
    chips = state.paid[1 - seat] + (raises * SMALL_BET << which)
    state.paid[seat] = state.paid[seat] if folds else chips
    state.folded = seat if folds else -1
    state.raises = 0 if closes else state.raises + raises
    state.round = 1 if closes else which
    following = CHANCE if closes & (which == 0) else TERMINAL
    state.current_player = following if folds | closes else 1 - seat


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [2], own card [6], open card [6], and four actions for each round: call or raise [2].

    All one-hot, as in OpenSpiel's tensor of the information state. (That a seat folded is seen by the game's end.)
    """
    out[:] = 0
    write_cards(state, seat, out)
    for which in range(2):
        for i in range(state.length[which]):
            if state.history[which, i] != FOLD:
                out[2 + 2 * NUM_CARDS + 2 * (LONGEST_ROUND * which + i) + state.history[which, i] - CALL] = 1


information_state = observe


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the chips won or lost; nothing before the end."""
    if state.current_player != TERMINAL:
        return
    strength = np.int64(0)
    if state.folded >= 0:
        winner = 1 - state.folded
    else:
        strength = hand_value(state, 0) - hand_value(state, 1)
        if strength == 0:
            return
        winner = int(strength < 0)
    lost = state.paid[1 - winner]
    out[winner] = lost
    out[1 - winner] = -lost


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the other a card that is not seen, if it has been dealt one."""
    if state.current_player == TERMINAL or (state.current_player == CHANCE and state.length[0] == 0):
        return
    guess_other(state, seat)


def picture(state: State) -> Picture:
    """Return a row for each player, with its card, and one for the open card; the actions stand below."""
    notes = [", ".join(WORDS[a] for a in state["history"][i, : state["length"][i]]) for i in range(2)]
    pot = f"in the pot: {state['paid'][0]} and {state['paid'][1]}"
    return table_picture(state, len(WORDS), (*notes, pot))


def action_text(state: State, action: int) -> str:
    """Return `fold`, `call` or `raise`."""
    return WORDS[action]


def parse_action(state: State, text: str) -> int:
    """Read `fold`, `call` or `check`, `raise` or `bet`, or the first letter of `fold`, `call`, `raise`."""
    word = text.strip().lower()
    word = {"check": "call", "bet": "raise"}.get(word, word)
    for action, name in enumerate(WORDS):
        if word in (name, name[0]):
            return action
    raise UsageError(f"{text.strip()!r} is no action here; type a word, fold, call or raise")


@checked_options
def game() -> CompiledGame:
    """Describe the game."""
    initial = np.zeros((), STATE)
    initial["cards"] = initial["history"] = initial["folded"] = -1
    initial["paid"] = ANTE
    initial["current_player"] = CHANCE
    return CompiledGame(
        name="leduc_poker",
        title="Leduc poker",
        options={},
        agents=("player_0", "player_1"),
        num_actions=len(WORDS),
        observation_shape=(OBSERVATION_SIZE,),
        max_length=2 * LONGEST_ROUND,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            random_action=random_action,
            chance_outcomes=next_card,
            draw_outcome=draw_card,
            redact=redact,
            determinize=determinize,
            information_state=observe,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=NUM_CARDS,
        information_shape=(OBSERVATION_SIZE,),
        perfect_information=False,
        stakes=Stakes(chips=1, blind=ANTE, unit="ante"),
    )


env, raw_env, parallel_env = views(game)
