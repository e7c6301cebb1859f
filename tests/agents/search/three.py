"""A game of three: each in turn takes one or two counters; who takes the last gets 2 from the one who moved before."""

import numpy as np
from numba import njit

from games.engine.compiled import CompiledGame
from games.engine.game import TERMINAL
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset

DTYPE = np.dtype([("pile", np.int8), ("before", np.int8), ("paid", np.int8, (3,)), ("current_player", np.int8)])


@njit
def legal_actions(state, mask):
    for action in range(mask.shape[0]):
        mask[action] = action < state.pile


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
def observe(state, seat, out):
    out[0] = state.pile


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
        picture=lambda state: Picture(np.full((1, 1), -1), np.full((1, 1), -1), np.full((2, 2), -1), ("",), ("",)),
        action_text=lambda state, action: str(action + 1),
        parse_action=lambda state, text: int(text) - 1,
    )
