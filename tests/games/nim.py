"""A tiny game for tests of the engine: take one or two of five stones in turn; whoever takes the last one wins."""

from typing import Any

import numpy as np
from numba import njit

from games.engine.compiled import CompiledGame
from games.engine.game import TERMINAL
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset

GAMES = {"nim": f"{__name__}:game"}
PRIZE = 1
STATE = np.dtype([("stones", np.int8), ("current_player", np.int8), ("mover", np.int8)])


@njit
def legal_actions(state, mask):
    for action in range(2):
        mask[action] = action < state.stones


@njit
def apply(state, action):
    state.stones -= taken(action)
    state.mover = state.current_player
    state.current_player = TERMINAL if state.stones == 0 else 1 - state.current_player


@njit
def taken(action):
    return action + 1


@njit
def observe(state, seat, out):
    out[0] = state.stones


@njit
def returns(state, out):
    if state.stones == 0:
        out[state.mover] = PRIZE
        out[1 - state.mover] = -PRIZE


def picture(state: Any) -> Picture:
    stones = np.zeros((1, 5), np.int8) - (np.arange(5) >= state["stones"])
    return Picture(stones, np.full((1, 5), -1), np.full((2, 2), -1), ("",), ("",) * 5)


def game() -> CompiledGame:
    initial = np.zeros((), STATE)
    initial["stones"] = 5
    return CompiledGame(
        name="nim",
        title="Nim",
        options={},
        agents=("first", "second"),
        num_actions=2,
        observation_shape=(1,),
        max_length=5,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
        ),
        picture=picture,
        action_text=lambda state, action: str(action + 1),
        parse_action=lambda state, text: int(text) - 1,
    )
