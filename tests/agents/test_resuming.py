"""From one seed the same weights, and the same again where a training was interrupted and taken up."""

from copy import deepcopy

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from agents.algorithms import (
    a2c,
    bcq,
    c51,
    ddpg,
    discrete_bcq,
    discrete_cql,
    discrete_crr,
    discrete_sac,
    dqn,
    fqf,
    imitation,
    iqn,
    npg,
    pg,
    ppo,
    qrdqn,
    rainbow,
    sac,
    td3,
    trpo,
)
from arena.data import Batch, VectorReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.optimizer import load_optimizer_state_dict, optimizer_state_dict, optimizers_of
from arena.policy.registration import Algorithm, Spaces
from arena.policy.registry import learning_algorithm

SEEN = Box(-1, 1, (3,))
SPACES = {"discrete": Spaces(SEEN, Discrete(3)), "continuous": Spaces(SEEN, Box(-2, 2, (2,)))}


def algorithm_of(module):
    """Return the registration of the algorithm in a module."""
    return learning_algorithm(module.__name__.rpartition(".")[2].replace("_", "-"))


POLICY_GRADIENTS = (pg, a2c, ppo, npg, trpo, ddpg, td3, sac, discrete_sac, bcq, discrete_crr)
VALUE_BASED = (dqn, c51, rainbow, qrdqn, iqn, fqf, discrete_bcq, discrete_cql, imitation)
CASES = [
    (algorithm_of(module), actions)
    for module in POLICY_GRADIENTS + VALUE_BASED
    for actions in algorithm_of(module).actions
]


def made(algorithm: Algorithm, actions: str, seed: int) -> BasePolicy:
    np.random.seed(seed)
    torch.manual_seed(seed)
    options = {"hidden": 8, "batch_size": 16}
    if algorithm.data == "on-policy":
        options |= {"reward_normalization": True, "repeat": 2}
    if algorithm == learning_algorithm("sac"):
        options["auto_alpha"] = True
    policy = algorithm.build(SPACES[actions], algorithm.config(**options), True)
    policy.reset(seed)
    return policy.train()


def collected(policy: BasePolicy, seed: int) -> VectorReplayBuffer:
    """Return its actions on random observations in two streams, exploration included."""
    rng, buffer = np.random.default_rng(seed), VectorReplayBuffer(40, 2)
    buffer.rng = np.random.default_rng(seed)
    for t in range(20):
        seen = rng.normal(size=(2, 2, 3)).astype(np.float32)
        with torch.no_grad():
            result = policy.forward(Batch(obs=seen[0]))
        act = policy.exploration_noise(result.act, Batch(obs=seen[0]))
        row = Batch(
            obs=seen[0], act=act, rew=rng.normal(size=2), obs_next=seen[1], policy=result.get("policy", Batch())
        )
        row.terminated, row.truncated = np.array([t % 7 == 6, False]), np.array([False, t % 5 == 4])
        buffer.add(row)
    return buffer


def trained(policy: BasePolicy, algorithm: Algorithm, rounds: range) -> None:
    for number in rounds:
        policy.reset(number)  # as a run does wherever it may be taken up
        buffer = collected(policy, number)
        options = {"batch_size": 16, "repeat": 2} if algorithm.data == "on-policy" else {}
        for _ in range(1 if options else 3):
            policy.update(0 if options else 16, buffer, **options)


def weights(policy: BasePolicy) -> torch.Tensor:
    return torch.cat([tensor.double().flatten() for tensor in policy.state_dict().values()])


@pytest.mark.full
@pytest.mark.parametrize(("algorithm", "actions"), CASES, ids=[f"{c[0].build.__module__[7:]}-{c[1]}" for c in CASES])
def test_the_same_weights_from_a_seed_and_after_an_interruption(algorithm, actions):
    torch.set_num_threads(1)
    whole, again, other = (made(algorithm, actions, seed) for seed in (1, 1, 2))
    trained(whole, algorithm, range(4))
    trained(again, algorithm, range(2))
    trained(other, algorithm, range(4))
    saved = deepcopy(again.state_dict())
    steps = [deepcopy(optimizer_state_dict(optimizer)) for optimizer in optimizers_of(again)]
    assert steps
    resumed = made(algorithm, actions, seed=3)
    resumed.load_state_dict(saved)
    for optimizer, arrays in zip(optimizers_of(resumed), steps, strict=True):
        load_optimizer_state_dict(optimizer, arrays)
    trained(resumed, algorithm, range(2, 4))
    assert torch.equal(weights(resumed), weights(whole))
    assert not torch.equal(weights(other), weights(whole))


@pytest.mark.parametrize(("algorithm", "actions"), CASES, ids=[f"{c[0].build.__module__[7:]}-{c[1]}" for c in CASES])
def test_what_it_does_is_within_its_space(algorithm, actions):
    policy = made(algorithm, actions, seed=0)
    for training in (True, False):
        policy.train(training)
        act = policy.forward(Batch(obs=np.ones((4, 3), np.float32))).act
        space = SPACES[actions].action
        assert all(space.contains(one) for one in policy.map_action(act).astype(space.dtype))


@pytest.mark.parametrize("module", [ddpg, td3, sac, bcq])
def test_numbered_actions_are_refused_where_they_cannot_be_taken(module):
    with pytest.raises(Exception, match="not arrays within finite bounds"):
        module.build(SPACES["discrete"], algorithm_of(module).config(), True)


@pytest.mark.parametrize("module", [discrete_sac, discrete_crr])
def test_continuous_actions_are_refused_where_they_cannot_be_taken(module):
    with pytest.raises(Exception, match="not numbered from 0"):
        module.build(SPACES["continuous"], algorithm_of(module).config(), True)


def test_an_environment_of_each_kind_can_be_built_for():
    for name, module in (("CartPole-v1", ppo), ("Pendulum-v1", sac), ("FrozenLake-v1", a2c)):
        env = gym.make(name)
        spaces = Spaces(env.observation_space, env.action_space)
        policy = module.build(spaces, algorithm_of(module).config(hidden=8), False)
        obs, _ = env.reset(seed=0)
        act = policy.forward(Batch(obs=np.asarray([obs]))).act
        assert spaces.action.contains(policy.map_action(act)[0])
