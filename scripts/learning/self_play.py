"""Tic-tac-toe on 3 x 3 by self-play alone, both seats with the same weights, against a perfect player.

The score is the share of 400 fresh games, 200 in either seat, that are not lost to alpha-beta at full depth, which
chooses at random among the best moves.
"""

from copy import deepcopy
from typing import Any

import numpy as np

from agents.algorithms import alphazero, ppo
from agents.search.alphabeta import AlphaBetaPolicy
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import GameVectorEnv
from arena.policy import BasePolicy, MultiAgentPolicyManager
from arena.policy.registration import Spaces
from arena.policy.registry import make_game
from arena.trainer import OffpolicyTrainer, OnpolicyTrainer
from arena.trainer.base import Hooks, Schedule
from learning.running import Check, Outcome, seed_everything

GAME, BOARDS, MOVES, GAMES = "tic_tac_toe", 128, 16, 200
EPOCHS, STEPS = 30, 50_000
CONFIG = ppo.PPOConfig(  # much entropy, to meet every opening
    learning_rate=1e-3, discount_factor=1.0, gae_lambda=0.9, ent_coef=0.1, batch_size=1024, repeat=4, hidden=128
)


def train(seed: int) -> Outcome:
    """Learn from self-play until no test game is lost; score the best of these tests again with fresh games."""
    seed_everything(seed)
    game = make_game(GAME)
    policy = ppo.build(Spaces.of_game(game), CONFIG, True)
    manager = MultiAgentPolicyManager([policy, policy])
    buffer = VectorReplayBuffer(2 * BOARDS * (MOVES + 1), 2 * BOARDS)
    collector = Collector(manager, GameVectorEnv(game, BOARDS), buffer)
    plan = Schedule(EPOCHS, STEPS, CONFIG.batch_size, BOARDS * MOVES, verbose=False)
    trainer = OnpolicyTrainer(
        manager, collector, None, plan, CONFIG.repeat, Hooks(reward_metric=lambda returns: returns[:, 0])
    )
    best: tuple[float, Any] = -1.0, None
    for _ in trainer:
        score = not_lost(policy)
        if score > best[0]:
            best = score, deepcopy(policy.state_dict())
        if score == 1.0:
            break
    policy.load_state_dict(best[1])
    return Outcome(not_lost(policy), trainer.step)


def not_lost(policy: BasePolicy) -> float:
    """Return the share of games not lost, in evaluation mode; leave the policy in training mode."""
    game, lost = make_game(GAME), 0
    for seat in range(2):
        players: list[Any] = [
            AlphaBetaPolicy(game, depth=game.max_length),
            AlphaBetaPolicy(game, depth=game.max_length),
        ]
        players[seat] = policy
        manager = MultiAgentPolicyManager(players, learners=[])
        policy.eval()
        returns = Collector(manager, GameVectorEnv(game, GAMES)).collect(n_episode=GAMES).returns
        lost += int(np.sum(returns[:, seat] < 0))
        policy.train()
    return 1.0 - lost / (2 * GAMES)


SEARCH = alphazero.AlphaZeroConfig(simulations=32, full_share=1.0, hidden=256)
SEARCHED, SEARCH_BOARDS = 40_000, 64


def train_alphazero(seed: int) -> Outcome:
    """Learn from a fixed number of searched moves, and score the agent, which searches in tests as well."""
    seed_everything(seed)
    game = make_game(GAME)
    policy = alphazero.build(Spaces.of_game(game), SEARCH, True)
    manager = MultiAgentPolicyManager([policy, policy])
    buffer = VectorReplayBuffer(SEARCHED, 2 * SEARCH_BOARDS)
    collector = Collector(manager, GameVectorEnv(game, SEARCH_BOARDS), buffer)
    plan = Schedule(1, SEARCHED, SEARCH.batch_size, SEARCH_BOARDS, verbose=False)
    hooks = Hooks(reward_metric=lambda returns: returns[:, 0])
    trainer = OffpolicyTrainer(manager, collector, None, plan, SEARCH.update_per_step, hooks)
    trainer.run()
    return Outcome(not_lost(policy), trainer.step)


ROWS = [
    Check("ppo", "tic-tac-toe 3x3, self-play", 1.0, train),
    Check("alphazero", "tic-tac-toe 3x3, self-play", 1.0, train_alphazero),
]
