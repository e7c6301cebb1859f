"""Returns and advantages on a CUDA device: `arena.policy.returns` with a thread a trajectory, or a place.

Needs numba-cuda (extra `cuda`), so it is imported where a device is asked for.
"""

from numba import cuda

from arena.data.buffer.ring import ring_of
from arena.policy.returns import Floats, Ints, Rewards, Steps, gae_between, n_step_from


@cuda.jit
def gae(steps: Steps, bounds: Ints, decay: tuple[float, float], returns: Floats, advantage: Floats) -> None:
    """Write returns [T] and advantages [T] of K stretches of transitions, [bounds[k], bounds[k + 1]).

    Each ends where a trajectory ends or is cut off, as those of one ring of a buffer do.
    """
    k = cuda.grid(1)
    if k < bounds.shape[0] - 1:
        gae_between(bounds[k], bounds[k + 1], steps, decay, returns, advantage)


@cuda.jit
def n_step(index: Ints, n: int, gamma: float, buffer: Rewards, total: Floats, last: Ints, discount: Floats) -> None:
    """Write for each place of `index` [I] what `arena.policy.returns.n_step` returns, [I] each."""
    i = cuda.grid(1)
    if i < index.shape[0]:
        place = index[i]
        total[i], last[i], discount[i] = n_step_from(place, ring_of(place, buffer.edges), n, gamma, buffer)
