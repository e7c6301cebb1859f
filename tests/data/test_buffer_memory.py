"""What a buffer takes in memory: the bytes of its arrays, and little else."""

import tracemalloc

import numpy as np
import pytest

from arena.data import Batch, PrioritizedVectorReplayBuffer, ReplayBuffer, VectorReplayBuffer

SIZE, PARTS = 100_000, 10
BUFFERS = {
    "vector": lambda: VectorReplayBuffer(SIZE, PARTS),
    "no next observations": lambda: VectorReplayBuffer(SIZE, PARTS, ignore_obs_next=True),
    "last frames": lambda: VectorReplayBuffer(SIZE, PARTS, stack_num=4, ignore_obs_next=True, save_only_last_obs=True),
    "one part": lambda: ReplayBuffer(SIZE),
    "prioritized": lambda: PrioritizedVectorReplayBuffer(SIZE, PARTS, 0.6, 0.4),
}


def rows(count: int) -> Batch:
    """Steps like those of CartPole, with four frames in a row."""
    obs, no = np.zeros((count, 4), np.float32), np.zeros(count, bool)
    return Batch(obs=obs, act=np.zeros(count, int), rew=np.ones(count), terminated=no, truncated=no, obs_next=obs)


def stored_bytes(batch: Batch) -> int:
    return sum(stored_bytes(value) if isinstance(value, Batch) else value.nbytes for value in batch.values())


@pytest.mark.parametrize("kind", BUFFERS)
def test_a_buffer_takes_five_percent_more_than_its_arrays_at_most(kind):
    make, step = BUFFERS[kind], rows(BUFFERS[kind]().buffer_num)
    ids = np.arange(len(step.rew))
    make().add(step, ids)  # kernels are loaded
    tracemalloc.start()
    try:
        buffer = make()
        for _ in range(50):
            buffer.add(step, ids)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    arrays = stored_bytes(buffer.state_dict().storage)
    if kind == "prioritized":
        arrays += 2 * 8 * 2**17  # the sum tree: two numbers for each of the next power of two of places
    assert arrays <= taken <= 1.05 * arrays


def test_what_is_not_wanted_is_not_stored():
    step, ids = rows(PARTS), np.arange(PARTS)
    taken = {}
    for kind in ("vector", "no next observations", "last frames"):
        buffer = BUFFERS[kind]()
        buffer.add(step, ids)
        taken[kind] = stored_bytes(buffer.state_dict().storage) // SIZE
    assert taken == {"vector": 51, "no next observations": 35, "last frames": 23}
