"""A first move that does not count, before any clock runs."""

import threading

import numpy as np

from arena.env.make import vector_games
from arena.match.ask import ask, begin, view
from arena.policy.protocol import Policy
from games.engine.game import Game


def warm_up(game: Game, policy: Policy) -> None:
    """Make one move to load and compile a policy's code, and hurry it all the while."""
    done = threading.Event()

    def hurry() -> None:
        while not done.wait(0.05):
            policy.hurry()

    threading.Thread(target=hurry, daemon=True).start()
    try:
        _first_move(game, policy)
    finally:
        done.set()


def _first_move(game: Game, policy: Policy) -> None:
    env = vector_games(game, 1)
    env.reset(seed=0)
    begin(policy, 0)
    nothing = np.zeros((1, 0), game.action_dtype), np.zeros(1, np.int64)
    ask(game, policy, view(env, np.zeros(1, np.int64), policy, *nothing))
