"""Prioritized buffers beside a plain list of priorities, and in an update of a policy."""

import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.algorithms.dqn import build
from agents.configs.value_based import DQNConfig
from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data import (
    Batch,
    PrioritizedReplayBuffer,
    PrioritizedReplayBufferManager,
    PrioritizedVectorReplayBuffer,
    ReplayBuffer,
)
from arena.env.native import GameVectorEnv
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces
from games.engine.registry import make_game

ALPHA, BETA, EPS = 0.6, 0.4, float(np.finfo(np.float32).eps)


def row(i: int, done: bool = False) -> Batch:
    return Batch(obs=i, act=i, rew=float(i), done=done, obs_next=i + 1)


def rows(numbers) -> Batch:
    numbers = np.asarray(numbers)
    return Batch(obs=numbers, act=numbers, rew=numbers, done=np.zeros(len(numbers), bool), obs_next=numbers + 1)


def filled(size: int = 8, length: int = 5, **options) -> PrioritizedReplayBuffer:
    buffer = PrioritizedReplayBuffer(size, ALPHA, BETA, **options)
    for i in range(length):
        buffer.add(row(i))
    return buffer


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sets(st.integers(0, 2), min_size=1)),
        st.tuples(st.just("weigh"), st.lists(st.tuples(st.integers(0, 11), st.floats(-9, 9)), min_size=1, max_size=4)),
        st.tuples(st.just("reset"), st.booleans()),
    ),
    max_size=25,
)


@given(EVENTS)
@settings(max_examples=60)
def test_it_keeps_a_priority_for_each_transition(events):
    buffer = PrioritizedVectorReplayBuffer(12, 3, ALPHA, BETA, weight_norm=False)
    priority, largest, smallest = {}, 1.0, 1.0
    for kind, what in events:
        if kind == "add":
            places, *_ = buffer.add(rows(sorted(what)), sorted(what))
            priority |= dict.fromkeys(places.tolist(), largest)
        elif kind == "reset":
            buffer.reset(keep_statistics=what)
            priority, largest, smallest = {}, 1.0, 1.0
        elif known := {place: value for place, value in what if place in priority}:
            buffer.update_weight(np.array(list(known)), np.array(list(known.values())))
            priority |= {place: abs(value) + EPS for place, value in known.items()}
            largest = max(largest, *(abs(value) + EPS for value in known.values()))
            smallest = min(smallest, *(abs(value) + EPS for value in known.values()))
        restored = PrioritizedVectorReplayBuffer(12, 3, ALPHA, BETA, weight_norm=False)
        restored.load_state_dict(pickle.loads(pickle.dumps(buffer)).state_dict())
        buffer = restored
        places = np.array(sorted(priority), int)
        expected = np.array([(priority[place] / smallest) ** (-ALPHA * BETA) for place in places])
        assert sorted(buffer.sample_indices(0).tolist()) == places.tolist()
        assert np.allclose(buffer.get_weight(places), expected)
        if len(places):
            assert np.allclose(buffer[places].weight, expected)
            assert set(buffer.sample_indices(32).tolist()) <= set(priority)


def test_draws_are_in_proportion():
    buffer = filled(8, 5)
    buffer.update_weight(np.arange(5), np.array([0.0, 1.0, 2.0, 4.0, 8.0]))
    buffer.rng = np.random.default_rng(0)
    drawn = np.bincount(buffer.sample_indices(100_000), minlength=8) / 100_000
    weight = np.array([EPS, 1, 2, 4, 8]) ** ALPHA
    assert np.allclose(drawn[:5], weight / weight.sum(), atol=0.01)
    assert drawn[5:].tolist() == [0, 0, 0]


def test_draws_of_whole_stacks_are_in_proportion():
    buffer = filled(8, 6, stack_num=3, sample_avail=True)
    buffer.update_weight(np.arange(6), np.array([9.0, 9.0, 1.0, 2.0, 4.0, 8.0]))
    buffer.rng = np.random.default_rng(0)
    drawn = np.bincount(buffer.sample_indices(50_000), minlength=8) / 50_000
    weight = np.array([1, 2, 4, 8]) ** ALPHA
    assert np.allclose(drawn[2:6], weight / weight.sum(), atol=0.015)
    assert drawn[:2].tolist() == [0, 0]


def test_a_batch_has_weights_of_at_most_one():
    buffer = filled()
    buffer.update_weight([0, 1, 2], [0.5, 1.0, 4.0])
    weight = (np.array([0.5, 1.0, 4.0]) + EPS) ** (-ALPHA * BETA)
    assert np.allclose(buffer[[0, 1, 2]].weight, weight / weight.max())
    assert np.allclose(buffer[[1, 2]].weight, weight[1:] / weight[1])
    assert buffer[2].weight == 1.0  # alone, it is the largest of its batch
    assert np.isclose(buffer.get_weight(2), (4.0 / 0.5) ** (-ALPHA * BETA))
    batch, indices = buffer.sample(16)
    assert batch.weight.shape == indices.shape == (16,)


def test_new_entries_take_the_largest_priority_seen():
    buffer = filled(weight_norm=False)
    buffer.update_weight([0], [16.0])
    buffer.update_weight([0], [2.0])
    buffer.add(row(5))
    assert np.isclose(buffer.get_weight(5), 16.0 ** (-ALPHA * BETA))
    other = ReplayBuffer(4)
    other.add(row(6))
    moved = buffer.update(other)
    assert np.allclose(buffer.get_weight(moved), 16.0 ** (-ALPHA * BETA))
    buffer.init_weight(1)
    assert np.isclose(buffer.get_weight(1), 16.0 ** (-ALPHA * BETA))


def test_set_beta_reaches_every_part():
    buffer = PrioritizedVectorReplayBuffer(9, 3, ALPHA, BETA, weight_norm=False)
    places, *_ = buffer.add(rows([0, 1, 2]))
    buffer.update_weight(places, [4.0, 4.0, 4.0])
    buffer.set_beta(1.0)
    assert np.allclose(buffer.get_weight(places), 4.0**-ALPHA)
    assert [part.get_weight(0) for part in buffer.buffers] == pytest.approx([4.0**-ALPHA] * 3)


def test_a_manager_takes_over_priorities():
    parts = [filled(4, 3), filled(6, 6)]
    parts[0].update_weight([1], [8.0])
    parts[1].update_weight([5], [0.25])
    buffer = PrioritizedReplayBufferManager(parts)
    places = buffer.sample_indices(0)
    expected = (np.array([1, 8, 1, 1, 1, 1, 1, 1, 0.25]) / 0.25) ** (-ALPHA * BETA)
    assert places.tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert np.allclose(buffer.get_weight(places), expected, rtol=1e-5)
    with pytest.raises(UsageError, match=r"beta=0\.9"):
        PrioritizedReplayBufferManager([filled(), PrioritizedReplayBuffer(4, ALPHA, 0.9)])


class Learner(BasePolicy):
    """Learns nothing, and says how surprised it was by what it saw: by its number."""

    def forward(self, batch, state=None):
        return Batch(act=np.zeros(len(batch.obs), int))

    def learn(self, batch):
        batch.weight = torch.as_tensor(batch.obs.astype(float))
        return {}


def test_an_update_writes_priorities_back():
    buffer = filled(8, 5)
    Learner().update(0, buffer)
    expected = (np.arange(5) + EPS) ** (ALPHA * -BETA)
    assert np.allclose(buffer.get_weight(np.arange(5)), expected / EPS ** (ALPHA * -BETA), rtol=1e-5)


def test_dqn_writes_its_errors_as_priorities():
    game = make_game("tic_tac_toe")
    policy = build(Spaces.of_game(game), DQNConfig(hidden=8), training=True)
    buffer = PrioritizedVectorReplayBuffer(400, 8, alpha=1.0, beta=0.4)
    collector = Collector(policy, GameVectorEnv(game, 4), buffer, exploration_noise=True)
    collector.collect(n_step=64)
    batch, indices = buffer.sample(0)
    batch = policy.process_fn(batch, buffer, indices)
    policy.learn(batch)
    policy.post_process_fn(batch, buffer, indices)
    priority = np.abs(batch.weight) + EPS
    assert np.allclose(buffer.get_weight(indices), (priority / min(priority.min(), 1.0)) ** -0.4)
    assert np.ptp(priority) > 0
    assert policy.update(32, buffer)["loss"] >= 0


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0], "1 entries for 2 transitions"), ([1.0, np.nan], "not finite"), ([np.inf, 1.0], "not finite")],
)
def test_weights_that_do_not_fit_are_refused(weights, message):
    buffer = filled()
    before = pickle.dumps(buffer)
    with pytest.raises(UsageError, match=message):
        buffer.update_weight([0, 1], weights)
    assert pickle.dumps(buffer) == before


def test_exponents_are_checked():
    for exponents in ((-0.1, 0.4), (0.6, -1.0), (np.nan, 0.4), (0.6, np.nan)):
        with pytest.raises(UsageError, match="is not a number of at least 0"):
            PrioritizedReplayBuffer(4, *exponents)
    buffer = filled()
    with pytest.raises(UsageError, match="beta=-1"):
        buffer.set_beta(-1)


def test_nothing_to_draw_from():
    buffer = filled(4, 0)
    with pytest.raises(UsageError, match="the buffer is empty"):
        buffer.sample(3)
    assert buffer.sample_indices(-1).tolist() == []
