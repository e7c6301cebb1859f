"""Compile the games that many tests share, before the tests begin.

    python -m tests.compile_games PROCESSES

A process keeps 30 to 80 MB for each game that it compiles, and 2 to 7 MB for one that it loads from the cache. So
short-lived processes compile here, and the workers of the tests load.
"""

import sys
from multiprocessing import get_context

import numpy as np

from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.policy.registry import make_agent
from games.engine.check import find_problems
from games.engine.registry import make_game
from tests.games.playing import SAME_SHAPE, SPECS

SEARCHES = {
    "one-ply": ["tic_tac_toe", "connect_four", "othello"],
    "alphabeta:1": ["tic_tac_toe", "connect_four", "chess", "go", "othello", "checkers", "breakthrough", "backgammon"],
    "mcts:1": ["tic_tac_toe", "connect_four", "chess", "go", "othello", "kalah", "pig", "backgammon"],
    "rave:1": ["tic_tac_toe", "go"],
    "ismcts:1": ["kuhn_poker", "leduc_poker", "liars_dice", "goofspiel", "tron", "rock_paper_scissors"],
}
"""Agents that are compiled for a game, with the games."""
GAMES_A_PROCESS = 8
"""Games after which a process ends, and gives its memory back."""


def compile_game(spec: str) -> None:
    """Play a game as its contract tests do, and have searches look at its first position."""
    game = make_game(spec)
    for _ in find_problems(game, 1):
        pass
    env = GameVectorEnv(game, 1)
    obs, _ = env.reset(seed=0)
    env.joint_masks()
    for agent, searched in SEARCHES.items():
        if spec in searched:
            seen = Batch(obs, state=env.positions())
            make_agent(agent, game).forward(Batch(obs=seen))
    env.step([int(np.flatnonzero(env.mask[0])[0])])


def main() -> None:
    """Compile all games, by so many processes side by side."""
    with get_context("spawn").Pool(int(sys.argv[1]), maxtasksperchild=GAMES_A_PROCESS) as processes:
        processes.map(compile_game, [*SPECS, *SAME_SHAPE], chunksize=1)


if __name__ == "__main__":
    main()
