"""The tic-tac-toe tutorial: two random agents, then DQN against random on 6x6, four in a row, as the second player.

python scripts/tic_tac_toe.py            train, save to log/tic_tac_toe, and watch a game
python scripts/tic_tac_toe.py --watch    load what was saved, and watch it play against itself
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_model, save_model
from torch.utils.tensorboard import SummaryWriter

from agents.algorithms.dqn import DQNPolicy
from agents.networks.common import Net
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import GameVectorEnv
from arena.policy import MultiAgentPolicyManager, Policy, RandomPolicy
from arena.policy.registry import make_game
from arena.trainer import offpolicy_trainer
from arena.trainer.logger import TensorboardLogger

GAME = make_game("tic_tac_toe", m=6, n=6, k=4)
LOG = Path("log/tic_tac_toe")
SEAT = 1  # the learner moves second


def make_dqn() -> DQNPolicy:
    net = Net(GAME.observation_shape, GAME.num_actions, hidden_sizes=[128] * 4)
    return DQNPolicy(net, torch.optim.Adam(net.parameters(), 1e-3), 0.9, estimation_step=3, target_update_freq=320)


def watch(first: Policy, second: Policy) -> None:
    """Show a game of two policies move by move."""
    manager = MultiAgentPolicyManager([first, second], learners=[]).eval()
    stats = Collector(manager, GameVectorEnv(GAME, 1)).collect(n_episode=1, render=0.1)
    print(f"Final reward: {stats.returns[0].tolist()}, length: {stats.lens[0]}")


def train(seed: int = 1626, log: Path = LOG) -> tuple[DQNPolicy, dict[str, float | str]]:
    """Train DQN as second player until its mean reward against a random first player is 0.9; log to `log`."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # small networks are fastest on one
    dqn = make_dqn()
    envs, test_envs = GameVectorEnv(GAME, 10), GameVectorEnv(GAME, 100)
    manager = MultiAgentPolicyManager([RandomPolicy(), dqn], envs)
    # one learner in ten environments: ten sub-buffers
    collector = Collector(manager, envs, VectorReplayBuffer(20_000, 10), exploration_noise=True)
    test_collector = Collector(manager, test_envs, exploration_noise=True)
    collector.collect(n_step=640, random=True)
    log.mkdir(parents=True, exist_ok=True)
    result = offpolicy_trainer(
        manager,
        collector,
        test_collector,
        max_epoch=20,
        step_per_epoch=3000,
        step_per_collect=10,
        episode_per_test=100,
        batch_size=64,
        update_per_step=0.1,
        train_fn=lambda epoch, step: dqn.set_eps(0.1),
        test_fn=lambda epoch, step: dqn.set_eps(0.05),
        stop_fn=lambda mean_reward: mean_reward >= 0.9,
        save_fn=lambda policy: save_model(dqn, str(log / "dqn.safetensors")),
        reward_metric=lambda returns: returns[:, SEAT],  # returns are [episodes, seats]
        logger=TensorboardLogger(SummaryWriter(str(log))),
        test_in_train=False,
    )
    return dqn, result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watch", action="store_true", help="watch what was saved play against itself")
    if parser.parse_args().watch:
        if not LOG.exists():
            parser.error(f"there is nothing in {LOG} yet: train first, without --watch")
        agents = make_dqn(), make_dqn()
        for agent in agents:
            load_model(agent, str(LOG / "dqn.safetensors"))
            agent.set_eps(0.05)
        watch(*agents)
    else:
        watch(RandomPolicy(), RandomPolicy())
        agent, figures = train()
        print(figures)
        watch(RandomPolicy(), agent)
