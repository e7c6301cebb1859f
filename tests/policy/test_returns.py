"""Returns by kernels equal a plain computation over each player's own trajectory, whatever the interleaving."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, PettingZooEnv
from arena.policy.base import BasePolicy
from tests.collector.games import Scripted
from tests.collector.test_multi_agent import First

AGENTS = ("a", "b", "c")


def value_of(obs: np.ndarray) -> np.ndarray:
    """Some value of observations [n, 2] (moves made, seat), the same for kernels and brute force."""
    return np.sin(obs[:, 0] * 1.7 + obs[:, 1] * 0.3)


def own_trajectories(script: dict[str, Any]) -> list[list[tuple[int, float]]]:
    """Per agent its transitions as (move number, reward): all it gets until its next move or the end."""
    trajectories: list[list[tuple[int, float]]] = [[] for _ in AGENTS]
    for move, agent in enumerate(script["turns"]):
        trajectories[AGENTS.index(agent)].append((move, 0.0))
        for name, reward in script["rewards"].get(move, {}).items():
            own = trajectories[AGENTS.index(name)]
            if own:
                own[-1] = (own[-1][0], own[-1][1] + reward)
    return trajectories


def next_value(trajectory: list[tuple[int, float]], t: int, seat: int, script: dict[str, Any]) -> float:
    """Value of what follows transition t: of its own next observation, 0 after a termination."""
    if t + 1 < len(trajectory):
        return float(value_of(np.array([[trajectory[t + 1][0], seat]]))[0])
    end = len(script["turns"])
    return float(value_of(np.array([[end, seat]]))[0]) if script["truncate"] else 0.0


def brute_gae(trajectory: list[tuple[int, float]], seat: int, script: dict[str, Any], gamma: float, lam: float):
    advantages = []
    for t in range(len(trajectory)):
        total = 0.0
        for k in range(t, len(trajectory)):
            own = float(value_of(np.array([[trajectory[k][0], seat]]))[0])
            delta = trajectory[k][1] + gamma * next_value(trajectory, k, seat, script) - own
            total += (gamma * lam) ** (k - t) * delta
        advantages.append(total)
    return advantages


def brute_n_step(trajectory: list[tuple[int, float]], seat: int, script: dict[str, Any], gamma: float, n: int):
    targets = []
    for t in range(len(trajectory)):
        last = min(t + n, len(trajectory)) - 1
        total = sum(gamma ** (k - t) * trajectory[k][1] for k in range(t, last + 1))
        targets.append(total + gamma ** (last - t + 1) * next_value(trajectory, last, seat, script))
    return targets


rewards = st.dictionaries(st.sampled_from(AGENTS), st.floats(-2, 2, width=32), max_size=3)
scripts = st.builds(
    lambda turns, given, truncate: dict(
        turns=turns, rewards=dict(enumerate(given[: len(turns)])), truncate=truncate, agents=AGENTS
    ),
    st.lists(st.sampled_from(AGENTS), min_size=1, max_size=12),
    st.lists(rewards, max_size=12),
    st.booleans(),
)


@pytest.mark.full
@settings(max_examples=150, deadline=None)
@given(st.lists(scripts, min_size=1, max_size=3), st.floats(0.5, 1.0), st.floats(0.0, 1.0), st.integers(1, 4))
def test_kernels_equal_brute_force_over_own_trajectories(several, gamma, lam, n):
    """Several different games side by side, each played twice; every agent's returns are those of its own moves."""
    envs = DummyVectorEnv([lambda script=script: PettingZooEnv(Scripted(**script)) for script in several])
    rings = len(several) * len(AGENTS)
    buffer = VectorReplayBuffer(40 * rings, rings)
    Collector(First(), envs, buffer).collect(n_episode=2 * len(several))

    indices = buffer.sample_indices(0)
    batch = buffer[indices]
    v_s, v_s_ = value_of(batch.obs.obs), value_of(batch.obs_next.obs)
    _, advantage = BasePolicy.compute_episodic_return(batch, buffer, indices, v_s_, v_s, gamma, lam)

    def target_q(buffer: VectorReplayBuffer, places: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(value_of(buffer[places].obs_next.obs))

    n_step = BasePolicy.compute_nstep_return(Batch(rew=batch.rew), buffer, indices, target_q, gamma, n).returns
    expected_gae, expected_n_step = [], []
    for script in several:
        for seat, trajectory in enumerate(own_trajectories(script)):
            expected_gae += 2 * brute_gae(trajectory, seat, script, gamma, lam)
            expected_n_step += 2 * brute_n_step(trajectory, seat, script, gamma, n)
    np.testing.assert_allclose(advantage, expected_gae, atol=1e-9)
    np.testing.assert_allclose(n_step[:, 0].numpy(), expected_n_step, atol=1e-9)


def test_returns_do_not_read_the_neighbours_ring():
    """An episode under way at the end of one ring bootstraps; the next ring's first reward does not reach it."""
    buffer = VectorReplayBuffer(4, 2)
    row = dict(obs=np.zeros(2), act=np.zeros(2), obs_next=np.zeros(2), terminated=np.zeros(2, bool))
    buffer.add(Batch(row, rew=np.array([1.0, 100.0])))
    indices = buffer.sample_indices(0)
    returns, _ = BasePolicy.compute_episodic_return(buffer[:], buffer, indices, np.full(2, 10.0), np.zeros(2), 0.5, 1.0)
    assert returns.tolist() == [6.0, 105.0]
    target = BasePolicy.compute_nstep_return(buffer[:], buffer, indices, lambda b, i: torch.full((2,), 10.0), 0.5, 5)
    assert target.returns[:, 0].tolist() == [6.0, 105.0]


def test_n_step_returns_go_on_from_the_end_of_a_ring_to_its_beginning():
    """Rewards 1 to 5 in 3 places each of two rings: the newest are 3, 4 and 5, and 3 lies at the end."""
    buffer = VectorReplayBuffer(6, 2)
    for reward in range(1, 6):
        both = np.array([reward, 100 * reward])
        buffer.add(Batch(obs=both, act=both, rew=both.astype(float), terminated=np.zeros(2, bool)), [0, 1])
    target = BasePolicy.compute_nstep_return(
        buffer[:], buffer, np.array([2, 0, 1, 5]), lambda b, i: torch.zeros(len(i)), 0.5, 3
    )
    assert target.returns[:, 0].tolist() == [3 + 4 / 2 + 5 / 4, 4 + 5 / 2, 5, 300 + 400 / 2 + 500 / 4]


def test_without_values_only_plain_returns_can_be_computed():
    buffer = VectorReplayBuffer(4, 1)
    for t in range(3):
        buffer.add(Batch(obs=np.zeros(1), act=np.zeros(1), rew=np.ones(1), terminated=np.array([t == 2])))
    indices = buffer.sample_indices(0)
    returns, _ = BasePolicy.compute_episodic_return(buffer[:], buffer, indices, gamma=0.5, gae_lambda=1.0)
    assert returns.tolist() == [1.75, 1.5, 1.0]
    with pytest.raises(ValueError, match=r"gae_lambda=0\.9 needs the values"):
        BasePolicy.compute_episodic_return(buffer[:], buffer, indices, gae_lambda=0.9)
