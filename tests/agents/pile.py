"""A game in which turns do not alternate: taking one counter of the pile keeps the turn, taking two or three ends it.

Whoever takes the last counter pays the other 1, and 2 if that was more than one counter.
"""

import numpy as np
from numba import njit

from games.engine.compiled import CompiledGame
from games.engine.game import TERMINAL
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset

DTYPE = np.dtype([("pile", np.int8), ("paid", np.int8, (2,)), ("current_player", np.int8)])


@njit
def legal_actions(state, mask):
    for action in range(mask.shape[0]):
        mask[action] = action < state.pile


@njit
def apply(state, action):
    seat = state.current_player
    state.pile -= action + 1
    if state.pile == 0:
        state.paid[seat] = -1 if action == 0 else -2
        state.paid[1 - seat] = -state.paid[seat]
        state.current_player = TERMINAL
    elif action > 0:
        state.current_player = 1 - seat


@njit
def observe(state, seat, out):
    out[0] = state.pile


@njit
def returns(state, out):
    for seat in range(2):
        out[seat] = state.paid[seat]


def action_text(state, action):
    return str(action + 1)


def parse_action(state, text):
    return int(text) - 1


def empty_picture(num_actions):
    """A board of one empty cell, on which no action has a place."""
    return Picture(np.full((1, 1), -1), np.full((1, 1), -1), np.full((num_actions, 2), -1), ("",), ("",))


def game(pile: int = 9) -> CompiledGame:
    return CompiledGame(
        name="pile",
        title="Pile",
        options={"pile": pile},
        agents=("first", "second"),
        num_actions=3,
        observation_shape=(1,),
        max_length=pile,
        initial=np.array((pile, (0, 0), 0), DTYPE),
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
        ),
        picture=lambda state: empty_picture(3),
        action_text=action_text,
        parse_action=parse_action,
    )
