"""Returns of 100,000 transitions beside Tianshou's, and the delay of the first call in a process."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from arena.data import Batch, VectorReplayBuffer
from arena.policy.base import BasePolicy
from benchmarks.measure import NOBODY, Peer, Row, Work, duration, in_a_process, missing, rate

TRANSITIONS, RINGS, EPISODE, STEPS = 100_000, 10, 200, 3

IMPORTED = """
import numpy as np
from arena.data import Batch, VectorReplayBuffer
from arena.policy.base import BasePolicy
buffer, two = VectorReplayBuffer(8, 2), np.ones(2)
"""
FILL = "buffer.add(Batch(obs=two, act=two, rew=two, done=two > 0, obs_next=two))"
FILLED = f"""{IMPORTED}
{FILL}
places = buffer.sample_indices(0)
rows, value = buffer[places], np.zeros(len(places))
"""
GAE = "BasePolicy.compute_episodic_return(rows, buffer, places, value, value)"
N_STEP = """
import torch
BasePolicy.compute_nstep_return(rows, buffer, places, lambda buffer, at: torch.zeros(len(at)), n_step=3)
"""


def rows() -> Iterator[Row]:
    """Measure transitions a second; then seconds of a first call, with kernels cached by an earlier process."""
    torch.set_num_threads(1)  # numba's count was set in the environment
    title = "Tianshou, the same"
    absent = missing(title, "tianshou")
    ours, theirs = from_arena(), () if absent else from_tianshou()
    for name, loop in (("GAE", advantages), (f"{STEPS}-step returns", targets)):
        peer = absent or Peer(title, loop(*theirs))
        yield rate("returns", f"{name} of {TRANSITIONS:,} transitions", "transitions/s", loop(*ours), peer)
    for name, call, setup in (
        ("GAE: first call of a process", GAE, FILLED),
        (f"{STEPS}-step returns: first call of a process", N_STEP, FILLED),
        ("before it: the first addition to a buffer, at which numba starts", FILL, IMPORTED),
    ):
        first = in_a_process(call, setup)
        first()  # puts kernels on disk
        yield duration("returns", name, first, NOBODY)


def advantages(returns: Any, buffer: Any) -> Work:
    """Compute GAE with given values."""
    places = buffer.sample_indices(0)
    rows, value = buffer[places], np.random.default_rng(0).random((2, TRANSITIONS))

    def compute() -> int:
        returns.compute_episodic_return(rows, buffer, places, value[0], value[1], 0.99, 0.95)
        return TRANSITIONS

    return compute


def targets(returns: Any, buffer: Any) -> Work:
    """Compute n-step targets with a value function that costs nothing."""
    places = buffer.sample_indices(0)
    rows, value = buffer[places], torch.zeros(TRANSITIONS, 1)

    def compute() -> int:
        returns.compute_nstep_return(rows, buffer, places, lambda _, at: value, 0.99, STEPS)
        return TRANSITIONS

    return compute


def filled(buffer: Any, batch: Any) -> Any:
    """Return a full buffer of episodes; the last one of each part is cut one step before its end."""
    zero, no = np.zeros((RINGS, 4), np.float32), np.zeros(RINGS, bool)
    step = batch(obs=zero, act=no.astype(int), rew=np.ones(RINGS), truncated=no, obs_next=zero, info={})
    for t in range(1, TRANSITIONS // RINGS + 1):
        step.terminated = step.done = no | (t % EPISODE == EPISODE - 1)
        buffer.add(step, buffer_ids=np.arange(RINGS))
    return buffer


def from_arena() -> tuple[Any, Any]:
    return BasePolicy, filled(VectorReplayBuffer(TRANSITIONS, RINGS), Batch)


def from_tianshou() -> tuple[Any, Any]:
    from tianshou.algorithm.algorithm_base import Algorithm
    from tianshou.data import Batch as TheirBatch
    from tianshou.data import VectorReplayBuffer as TheirBuffer

    return Algorithm, filled(TheirBuffer(TRANSITIONS, RINGS), TheirBatch)
