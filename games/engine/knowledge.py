"""Knowledge of a seat: a template that `games.engine.compiler` turns into machine code for one game.

Shapes as in `games.engine.batch`; `seats` (int64 [R]) is the seat in each of the R games of `states`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.jit import njit
from games.engine.rules import determinize, information_state, redact, reseed


@njit(cache=True, nogil=True)
def redact_all(states: NDArray[Any], seats: NDArray[np.int64]) -> None:
    """Blank what each seat may not know, future chance outcomes included."""
    for j in range(states.shape[0]):
        redact(states[j], seats[j])
        reseed(states[j], 0)


@njit(cache=True, nogil=True)
def determinize_all(states: NDArray[Any], seats: NDArray[np.int64], seeds: NDArray[np.uint64]) -> None:
    """Replace what each seat may not know by a fresh sample, future chance outcomes included."""
    for j in range(states.shape[0]):
        reseed(states[j], seeds[j])
        determinize(states[j], seats[j])


@njit(cache=True, nogil=True)
def information_states(states: NDArray[Any], seats: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Write the information state of each seat, [R, I]."""
    for j in range(states.shape[0]):
        information_state(states[j], seats[j], out[j])
