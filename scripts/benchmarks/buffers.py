"""Buffers: adding, sampling and updating priorities for ten environments (or 1,024), beside Tianshou's."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arena.data import Batch, PrioritizedVectorReplayBuffer, VectorReplayBuffer
from benchmarks.measure import Peer, Row, Work, missing, rate

ENVS, ROWS, LENGTH, SAMPLE = 10, 1024, 1000, 64
PRIORITIES = {"alpha": 0.6, "beta": 0.4}


def rows() -> Iterator[Row]:
    """Measure additions in transitions a second, everything else in calls a second."""
    for envs in (ENVS, ROWS):
        work = f"VectorReplayBuffer.add, {envs:,} rows a call"
        ours = adding(VectorReplayBuffer(envs * LENGTH, envs), Batch, envs)
        # the peer stores 1,024 rows one by one: what it does with ten is what it does
        yield rate("buffers", work, "transitions/s", ours, peer(f"{ENVS} rows a call", adding))
    size = ENVS * LENGTH
    buffer, weighted = VectorReplayBuffer(size, ENVS), PrioritizedVectorReplayBuffer(size, ENVS, **PRIORITIES)
    work = f"sample({SAMPLE}) of {ENVS} parts"
    yield rate("buffers", work, "calls/s", sampling(buffer), peer("the same", sampling))
    work = f"prioritized sample({SAMPLE})"
    yield rate("buffers", work, "calls/s", sampling(weighted), peer("the same", sampling, **PRIORITIES))
    work = f"update_weight of {SAMPLE}"
    yield rate("buffers", work, "calls/s", weighing(weighted), peer("the same", weighing, **PRIORITIES))


def adding(buffer: Any, batch: Any, envs: int = ENVS) -> Work:
    """Add a step of environments like CartPole; `batch` is the class that the buffer takes."""
    rng, no = np.random.default_rng(0), np.zeros(envs, bool)
    observation, obs_next = rng.random((2, envs, 4), np.float32)
    step = batch(
        obs=observation, act=np.zeros(envs, int), rew=np.ones(envs), terminated=no, truncated=no, done=no, info={}
    )
    step.obs_next = obs_next
    ids = np.arange(envs)

    def add() -> int:
        buffer.add(step, buffer_ids=ids)
        return envs

    return add


def sampling(buffer: Any, batch: Any = Batch) -> Work:
    """Sample from a full buffer."""
    fill(buffer, batch)

    def sample() -> int:
        buffer.sample(SAMPLE)
        return 1

    return sample


def weighing(buffer: Any, batch: Any = Batch) -> Work:
    """Update priorities in a full buffer."""
    fill(buffer, batch)
    _, places = buffer.sample(SAMPLE)
    weight = np.random.default_rng(0).random(SAMPLE)

    def weigh() -> int:
        buffer.update_weight(places, weight)
        return 1

    return weigh


def fill(buffer: Any, batch: Any) -> None:
    add = adding(buffer, batch)
    for _ in range(LENGTH):
        add()


def peer(work: str, loop: Callable[[Any, Any], Work], **priorities: float) -> Peer:
    """Return Tianshou's buffer at the same work, prioritized if there are exponents."""
    name = f"Tianshou, {work}"
    absent = missing(name, "tianshou")
    if absent is not None:
        return absent
    from tianshou.data import Batch as TheirBatch
    from tianshou.data import PrioritizedVectorReplayBuffer as TheirPrioritized
    from tianshou.data import VectorReplayBuffer as TheirBuffer

    make = TheirPrioritized if priorities else TheirBuffer
    return Peer(name, loop(make(ENVS * LENGTH, ENVS, **priorities), TheirBatch))
