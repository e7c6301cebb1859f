"""Returns and advantages over trajectories, as compiled kernels from arrays to arrays.

The kernels are loops over `gae_between` and `n_step_from`, which `arena.policy.device_returns` runs on a CUDA device.
T transitions stand in the order of time, trajectory after trajectory. The flags `done` alone separate trajectories, so
that values of a neighbour are never used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.data.buffer.ring import ring_of
from games.engine.entries import unowned
from games.engine.jit import njit

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Steps(NamedTuple):
    """T transitions in the order of time."""

    rew: Floats
    value: Floats
    """Value of each one's observation, [T]."""
    next_value: Floats
    """Value of each one's own next observation, [T], counted as 0 where it terminated."""
    done: Bools
    places: Ints
    """Places in a buffer of size S, [T]."""
    terminated: Bools
    """Which transitions of the buffer terminated, [S]."""
    under_way: Bools
    """Behind which nothing follows as yet, [S]."""


class Rewards(NamedTuple):
    """The rewards in a buffer of K rings, as `arena.data.buffer.ring` describes them."""

    rew: Floats
    done: Bools
    edges: Ints
    """Where the rings begin, and the size of the buffer, [K + 1]."""
    fill: Ints
    newest: Ints


@njit(inline="always")
def gae_between(
    first: int, end: int, steps: Steps, decay: tuple[float, float], returns: Floats, advantage: Floats
) -> None:
    """Write returns and advantages of the transitions from `first` up to `end` (excluded), which end a trajectory."""
    rew, value, next_value, done, index, terminated, under_way = steps
    gamma, following, decay_of_errors = decay[0], 0.0, decay[0] * decay[1]
    # Backwards: A(t) = delta(t) + gamma lambda A(t + 1), where t + 1 is of the same trajectory.
    for t in range(end - 1, first - 1, -1):
        bootstrap = 0.0 if terminated[index[t]] else next_value[t]
        delta = rew[t] + gamma * bootstrap - value[t]
        following = delta if done[t] or under_way[index[t]] else delta + decay_of_errors * following
        advantage[t] = following
        returns[t] = following + value[t]


@njit(inline="always")
def n_step_from(place: int, ring: int, n: int, gamma: float, buffer: Rewards) -> tuple[float, int, float]:
    """Return the discounted sum of rewards from a place of a ring, the place of the last one, and the discount then."""
    reward_sum, factor = buffer.rew[place], gamma
    for _ in range(n - 1):
        if buffer.done[place] or place == buffer.newest[ring]:
            break
        place += 1
        if place == buffer.edges[ring] + buffer.fill[ring]:
            place = buffer.edges[ring]
        reward_sum += factor * buffer.rew[place]
        factor *= gamma
    return reward_sum, place, factor


@njit(cache=True, nogil=True, fastmath={"contract"})
def gae(
    rew: Floats,
    value: Floats,
    next_value: Floats,
    done: Bools,
    index: Ints,
    terminated: Bools,
    under_way: Bools,
    decay: tuple[float, float],
) -> tuple[Floats, Floats]:
    """Compute returns [T] and generalised advantage estimates [T] (Schulman et al. 2016, arXiv 1506.02438, eq. 16).

    `next_value` [T] is the value of each transition's own next observation, counted as 0 where it terminated; a
    truncated transition bootstraps from it, but ends its trajectory all the same. `index` [T] are the places in a
    buffer of size S, which says who `terminated` [S], and behind whom nothing follows as yet (`under_way` [S]).
    `decay` are gamma and lambda of the paper.
    """
    returns, advantage = np.empty_like(rew), np.empty_like(rew)
    steps = unowned(Steps(rew, value, next_value, done, index, terminated, under_way))
    gae_between(0, rew.shape[0], steps, decay, returns, advantage)
    return returns, advantage


@njit(cache=True, nogil=True)
def n_step(
    index: Ints, n: int, gamma: float, rew: Floats, done: Bools, edges: Ints, fill: Ints, newest: Ints
) -> tuple[Floats, Ints, Floats]:
    """Compute sums of up to `n` rewards from places of a buffer, up to the end of the episode or the newest entry.

    The buffer is one of rings with `edges` [K + 1] as in `arena.data.buffer.ring`. Returns for each place of `index`
    [I] the discounted sum, the place of the last reward in it, and the discount of what follows that.
    """
    total, last, discount = np.empty(index.shape[0]), np.empty_like(index), np.empty(index.shape[0])
    buffer = unowned(Rewards(rew, done, edges, fill, newest))
    ring = 0
    for i in range(index.shape[0]):
        place = index[i]
        if not edges[ring] <= place < edges[ring + 1]:  # to ask only where it changes is three times as fast
            ring = ring_of(place, edges)
        total[i], last[i], discount[i] = n_step_from(place, ring, n, gamma, buffer)
    return total, last, discount
