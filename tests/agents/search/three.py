"""A game of three: each in turn takes one or two counters; who takes the last gets 2 from the one who moved before."""

import numpy as np
from numba import njit

from games.engine.compiled import CompiledGame
from games.engine.game import TERMINAL
from games.engine.ruleset import Ruleset
from tests.agents.pile import action_text, empty_picture, legal_actions, observe, parse_action

DTYPE = np.dtype([("pile", np.int8), ("before", np.int8), ("paid", np.int8, (3,)), ("current_player", np.int8)])


@njit
def apply(state, action):
    seat = state.current_player
    state.pile -= action + 1
    if state.pile == 0:
        state.paid[seat] = 2
        state.paid[state.before] = -2
        state.current_player = TERMINAL
    else:
        state.before = seat
        state.current_player = (seat + 1) % 3


@njit
def returns(state, out):
    for seat in range(3):
        out[seat] = state.paid[seat]


def game(pile: int = 11) -> CompiledGame:
    return CompiledGame(
        name="three",
        title="Three",
        options={"pile": pile},
        agents=("first", "second", "third"),
        num_actions=2,
        observation_shape=(1,),
        observation_high=pile,
        max_length=pile,
        initial=np.array((pile, 2, (0, 0, 0), 0), DTYPE),
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
        ),
        picture=lambda state: empty_picture(2),
        action_text=action_text,
        parse_action=parse_action,
    )
