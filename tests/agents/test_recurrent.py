"""Recurrent policies: hidden states of environments and seats, and a memory task that needs them."""

import numpy as np
import pytest
import torch
from torch import nn

from agents.algorithms.dqn import DQNPolicy
from agents.networks.common import Net, Recurrent
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv, PettingZooEnv
from arena.policy import MultiAgentPolicyManager
from arena.trainer import OffpolicyTrainer
from arena.trainer.base import Hooks, Schedule
from tests.agents.recall import ACTS, Recall, RecallForTwo

pytestmark = pytest.mark.full

DELAY, ENVS = 3, 8


@pytest.fixture(autouse=True)
def _from_one_seed():
    np.random.seed(0)
    torch.manual_seed(0)


def dqn_of(net: nn.Module) -> DQNPolicy:
    optim = torch.optim.Adam(net.parameters(), 5e-3)
    policy = DQNPolicy(net, optim, 0.9, target_update_freq=50, action_space=ACTS)
    policy.set_eps(0.2)
    return policy


def recurrent() -> DQNPolicy:
    return dqn_of(Recurrent(1, 2, 2, hidden_layer_size=16))


def single() -> DummyVectorEnv:
    return DummyVectorEnv([lambda: Recall(DELAY)] * ENVS)


def for_two() -> DummyVectorEnv:
    return DummyVectorEnv([lambda: PettingZooEnv(RecallForTwo(DELAY))] * ENVS)


def trained(policy, make_envs, steps: int, streams: int, stack: int = DELAY + 1) -> np.ndarray:
    """Returns [400, seats] of fresh episodes after a training of so many steps."""
    buffer = VectorReplayBuffer(8_000, streams, stack_num=stack)
    collector = Collector(policy, make_envs(), buffer, exploration_noise=True)
    plan = Schedule(1, steps, 64, ENVS, verbose=False)
    OffpolicyTrainer(
        policy, collector, None, plan, 0.125, Hooks(reward_metric=lambda r: r.reshape(len(r), -1)[:, 0])
    ).run()
    policy.eval()
    returns = Collector(policy, make_envs()).collect(n_episode=400).returns
    return returns.reshape(400, -1)


@pytest.mark.slow("trains to a score")
def test_a_recurrent_policy_recalls():
    assert trained(recurrent(), single, 6_000, ENVS).mean() > 0.95


@pytest.mark.slow("trains to a score")
def test_a_policy_without_memory_cannot():
    plain = trained(dqn_of(Net(2, 2, hidden_sizes=(16,))), single, 3_000, ENVS, stack=1)
    assert abs(plain.mean()) < 0.2, "right half of the time"


@pytest.mark.slow("trains to a score")
def test_one_policy_at_both_seats_recalls_the_cue_of_each():
    policy = recurrent()
    manager = MultiAgentPolicyManager([policy, policy], for_two())
    returns = trained(manager, for_two, 6_000, 2 * ENVS)
    assert (returns.mean(axis=0) > 0.95).all()


def test_hidden_states_begin_anew_with_each_episode():
    policy, seen = recurrent(), []
    policy.model.register_forward_pre_hook(lambda _, inputs: seen.append((inputs[0].copy(), inputs[1])))
    policy.set_eps(0.0)
    Collector(policy, single()).collect(n_step=ENVS * (2 * DELAY + 2))
    for step, (obs, state) in enumerate(seen):
        begins = step % (DELAY + 1) == 0
        assert begins == bool(obs[:, 0].all()), "the cue is shown at the first step"
        if step > 0:
            assert begins == (not np.asarray(state.h).any())


def test_hidden_states_are_those_of_the_seat():
    """A manager's answers in a game of two are those for each seat's own sequence."""
    policies = [recurrent(), recurrent()]
    manager = MultiAgentPolicyManager(policies, for_two()).eval()
    asked = [[], []]
    for seat, policy in enumerate(policies):
        policy.model.register_forward_hook(lambda _, inputs, out, seat=seat: asked[seat].append((inputs[0], out[0])))
    Collector(manager, for_two()).collect(n_step=2 * ENVS * (DELAY + 1))
    for policy, answers in zip(policies, asked, strict=True):
        sequence = np.stack([obs for obs, _ in answers[: DELAY + 1]], axis=1)
        assert sequence[:, 0, 0].all(), "each begins with its own cue"
        with torch.no_grad():
            whole, _ = policy.model(sequence)
        torch.testing.assert_close(whole, answers[DELAY][1])
