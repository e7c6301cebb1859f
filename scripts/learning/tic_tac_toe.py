"""Tic-tac-toe on 3 x 3 against a random player, from both seats, through the manager.

The score is the share of wins and draws in 400 fresh games, at the seat where it is lower.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.algorithms import discrete_sac
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import GameVectorEnv
from arena.policy import BasePolicy, MultiAgentPolicyManager, RandomPolicy
from arena.policy.registration import Algorithm, Spaces
from arena.policy.registry import learning_algorithm, make_game
from arena.trainer import OffpolicyTrainer, OnpolicyTrainer
from arena.trainer.base import Hooks, Schedule
from learning.running import Check, Outcome, seed_everything

GAME, BOARDS, GAMES = "tic_tac_toe", 16, 400
COMMON: dict[str, Any] = {
    "estimation_step": 1,
    "target_update_freq": 100,
    "batch_size": 64,
    "update_per_step": 0.125,
    "eps": 0.3,
    "hidden": 64,
}
"""Much exploration, even for Rainbow: the noise of its weights alone visits too few positions."""

SOFT = discrete_sac.DiscreteSACConfig(
    hidden=64, batch_size=64, update_per_step=0.125, gamma=0.95, estimation_step=1, alpha=0.1
)


@dataclass(frozen=True)
class GameTraining:
    """Trains a learner against a random player; each seat is the learner's on half of the boards."""

    algorithm: Algorithm
    config: Any
    steps: int
    moves: int = 1
    """Steps of each board between two updates."""

    def __call__(self, seed: int) -> Outcome:
        """Train from a seed and score."""
        seed_everything(seed)
        policy = self.algorithm.build(Spaces.of_game(make_game(GAME)), self.config, True)
        seats = np.array([[0, 1], [1, 0]] * (BOARDS // 2))
        manager = MultiAgentPolicyManager([policy, RandomPolicy()], mapping=seats)
        off_policy = self.algorithm.data == "off-policy"
        size = self.config.buffer_size if off_policy else 2 * BOARDS * (self.moves + 1)
        buffer = VectorReplayBuffer(size, 2 * BOARDS)
        collector = Collector(manager, GameVectorEnv(GAME, BOARDS), buffer, exploration_noise=off_policy)
        plan = Schedule(1, self.steps, self.config.batch_size, BOARDS * self.moves, verbose=False)
        hooks = Hooks(reward_metric=lambda returns: returns[:, 0])
        if off_policy:
            trainer: Any = OffpolicyTrainer(manager, collector, None, plan, self.config.update_per_step, hooks)
        else:
            trainer = OnpolicyTrainer(manager, collector, None, plan, self.config.repeat, hooks)
        trainer.run()
        return Outcome(min(not_lost(policy, seat) for seat in range(2)), trainer.step)


def not_lost(policy: BasePolicy, seat: int) -> float:
    """Return the share of games won or drawn, in evaluation mode."""
    players = [policy, RandomPolicy()]
    manager = MultiAgentPolicyManager(players[::-1] if seat else players, learners=[])
    manager.eval()
    returns = Collector(manager, GameVectorEnv(GAME, 100)).collect(n_episode=GAMES).returns
    return float((returns[:, seat] >= 0).mean())


def off_policy(name: str, algorithm: Algorithm, **options: Any) -> Check:
    """Return the row of an algorithm that learns action values."""
    return Check(name, "tic-tac-toe 3x3", 0.9, GameTraining(algorithm, algorithm.config(**COMMON | options), 60_000))


def on_policy(name: str, algorithm: Algorithm, steps: int, moves: int, **options: Any) -> Check:
    """Return the row of an on-policy algorithm; half of what it collects are its own moves."""
    config = algorithm.config(**{"hidden": 128, "channels": 0, "batch_size": BOARDS * moves} | options)
    return Check(name, "tic-tac-toe 3x3", 0.9, GameTraining(algorithm, config, steps, moves))


ROWS = [
    off_policy("dqn", learning_algorithm("dqn")),
    off_policy("c51", learning_algorithm("c51"), num_atoms=21),
    off_policy("rainbow", learning_algorithm("rainbow"), num_atoms=21),
    off_policy("qrdqn", learning_algorithm("qrdqn"), num_quantiles=16),
    off_policy("iqn", learning_algorithm("iqn")),
    off_policy("fqf", learning_algorithm("fqf"), num_fractions=8),
    on_policy("pg", learning_algorithm("pg"), 2_400_000, moves=64, learning_rate=2e-3, discount_factor=0.95),
    on_policy(
        "a2c", learning_algorithm("a2c"), 800_000, moves=16, learning_rate=1e-3, ent_coef=0.03, discount_factor=0.9
    ),
    on_policy(
        "ppo", learning_algorithm("ppo"), 300_000, moves=64, batch_size=256, repeat=4, learning_rate=2e-3, ent_coef=0.03
    ),
    on_policy(
        "npg",
        learning_algorithm("npg"),
        800_000,
        moves=64,
        actor_step_size=0.5,
        optim_critic_iters=20,
        discount_factor=0.9,
    ),
    on_policy(
        "trpo", learning_algorithm("trpo"), 400_000, moves=64, max_kl=0.05, optim_critic_iters=20, discount_factor=0.95
    ),
    Check("discrete-sac", "tic-tac-toe 3x3", 0.9, GameTraining(learning_algorithm("discrete-sac"), SOFT, 60_000)),
]
