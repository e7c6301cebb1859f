"""Positions of all games of the catalogue, with the texts of their legal moves."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import games
from arena.env.make import vector_games
from games.engine.registry import GAMES

MOST_PLIES = 800
"""Moves after which a random game is taken to be over: longest are those of chess, at most about so long."""


def positions(name: str, count: int, seed: int = 0) -> Iterator[tuple[Any, np.ndarray, list[int], list[str], bool]]:
    """Yield `count` positions: game, position, legal actions, their texts, and whether a game ended since the last one.

    They are spread over random games from the beginning to the end: of long games only some positions are taken.
    """
    game, rng = games.make(name), np.random.default_rng(seed)
    length = min(game.max_length, MOST_PLIES)
    size = 16 if 16 * length <= count else 2
    stride = max(1, -(-size * length // count))
    env = vector_games(game, size)
    env.reset(seed=list(range(size)))
    begun, ended = size, False
    for number in itertools.count():
        row = number % size
        legal = np.flatnonzero(env.mask[row]).tolist()
        if number // size % stride == 0:
            texts = [game.action_text(env.states[row], action) for action in legal]
            yield game, env.states[row], legal, texts, ended
            ended, count = False, count - 1
            if count == 0:
                return
        env.step([int(rng.choice(legal))], np.array([row]))
        if env.over[row]:
            env.reset(id=np.array([row]), seed=[begun])
            begun, ended = begun + 1, True


def catalogue() -> list[str]:
    """Return the names of all games whose moves are numbered."""
    return [name for name in sorted(GAMES.names()) if games.make(name).action_box is None]
