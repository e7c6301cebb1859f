"""One match of every registered game in readable text, kept in the folder `golden` and compared on every run.

`python -m tests.games.transcript` writes the files anew; review what changed as a diff.
"""

import zlib
from pathlib import Path

import numpy as np

from arena.env.native import GameVectorEnv
from games.engine.registry import GAMES, make_game
from tests.games.playing import random_line

SHOWN_WHOLE = 150
"""Positions of a game that are shown before it is every tenth one."""
LONGEST_LIST = 256
FOLDER = Path(__file__).with_name("golden")
SHORT = {"go": "go:size=5"}
"""What is recorded of games that would fill books."""


def transcript(name: str) -> str:
    """The random game of seed 1: every position as a board, with its legal actions and what was played."""
    spec = SHORT.get(name, name)
    game = make_game(spec)
    env = GameVectorEnv(game, 1)
    obs, _ = env.reset(seed=1)
    lines = [game.label]
    total = np.zeros(game.num_players)
    for number, action in enumerate(random_line(spec, seed=1), start=1):
        state = env.states[0]
        legal = " ".join(game.action_text(state, a) for a in np.flatnonzero(obs.mask[0]))
        mover, played = game.agents[env.seats[0]], game.action_text(state, action)
        lines += ["", f"{number}. {mover} plays {played} (action {action}); legal: {legal}"]
        obs, rewards, _, _, _ = env.step([action])
        total += rewards[0]
        if number > SHOWN_WHOLE and number % 10:
            continue
        lines += [game.picture(env.states[0]).text(ascii_only=True)]
        lines += [
            f"{agent} sees {digest(view)}" for agent, view in zip(game.agents, env.final_obs().obs[0], strict=True)
        ]
    returns = ", ".join(f"{agent} {value:+g}" for agent, value in zip(game.agents, total, strict=True))
    return "\n".join([*lines, "", f"returns: {returns}", ""])


def digest(view: np.ndarray) -> str:
    """An observation in a few signs: the numbers of its entries that are not zero, or of very many a checksum."""
    numbers = np.flatnonzero(view)
    if len(numbers) > LONGEST_LIST:
        return f"{len(numbers)} entries ({zlib.crc32(numbers.astype('<i8').tobytes()):08x})"
    return ",".join(map(str, numbers))


if __name__ == "__main__":
    for name in GAMES.names():
        (FOLDER / f"{name}.txt").write_text(transcript(name), encoding="utf-8")
