"""A rule for Kuhn poker whose seats know nothing but who they are."""

from typing import Any

from numba import njit
from numpy.typing import NDArray


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Own seat only."""
    out[:] = 0
    out[seat] = 1
