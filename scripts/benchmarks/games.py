"""Random legal moves: our vector environment beside PettingZoo's own games."""

import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.measure import Peer, Row, Work, missing, rate
from benchmarks.native import BOARDS, batch
from games.engine.registry import make_game


def rows() -> Iterator[Row]:
    """Every game that PettingZoo has as well, beside its `env()` and its `raw_env()`."""
    for name in ("connect_four", "tic_tac_toe"):
        for constructor in ("env", "raw_env"):
            work = f"{name}, {BOARDS:,} boards: random legal moves, observations, masks, resets"
            yield rate("games", work, "moves/s", batch(name), pettingzoo(name, constructor))


def pettingzoo(name: str, constructor: str) -> Peer:
    """PettingZoo's own game."""
    zoo = make_game(name).pettingzoo_name
    title = f"PettingZoo {zoo}.{constructor}()"
    return missing(title, "pygame") or Peer(title, pettingzoo_moves(zoo, constructor))


def pettingzoo_moves(zoo: str | None, constructor: str) -> Work:
    """Theirs: one game from its start to its end, by the loop of its documentation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about its own import path
        env: Any = getattr(import_module(f"pettingzoo.classic.{zoo}"), constructor)()
    rng = np.random.default_rng(0)

    def play() -> int:
        moves = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(rng.random() * len(legal))]))
                moves += 1
        return moves

    return play
