"""What the game tests share: every registered game (and odd board sizes), and random games of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.env.native import GameVectorEnv
from games.engine.game import Game
from games.engine.registry import GAMES, make_game

SPECS = [*GAMES.names(), "connect_four:rows=4,columns=5,k=3", "tic_tac_toe:m=4,n=6,k=4"]


def random_actions(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action for each row of `mask` [B, A]."""
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def random_line(spec: str, seed: int) -> list[int]:
    """The actions of one random game, from its start to its end."""
    env = GameVectorEnv(make_game(spec), 1)
    env.reset()
    rng = np.random.default_rng(seed)
    line: list[int] = []
    while not env.over[0]:
        line.append(int(random_actions(env.mask, rng)[0]))
        env.step(line[-1:])
    return line


def positions(game: Game, seed: int) -> Iterator[tuple[NDArray[np.void], NDArray[np.bool_]]]:
    """Every position of one random game: a state of shape () and its legal actions [A]."""
    env = GameVectorEnv(game, 1)
    env.reset()
    rng = np.random.default_rng(seed)
    yield env.states[0].copy(), env.mask[0].copy()
    while not env.over[0]:
        env.step(random_actions(env.mask, rng))
        yield env.states[0].copy(), env.mask[0].copy()


def line_to_an_illegal_action(game: Game) -> tuple[list[int], int]:
    """Actions that lead to a position in which the action returned with them is illegal."""
    for seed in range(1000):
        line: list[int] = []
        rng = np.random.default_rng(seed)
        env = GameVectorEnv(game, 1)
        env.reset()
        while not env.over[0]:
            if not env.mask.all():
                return line, int(env.mask[0].argmin())
            line.append(int(random_actions(env.mask, rng)[0]))
            env.step(line[-1:])
    raise AssertionError(f"no illegal action in 1000 random games of {game.label}")


def aec_views(env: Any) -> dict[str, Any]:
    """All that an AEC environment tells, as plain Python values that compare with ==."""
    told = {agent: {k: v.tolist() for k, v in env.observe(agent).items()} for agent in env.possible_agents}
    return {
        "observations": told,
        "agents": list(env.agents),
        "agent_selection": env.agent_selection if env.agents else None,
        "rewards": dict(env.rewards),
        "cumulative": env.last(observe=False)[1] if env.agents else None,
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
    }
