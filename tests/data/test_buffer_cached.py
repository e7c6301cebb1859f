"""Managers and the cached buffer: parts in one block of memory, episodes in one piece."""

import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data import (
    Batch,
    CachedReplayBuffer,
    PrioritizedReplayBuffer,
    PrioritizedReplayBufferManager,
    ReplayBuffer,
    ReplayBufferManager,
)
from arena.env.native import GameVectorEnv
from arena.policy.random import RandomPolicy


def rows(numbers, done) -> Batch:
    numbers = np.asarray(numbers, int)
    return Batch(obs=numbers, act=numbers, rew=numbers, done=np.asarray(done, bool), obs_next=numbers + 1)


def filled(size: int, length: int) -> ReplayBuffer:
    buffer = ReplayBuffer(size)
    for i in range(length):
        buffer.add(Batch(obs=i, act=i, rew=i, done=i % 4 == 3, obs_next=i + 1))
    return buffer


@dataclass
class Model:
    """What a cached buffer holds, as lists of numbers and whether they end an episode, oldest first."""

    main_size: int
    cache_size: int
    main: list[tuple[int, bool]] = field(default_factory=list)
    moved: int = 0
    caches: dict[int, list[int]] = field(default_factory=dict)

    def add(self, cache: int, number: int, done: bool) -> tuple[float, int]:
        """Return and length of the episode that ended, 0 if none did."""
        episode = [*self.caches.get(cache, []), number]
        self.caches[cache] = [] if done else episode
        if not done:
            return 0.0, 0
        kept = episode[-min(self.main_size, self.cache_size) :]
        self.main = [*self.main, *((n, n == number) for n in kept)][-self.main_size :]
        self.moved += len(kept)
        return float(sum(episode)), len(episode)

    def held(self) -> list[int]:
        """All numbers: main buffer, then caches, each oldest first."""
        caches = [self.caches[k][-self.cache_size :] for k in sorted(self.caches)]
        return [number for number, _ in self.main] + [number for cache in caches for number in cache]


@given(
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(1, 5),
    st.lists(st.dictionaries(st.integers(0, 2), st.integers(0, 3), min_size=1), max_size=20),
)
@settings(max_examples=80)
def test_episodes_move_when_they_end(main_size, caches, cache_size, history):
    buffer, model = CachedReplayBuffer(ReplayBuffer(main_size), caches, cache_size), Model(main_size, cache_size)
    number = 0
    for event in history:
        ends = {cache: end == 0 for cache, end in event.items() if cache < caches}
        numbers = list(range(number, number + len(ends)))
        number += len(ends)
        place, earned, length, start = buffer.add(rows(numbers, list(ends.values())), list(ends))
        for i, (cache, done) in enumerate(ends.items()):
            assert model.add(cache, numbers[i], done) == (earned[i], length[i])
            kept = min(length[i], cache_size, main_size)
            first = model.moved % main_size  # where the next one would go
            if done:
                assert 0 <= place[i] < main_size
                assert (start[i] + kept - 1) % main_size == place[i]
            else:
                low = main_size + cache * cache_size
                assert low <= place[i] < low + cache_size
        if len(ends) and list(ends.values())[-1]:
            assert place[-1] == (first - 1) % main_size
        buffer = pickle.loads(pickle.dumps(buffer))
        order = buffer.sample_indices(0)
        assert len(buffer) == len(model.held())
        if len(order):
            assert buffer[order].obs.tolist() == model.held()
            assert len(buffer.main_buffer) == len(model.main)
            assert buffer.main_buffer[:].done.tolist() == [done for _, done in model.main]
            assert set(buffer.sample(20)[0].obs.tolist()) <= set(model.held())
            under_way = [model.caches[k][-1] for k in sorted(model.caches) if model.caches[k]]
            assert buffer.obs[buffer.unfinished_index()].tolist() == under_way


def test_an_episode_stands_in_one_piece():
    """Two episodes that were played at the same time follow one another in the main buffer."""
    buffer = CachedReplayBuffer(ReplayBuffer(10), 2, 4)
    for i, done in enumerate([(0, 0), (0, 0), (1, 0), (0, 1)]):
        place, earned, length, start = buffer.add(rows([i, 10 + i], done))
    assert buffer.obs[:10].tolist() == [0, 1, 2, 10, 11, 12, 13, 0, 0, 0]
    assert (place.tolist(), earned.tolist(), length.tolist(), start.tolist()) == ([10, 6], [0, 46], [0, 4], [10, 3])
    assert buffer.next([0, 1, 2, 3, 6]).tolist() == [1, 2, 2, 4, 6]
    assert buffer.prev([0, 3, 4, 10]).tolist() == [0, 3, 3, 10]
    assert buffer.unfinished_index().tolist() == [10]
    assert [len(cache) for cache in buffer.cached_buffers] == [1, 0]
    assert (buffer.buffer_num, buffer.cached_buffer_num, buffer.maxsize) == (2, 2, 18)


def test_the_collector_fills_a_cached_buffer():
    env = GameVectorEnv("tic_tac_toe", 3)
    buffer = CachedReplayBuffer(ReplayBuffer(200), 6, 9)
    told = Collector(RandomPolicy(seed=0), env, buffer).collect(n_episode=10)
    assert buffer.main_buffer.done[: len(buffer.main_buffer)].sum() == 2 * told.n_collected_episodes


def test_cached_buffers_refuse():
    with pytest.raises(UsageError, match="cached_buffer_num=0"):
        CachedReplayBuffer(ReplayBuffer(4), 0, 3)
    with pytest.raises(UsageError, match="PrioritizedReplayBuffers, which this manager does not prioritise"):
        CachedReplayBuffer(PrioritizedReplayBuffer(4, 0.6, 0.4), 1, 3)
    buffer = CachedReplayBuffer(ReplayBuffer(4), 2, 3)
    with pytest.raises(UsageError, match="among the sub-buffers 0 to 1"):
        buffer.add(rows([0], [False]), [2])


def test_a_manager_holds_what_its_buffers_held():
    parts = [filled(4, 6), ReplayBuffer(3), filled(5, 2)]
    buffer = ReplayBufferManager(parts)
    assert buffer.sample_indices(0).tolist() == [2, 3, 0, 1, 7, 8]
    assert buffer[:].obs.tolist() == [2, 3, 4, 5, 0, 1]
    assert buffer.prev([0, 1, 2, 3, 7, 8]).tolist() == [0, 0, 2, 2, 7, 7]
    assert buffer.next([0, 1, 2, 3, 7, 8]).tolist() == [1, 1, 3, 3, 8, 8]
    assert buffer.unfinished_index().tolist() == [1, 8]
    place, earned, length, start = buffer.add(rows([9, 9, 9], [True] * 3))
    assert place.tolist() == [2, 4, 9]
    assert (earned.tolist(), length.tolist(), start.tolist()) == ([18.0, 9.0, 10.0], [3, 1, 3], [0, 4, 7])
    assert len(buffer) == 8
    assert [len(part) for part in buffer.buffers] == [4, 1, 3]
    buffer.reset()
    assert len(buffer) == 0


def test_parts_are_windows():
    buffer = ReplayBufferManager([filled(4, 3), filled(6, 6)])
    for part, start in zip(buffer.buffers, (0, 4), strict=True):
        assert np.shares_memory(part.obs, buffer.obs)
        assert part[:].obs.tolist() == buffer[start + part.sample_indices(0)].obs.tolist()
    first = buffer.buffers[0]
    with pytest.raises(UsageError, match="add to the whole"):
        first.add(rows([0], [False])[0])


def test_what_is_added_is_in_the_buffers_that_were_given():
    """As in Tianshou's manual, a manager contains the given buffers: scripts go on reading those."""
    parts = [ReplayBuffer(4), filled(3, 1)]
    whole = ReplayBufferManager(parts)
    assert [given is part for given, part in zip(whole.buffers, parts, strict=True)] == [True, True]
    for number in range(5):
        whole.add(rows([number, 10 + number], [number == 3, False]))
    assert [part[:].obs.tolist() for part in parts] == [[1, 2, 3, 4], [12, 13, 14]]
    assert [np.shares_memory(part.obs, whole.obs) for part in parts] == [True, True]
    assert (parts[0].next([0, 2, 3]).tolist(), parts[0].unfinished_index().tolist()) == ([0, 3, 3], [0])
    assert len(parts[1].sample(5)[1]) == 5
    copy = pickle.loads(pickle.dumps(parts[0]))
    assert copy[:].obs.tolist() == [1, 2, 3, 4]
    whole.reset()
    assert [len(part) for part in parts] == [0, 0]


def test_the_main_buffer_is_the_one_that_was_given():
    main = ReplayBuffer(10)
    buffer = CachedReplayBuffer(main, 2, 5)
    caches = buffer.cached_buffers
    for number in range(3):
        buffer.add(rows([number, 10 + number], [number == 2, False]))
    assert buffer.main_buffer is main
    assert main[:].obs.tolist() == [0, 1, 2]
    assert [cache[:].obs.tolist() if len(cache) else [] for cache in caches] == [[], [10, 11, 12]]


def test_prioritized_buffers_that_were_given_show_their_priorities():
    parts = [PrioritizedReplayBuffer(4, 1.0, 1.0) for _ in range(2)]
    whole = PrioritizedReplayBufferManager(parts)
    whole.add(rows([0, 1], [False, False]))
    whole.update_weight([0, 4], [3.0, 7.0])
    assert whole.buffers[1] is parts[1]
    assert [part.get_weight(0) for part in parts] == pytest.approx([1 / 3, 1 / 7], rel=1e-5)


def test_stack_num_can_be_set_afterwards_and_reaches_every_part():
    parts = [filled(8, 3), filled(8, 7)]
    whole = ReplayBufferManager(parts)
    whole.stack_num = 3
    assert whole[[1, 14]].obs.tolist() == [[0, 0, 1], [4, 5, 6]]
    assert [part.stack_num for part in whole.buffers] == [3, 3]
    assert parts[1][6].obs.tolist() == [4, 5, 6]
    single = filled(8, 3)
    single.stack_num = 2
    assert single[2].obs.tolist() == [1, 2]
    with pytest.raises(UsageError, match="stack_num=0"):
        single.stack_num = 0
    assert single.stack_num == 2


@pytest.mark.parametrize("change", ["reset", "cut"])
def test_a_part_is_changed_through_the_whole_alone(change):
    part = filled(4, 3)
    whole = ReplayBufferManager([part])
    with pytest.raises(UsageError, match=f"this is a part of a buffer: {change} the whole"):
        getattr(part, change)()
    with pytest.raises(UsageError, match=r"buffer_list\[0\] is a part of a buffer already"):
        ReplayBufferManager([part])
    assert len(whole) == len(part) == 3


def test_managers_refuse():
    with pytest.raises(UsageError, match="buffer_list is empty"):
        ReplayBufferManager([])
    with pytest.raises(UsageError, match=r"buffer_list\[1\] has BufferOptions\(stack_num=2"):
        ReplayBufferManager([ReplayBuffer(3), ReplayBuffer(3, stack_num=2)])
    with pytest.raises(UsageError, match=r"buffer_list\[0\] is a ReplayBufferManager, which has parts"):
        ReplayBufferManager([ReplayBufferManager([ReplayBuffer(3), ReplayBuffer(3)])])
    with pytest.raises(NotImplementedError):
        ReplayBufferManager([ReplayBuffer(3)]).update(ReplayBuffer(3))
