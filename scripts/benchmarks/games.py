"""Random legal moves: our vector environment beside PettingZoo's own games."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from classic import classic

import games
from benchmarks.measure import Peer, Row, Work, missing, rate
from benchmarks.native import BOARDS, batch
from games.engine.registry import make_game


def rows() -> Iterator[Row]:
    """Measure every game that PettingZoo has too, beside its `env()` and its `raw_env()`."""
    for name in ("connect_four", "tic_tac_toe"):
        for constructor in ("env", "raw_env"):
            work = f"{name}, {BOARDS:,} boards: random legal moves, observations, masks, resets"
            yield rate("games", work, "moves/s", batch(name), pettingzoo(name, constructor))
    for name in ("tic_tac_toe", "connect_four", "rock_paper_scissors", "leduc_holdem"):
        ours = aec_moves(getattr(games, name).env())
        yield rate("games", f"{name}: one game by the loop of an AEC environment", "moves/s", ours, pettingzoo(name))


def pettingzoo(name: str, constructor: str = "env") -> Peer:
    """Return PettingZoo's own game."""
    zoo = make_game(name).pettingzoo_name
    title = f"PettingZoo {zoo}.{constructor}()"
    if (absent := missing(title, "pygame", *(["rlcard"] if "holdem" in name else []))) is not None:
        return absent
    return Peer(title, aec_moves(getattr(classic(str(zoo)), constructor)()))


def aec_moves(env: Any) -> Work:
    """Play one game from start to end, by the loop of PettingZoo's documentation."""
    rng = np.random.default_rng(0)

    def play() -> int:
        moves = 0
        env.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                masked = isinstance(observation, dict)
                legal = observation["action_mask"].nonzero()[0] if masked else range(env.action_space(agent).n)
                env.step(int(legal[int(rng.random() * len(legal))]))
                moves += 1
        return moves

    return play
