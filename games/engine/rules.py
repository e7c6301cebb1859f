"""The functions that every game file provides, with what each must do.

These are placeholders: `games.engine.compiler` puts the game's own functions in their place in every template of
kernels that imports from here. Each works on one state record, is decorated with `numba.njit`, and allocates nothing.
"""

from typing import Any

from numpy.typing import NDArray


def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Write into `mask` (bool [A], all False on entry) True at the actions of the player to move."""
    raise NotImplementedError


def apply(state: Any, action: int) -> None:
    """Play a legal `action`; sets `state.current_player` to the seat that moves next or to TERMINAL."""
    raise NotImplementedError


def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write what `seat` sees into `out` [O], every entry of it."""
    raise NotImplementedError


def returns(state: Any, out: NDArray[Any]) -> None:
    """Write what each seat has earned since the start into `out` (float32 [P], all zero on entry)."""
    raise NotImplementedError
