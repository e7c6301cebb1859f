"""Positions of all games of the catalogue, with the texts of their legal moves."""

from collections.abc import Iterator

import numpy as np

import games
from arena.env.make import vector_games
from games.engine.registry import GAMES


def positions(name: str, count: int, seed: int = 0) -> Iterator[tuple[object, np.ndarray, list[int], list[str]]]:
    """Yield `count` positions of random games: game, position, legal actions and their texts."""
    game, rng = games.make(name), np.random.default_rng(seed)
    size = 16
    env = vector_games(game, size)
    env.reset(seed=list(range(size)))
    row, begun = 0, size
    for _ in range(count):
        legal = np.flatnonzero(env.mask[row]).tolist()
        yield game, env.states[row], legal, [game.action_text(env.states[row], action) for action in legal]
        env.step([int(rng.choice(legal))], np.array([row]))
        if env.over[row]:
            env.reset(id=np.array([row]), seed=[begun])
            begun += 1
        row = (row + 1) % size


def catalogue() -> list[str]:
    """Return the names of all games whose moves are numbered."""
    return [name for name in sorted(GAMES.names()) if games.make(name).action_box is None]
