"""DQN against a random player on any PettingZoo environment, here Connect Four, as either seat.

    python scripts/pettingzoo_dqn.py [seed [steps]]

Copy it and change ENV: an AEC environment goes into PettingZooEnv, a Parallel one into ParallelPettingZooEnv.
"""

import argparse

import numpy as np
import torch

from agents.algorithms.dqn import DQNPolicy
from agents.networks.board import BoardNet
from agents.networks.discrete import Actor
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv, PettingZooEnv
from arena.policy import MultiAgentPolicyManager, RandomPolicy
from arena.trainer import offpolicy_trainer
from games import connect_four

ENVS, STEPS = 16, 40_000


def make_envs(count: int) -> DummyVectorEnv:
    return DummyVectorEnv([lambda: PettingZooEnv(connect_four.env())] * count)


def main(seed: int = 0, steps: int = STEPS) -> float:
    np.random.seed(seed)  # everything below draws its seeds from here
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # small networks are fastest on one
    envs = make_envs(ENVS)
    (board, *_), (actions, *_) = envs.observation_space, envs.action_space
    # a network that sees lines of a board; for other observations: Net(space.shape, actions.n, hidden_sizes=(128, 128))
    net = Actor(BoardNet(board.shape, channels=32, hidden=128), actions.n, softmax_output=False)
    dqn = DQNPolicy(net, torch.optim.Adam(net.parameters(), 5e-4), 0.9, estimation_step=3, target_update_freq=250)
    dqn.set_eps(0.1)

    # policy 0 learns, policy 1 is random; in even environments the learner moves first, in odd ones second
    policies = [dqn, RandomPolicy()]
    seats = np.array([[0, 1], [1, 0]] * (ENVS // 2))
    manager = MultiAgentPolicyManager(policies, envs, mapping=seats)
    buffer = VectorReplayBuffer(steps, 2 * ENVS)  # a stream for each environment and seat
    collector = Collector(manager, envs, buffer, exploration_noise=True)
    offpolicy_trainer(
        manager,
        collector,
        test_collector=None,
        max_epoch=4,
        step_per_epoch=steps // 4,
        step_per_collect=ENVS,
        episode_per_test=1,
        batch_size=128,
        update_per_step=0.1,
        # the return of whoever moves first, for the progress bar
        reward_metric=lambda returns: returns[:, 0],
    )

    manager.eval()  # testing state: no exploration, nothing stored
    wins = np.zeros(2)
    for seat in (0, 1):
        table = MultiAgentPolicyManager(policies[::-1] if seat else policies, learners=[])
        returns = Collector(table, make_envs(40)).collect(n_episode=400).returns
        wins[seat] = (returns[:, seat] > 0).mean()
    print(f"DQN wins {wins[0]:.1%} of 400 games when it moves first, {wins[1]:.1%} when it moves second")
    return float(wins.mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", nargs="?", type=int, default=0, help="seed of everything that is drawn (0)")
    parser.add_argument("steps", nargs="?", type=int, default=STEPS, help=f"moves of the training ({STEPS:,})")
    main(**vars(parser.parse_args()))
