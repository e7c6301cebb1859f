"""Learning: gradient steps and whole trainings beside Tianshou's, and beside the bare arithmetic as lower bound."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from agents.algorithms.dqn import DQNPolicy
from agents.algorithms.ppo import PPOPolicy
from agents.learning.optimizer import Adam
from agents.networks.common import ActorCritic, Net
from agents.networks.discrete import Actor, Critic
from arena.collector import Collector
from arena.collector.boards import OwnBoards
from arena.collector.rollout_collector import RolloutCollector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv
from arena.policy import MultiAgentPolicyManager, RandomPolicy
from arena.policy.registry import make_game
from arena.policy.rollout import update
from arena.trainer import OffpolicyTrainer, OnpolicyTrainer
from arena.trainer.base import Hooks, Schedule
from benchmarks.measure import NOBODY, Peer, Row, Work, duration, missing, rate

HIDDEN, ENVS, ROWS, GOAL, SEEDS = 64, 10, 2_000, 195.0, 3
EPS, EPS_STEPS = (0.1, 0.05), 10_000
DQN = {"batch": 64, "rate": 1e-3, "gamma": 0.9, "n_step": 3, "target": 320, "updates": 0.1, "collect": 10}
PPO = {"batch": 64, "rate": 3e-4, "gamma": 0.99, "lambda": 0.95, "repeat": 10, "collect": 2_000, "clip": 0.2}
BOARDS, MOVES = 1_024, 16


def rows() -> Iterator[Row]:
    """Measure on one thread, with the same networks, batches and hyper-parameters."""
    torch.set_num_threads(1)
    absent = missing("Tianshou, the same", "tianshou")
    for work, unit, ours, theirs in (
        (f"DQN: gradient steps on {DQN['batch']} sampled transitions", "steps/s", dqn_steps, their_dqn_steps),
        (f"PPO: updates, {PPO['repeat']} passes in parts of {PPO['batch']}", "transitions/s", ppo_updates, their_ppo),
    ):
        yield rate("learning", work, unit, ours(), absent or Peer("Tianshou, the same", theirs()))
    for name, ours, theirs_to in (("DQN", dqn_to_goal, their_dqn_to_goal), ("PPO", ppo_to_goal, their_ppo_to_goal)):
        peer = absent or Peer("Tianshou, the same", theirs_to(count()))
        yield duration("learning", f"{name}: CartPole-v1 to {GOAL:.0f}", ours(count()), peer, SEEDS)
    work = "DQN beside a random player: tic_tac_toe as first player to 0.9"
    yield duration("learning", work, dqn_beats_random(count()), NOBODY, SEEDS)
    work = f"PPO against itself: connect_four, {BOARDS:,} boards, 128x128, end to end"
    yield rate("learning", work, "moves/s", self_play(), Peer("the network's own arithmetic", arithmetic()))


# --- one step ------------------------------------------------------------------------------------------------------


def cart_pole() -> gym.Env[Any, Any]:
    return gym.make("CartPole-v1")


def filled(buffer: Any, batch: Any) -> Any:
    """Return a full buffer of CartPole-like data, in episodes of 40 steps."""
    rng, no = np.random.default_rng(0), np.zeros(ENVS, bool)
    for t in range(ROWS // ENVS):
        obs = rng.normal(size=(2, ENVS, 4)).astype(np.float32)
        end = no | (t % 40 == 39)
        step = batch(obs=obs[0], act=rng.integers(0, 2, ENVS), rew=np.ones(ENVS), truncated=no, obs_next=obs[1])
        step.terminated = step.done = end
        step.info, step.policy = batch(), batch(logp=np.full(ENVS, -0.7, np.float32), value=np.ones(ENVS, np.float32))
        buffer.add(step, buffer_ids=np.arange(ENVS))
    return buffer


def make_dqn() -> DQNPolicy:
    net = Net(4, 2, (HIDDEN, HIDDEN))
    optim = Adam(net.parameters(), DQN["rate"])
    space = gym.spaces.Discrete(2)
    return DQNPolicy(net, optim, DQN["gamma"], int(DQN["n_step"]), int(DQN["target"]), action_space=space)


def make_ppo(shape: Any = 4, actions: int = 2, hidden: int = HIDDEN) -> PPOPolicy:
    net = Net(shape, hidden_sizes=(hidden, hidden))
    actor, critic = Actor(net, actions, softmax_output=False), Critic(net)
    optim = Adam(ActorCritic(actor, critic).parameters(), PPO["rate"])
    return PPOPolicy(actor, critic, optim, eps_clip=PPO["clip"], gae_lambda=PPO["lambda"], max_batchsize=BOARDS)


def dqn_steps() -> Work:
    """Take gradient steps with our DQN."""
    policy, buffer = make_dqn(), filled(VectorReplayBuffer(ROWS, ENVS), Batch)

    def learn() -> int:
        for _ in range(20):
            policy.update(int(DQN["batch"]), buffer)
        return 20

    return learn


def ppo_updates() -> Work:
    """Update with our PPO."""
    policy, buffer = make_ppo(), filled(VectorReplayBuffer(ROWS, ENVS), Batch)

    def learn() -> int:
        policy.update(0, buffer, batch_size=int(PPO["batch"]), repeat=int(PPO["repeat"]))
        return ROWS

    return learn


# --- to a goal -----------------------------------------------------------------------------------------------------


def seeded(seed: int) -> None:
    np.random.seed(seed)
    torch.manual_seed(seed)


def annealed(step: int) -> float:
    """Return the probability of a random action."""
    return EPS[0] + (EPS[1] - EPS[0]) * min(step / EPS_STEPS, 1.0)


def cart_poles(kind: Any, seed: int) -> tuple[Any, Any]:
    """Return environments to train and to test in."""
    train, test = kind([cart_pole] * ENVS), kind([cart_pole] * ENVS)
    train.seed(seed)
    test.seed(seed + 1_000)
    return train, test


def timed(train: Callable[[int], None], seeds: Iterator[int]) -> Callable[[], float]:
    """Return the seconds of a training from the next seed."""

    def run() -> float:
        seed = next(seeds)
        seeded(seed)
        start = time.perf_counter()
        train(seed)
        return time.perf_counter() - start

    return run


def dqn_to_goal(seeds: Iterator[int]) -> Callable[[], float]:
    """Train our DQN to the goal, tested after every 1,000 steps."""

    def train(seed: int) -> None:
        policy, (envs, tests) = make_dqn(), cart_poles(DummyVectorEnv, seed)
        collector = Collector(policy, envs, VectorReplayBuffer(20_000, ENVS), exploration_noise=True)
        hooks = Hooks(train_fn=lambda _, step: policy.set_eps(annealed(step)), stop_fn=lambda score: score >= GOAL)
        plan = Schedule(200, 1_000, int(DQN["batch"]), int(DQN["collect"]), episode_per_test=ENVS, verbose=False)
        OffpolicyTrainer(policy, collector, Collector(policy, tests), plan, DQN["updates"], hooks).run()

    return timed(train, seeds)


def ppo_to_goal(seeds: Iterator[int]) -> Callable[[], float]:
    """Train our PPO to the goal, tested after every 2,000 steps."""

    def train(seed: int) -> None:
        policy, (envs, tests) = make_ppo(), cart_poles(DummyVectorEnv, seed)
        steps = int(PPO["collect"])
        collector = Collector(policy, envs, VectorReplayBuffer(steps + ENVS, ENVS))
        plan = Schedule(100, steps, int(PPO["batch"]), steps, episode_per_test=ENVS, verbose=False)
        hooks = Hooks(stop_fn=lambda score: score >= GOAL)
        OnpolicyTrainer(policy, collector, Collector(policy, tests), plan, int(PPO["repeat"]), hooks).run()

    return timed(train, seeds)


def dqn_beats_random(seeds: Iterator[int]) -> Callable[[], float]:
    """Train DQN on native boards until it beats random, tested over 100 games after every 2,000 moves."""
    game = make_game("tic_tac_toe")

    def train(seed: int) -> None:
        net = Net(game.observation_shape, 9, (128, 128))
        policy = DQNPolicy(net, Adam(net.parameters(), 1e-3), 0.95, 3, 200)
        policy.set_eps(0.1)
        policy.reset(seed)
        table, tests = (MultiAgentPolicyManager([policy, RandomPolicy(seed=seed + i)]) for i in (1, 2))
        collector = Collector(table, GameVectorEnv(game, 32), VectorReplayBuffer(20_000, 32), exploration_noise=True)
        plan = Schedule(50, 2_000, 64, 64, episode_per_test=100, verbose=False)
        hooks = Hooks(
            test_fn=lambda *_: policy.set_eps(0.0),
            train_fn=lambda *_: policy.set_eps(0.1),
            stop_fn=lambda score: score >= 0.9,
            reward_metric=lambda returns: returns[:, 0],
        )
        OffpolicyTrainer(table, collector, Collector(tests, GameVectorEnv(game, 50)), plan, 0.1, hooks).run()

    return timed(train, seeds)


# --- end to end ----------------------------------------------------------------------------------------------------


def self_play() -> Work:
    """Collect and update, alternately, as `arena train` does."""
    game = make_game("connect_four")
    policy = make_ppo(game.observation_shape, game.num_actions, 128)
    manager, env = MultiAgentPolicyManager([policy, policy]), GameVectorEnv(game, BOARDS)
    collector = RolloutCollector(manager, OwnBoards(env), VectorReplayBuffer(2 * BOARDS, 2 * BOARDS))

    def play() -> int:
        steps = collector.collect(n_step=BOARDS * MOVES).n_collected_steps
        for _, learner, rollout in collector.rollouts():
            update(learner, rollout, 2 * BOARDS, 1)
        collector.reset_buffer(keep_statistics=True)
        return steps

    return play


def arithmetic() -> Work:
    """Run the same forward and backward passes on random tensors, and nothing else."""
    game = make_game("connect_four")
    policy = make_ppo(game.observation_shape, game.num_actions, 128)
    observations = torch.rand(BOARDS, *game.observation_shape)
    batch = torch.rand(2 * BOARDS, *game.observation_shape)

    def play() -> int:
        with torch.no_grad():
            for _ in range(MOVES):
                features, _ = policy.actor.preprocess(observations)
                policy.actor.last(features)
                policy.critic.last(features)
        for _ in range(MOVES // 2):
            features, _ = policy.actor.preprocess(batch)
            loss = policy.actor.last(features).mean() + policy.critic.last(features).mean()
            policy.optim.zero_grad()
            loss.backward()
            policy.optim.step()
        return BOARDS * MOVES

    return play


# --- Tianshou ------------------------------------------------------------------------------------------------------


def their_dqn() -> Any:
    from tianshou.algorithm import DQN as TheirDQN
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.utils.net.common import Net as TheirNet

    net = TheirNet(state_shape=4, action_shape=2, hidden_sizes=(HIDDEN, HIDDEN))
    policy = DiscreteQLearningPolicy(model=net, action_space=gym.spaces.Discrete(2), eps_training=EPS[0])
    return TheirDQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=DQN["rate"]),
        gamma=DQN["gamma"],
        n_step_return_horizon=int(DQN["n_step"]),
        target_update_freq=int(DQN["target"]),
    )


def their_ppo_algorithm() -> Any:
    from tianshou.algorithm import PPO as TheirPPO
    from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.utils.net.common import Net as TheirNet
    from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

    net = TheirNet(state_shape=4, hidden_sizes=(HIDDEN, HIDDEN))
    actor = DiscreteActor(preprocess_net=net, action_shape=2, softmax_output=False)
    return TheirPPO(
        policy=DiscreteActorPolicy(actor=actor, action_space=gym.spaces.Discrete(2)),
        critic=DiscreteCritic(preprocess_net=net),
        optim=AdamOptimizerFactory(lr=PPO["rate"]),
        eps_clip=PPO["clip"],
        gae_lambda=PPO["lambda"],
        gamma=PPO["gamma"],
        max_batchsize=BOARDS,
    )


def their_buffer(size: int) -> Any:
    from tianshou.data import VectorReplayBuffer as TheirBuffer

    return TheirBuffer(size, ENVS)


def their_dqn_steps() -> Work:
    from tianshou.data import Batch as TheirBatch
    from tianshou.utils.torch_utils import policy_within_training_step

    algorithm, buffer = their_dqn(), filled(their_buffer(ROWS), TheirBatch)

    def learn() -> int:
        with policy_within_training_step(algorithm.policy):
            for _ in range(20):
                algorithm.update(buffer, int(DQN["batch"]))
        return 20

    return learn


def their_ppo() -> Work:
    from tianshou.data import Batch as TheirBatch
    from tianshou.utils.torch_utils import policy_within_training_step

    algorithm, buffer = their_ppo_algorithm(), filled(their_buffer(ROWS), TheirBatch)

    def learn() -> int:
        with policy_within_training_step(algorithm.policy):
            algorithm.update(buffer, int(PPO["batch"]), int(PPO["repeat"]))
        return ROWS

    return learn


def their_collectors(algorithm: Any, seed: int, size: int, explores: bool) -> tuple[Any, Any]:
    from tianshou.data import Collector as TheirCollector
    from tianshou.env import DummyVectorEnv as TheirVectorEnv

    envs, tests = cart_poles(TheirVectorEnv, seed)
    train: Any = TheirCollector(algorithm, envs, their_buffer(size), exploration_noise=explores)
    return train, TheirCollector(algorithm, tests)


def their_dqn_to_goal(seeds: Iterator[int]) -> Callable[[], float]:
    from tianshou.trainer import OffPolicyTrainerParams

    def train(seed: int) -> None:
        algorithm = their_dqn()
        collector, tests = their_collectors(algorithm, seed, 20_000, True)
        params = OffPolicyTrainerParams(
            max_epochs=200,
            epoch_num_steps=1_000,
            training_collector=collector,
            test_collector=tests,
            test_step_num_episodes=ENVS,
            batch_size=int(DQN["batch"]),
            collection_step_num_env_steps=int(DQN["collect"]),
            update_step_num_gradient_steps_per_sample=DQN["updates"],
            training_fn=lambda _, step: algorithm.policy.set_eps_training(annealed(step)),
            stop_fn=lambda score: score >= GOAL,
            test_in_training=True,
            verbose=False,
            show_progress=False,
        )
        algorithm.run_training(params)

    return timed(train, seeds)


def their_ppo_to_goal(seeds: Iterator[int]) -> Callable[[], float]:
    from tianshou.trainer import OnPolicyTrainerParams

    def train(seed: int) -> None:
        algorithm, steps = their_ppo_algorithm(), int(PPO["collect"])
        collector, tests = their_collectors(algorithm, seed, steps + ENVS, False)
        params = OnPolicyTrainerParams(
            max_epochs=100,
            epoch_num_steps=steps,
            training_collector=collector,
            test_collector=tests,
            test_step_num_episodes=ENVS,
            batch_size=int(PPO["batch"]),
            collection_step_num_env_steps=steps,
            update_step_num_repetitions=int(PPO["repeat"]),
            stop_fn=lambda score: score >= GOAL,
            test_in_training=True,
            verbose=False,
            show_progress=False,
        )
        algorithm.run_training(params)

    return timed(train, seeds)
