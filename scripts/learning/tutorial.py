"""The tutorial, as `scripts/tic_tac_toe.py` has it: 6 x 6, four in a row, DQN moves second, a random player first.

The score is the mean reward of 400 fresh games without exploration.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import tic_tac_toe as tutorial

from arena.collector import Collector
from arena.env import GameVectorEnv
from arena.policy import MultiAgentPolicyManager, RandomPolicy
from learning.running import Check, Outcome

GAMES = 400


def train(seed: int) -> Outcome:
    """Train as the tutorial does, and score the final policy."""
    with TemporaryDirectory() as log:
        policy, figures = tutorial.train(seed, Path(log))
    table = MultiAgentPolicyManager([RandomPolicy(), policy], learners=[]).eval()
    returns = Collector(table, GameVectorEnv(tutorial.GAME, 100)).collect(n_episode=GAMES).returns
    return Outcome(float(returns[:, tutorial.SEAT].mean()), int(figures["train_step"]))


ROWS = [Check("dqn", "tic-tac-toe 6x6, the tutorial", 0.9, train)]
