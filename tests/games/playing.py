"""Helpers of the game tests: every registered game (and odd board sizes), and random games of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.env.native import GameVectorEnv
from games.engine.batch import new_games
from games.engine.compiler import kernels
from games.engine.game import TERMINAL, Game
from games.engine.registry import GAMES, make_game

SPECS = [
    *GAMES.names(),
    "breakthrough:rows=5,columns=9",
    "connect_four:rows=4,columns=5,k=3",
    "gin_rummy:knock_reward=0.25,gin_reward=2.0,opponents_hand_visible=true",
    "go:size=5,komi=0.5,ko=simple",
    "goofspiel:players=3,cards=4,points_order=descending",
    "goofspiel:cards=6,imp_info=true",
    "hanabi:players=3,colors=2,hand_size=2,max_information_tokens=3",
    "matrix_game:payoffs=1 2 3;4 5 0.5,rounds=5",
    "kuhn_poker:players=3",
    "liars_dice:players=3,dice=2,sides=3,wild=false",
    "pig:players=3,target=30,sides=4,horizon=60",
    "texas_holdem:num_players=3",
    "texas_holdem_no_limit:num_players=5,rules=real,stacks=100 37 8 200 51,blinds=2 5",
    "tic_tac_toe:m=4,n=6,k=4",
    "tic_tac_toe:m=4,players=3",
    "tron:players=4,rows=6,columns=7",
]
"""Every game, and again with options that change its seats, the shape of its board or what is hidden."""

SAME_SHAPE = [
    "backgammon:scoring=full",
    "chess:draws=pettingzoo",
    "checkers:draw_after=3",
    "gomoku:size=7,overline=false",
    "hex:size=5,swap=false",
    "kalah:houses=4,empty_capture=true",
    "othello:size=6",
]
"""Games with other options. Tests of their rules compile them; of what all games promise, `games.check` is enough."""

SHARED = ["tic_tac_toe", "leduc_poker", "rock_paper_scissors", "kuhn_poker:players=3"]
"""Open, hidden, simultaneous, of three seats: for what the engine does for every game before its rules are asked."""


def random_actions(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action for each row of `mask` [B, A]."""
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def second_legal(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The second legal action for each row of `mask` [B, A], or the only one; the first may be to give up."""
    wanted = np.minimum(2, mask.sum(axis=1, keepdims=True))
    return (mask & (mask.cumsum(axis=1) == wanted)).argmax(axis=1)


def random_line(spec: str, seed: int) -> list[int]:
    """The actions of one random game, from its start to its end; chance is seeded alike."""
    env = GameVectorEnv(make_game(spec), 1)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    line: list[int] = []
    while not env.over[0]:
        line.append(int(random_actions(env.mask, rng)[0]))
        env.step(line[-1:])
    return line


def positions(game: Game, seed: int) -> Iterator[tuple[NDArray[np.void], NDArray[np.bool_]]]:
    """Every position of one random game: a state of shape () and its legal actions [A]."""
    env = GameVectorEnv(game, 1)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    yield env.states[0].copy(), env.mask[0].copy()
    while not env.over[0]:
        env.step(random_actions(env.mask, rng))
        yield env.states[0].copy(), env.mask[0].copy()


def children(game: Game, states: NDArray[np.void]) -> NDArray[np.void]:
    """The positions that one action leads to from `states` [B] (not from the finished ones), with repetitions."""
    states = states[states["current_player"] != TERMINAL]
    observations = np.empty((len(states), game.num_players, *game.observation_shape), game.observation_dtype)
    masks = np.empty((len(states), game.num_players, game.num_actions), np.bool_)
    kernels(game).observe_all(states, np.arange(len(states)), observations, masks)
    parents, actions = np.nonzero(masks.any(axis=1))
    after = states[parents]
    n = len(after)
    kernels(game).step(
        new_games(game, n)._replace(states=after),
        np.arange(n),
        actions,
        np.empty((n, *game.observation_shape), game.observation_dtype),
        np.empty((n, game.num_players), np.float32),
        game.chance_scratch(),
    )
    return after


def line_to_an_illegal_action(game: Game) -> tuple[list[int], int]:
    """Actions that lead to a position in which the action returned with them is illegal, chance seeded with 0.

    Skips the test if the game, in some hundred random games, never has one.
    """
    for seed in range(300):
        line: list[int] = []
        rng = np.random.default_rng(seed)
        env = GameVectorEnv(game, 1)
        env.reset(seed=0)
        while not env.over[0]:
            if not env.mask.all():
                return line, int(env.mask[0].argmin())
            line.append(int(random_actions(env.mask, rng)[0]))
            env.step(line[-1:])
    pytest.skip(f"in {game.label} everything is always legal")


def parts(observation: Any) -> dict[str, NDArray[Any]]:
    """The arrays of an observation, one of a bare number included."""
    return observation if isinstance(observation, dict) else {"observation": observation}


def aec_views(env: Any) -> dict[str, Any]:
    """Return all views of an AEC environment, as plain Python values that compare with ==."""
    views = {agent: {k: v.tolist() for k, v in parts(env.observe(agent)).items()} for agent in env.possible_agents}
    return {
        "observations": views,
        "agents": list(env.agents),
        "agent_selection": env.agent_selection if env.agents else None,
        "rewards": dict(env.rewards),
        "cumulative": env.last(observe=False)[1] if env.agents else None,
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
    }
