"""What `games.engine.rules` means for games without chance, and without anything hidden."""

from typing import Any

from numba import njit
from numpy.typing import NDArray


@njit
def random_action(state: Any, bits: Any) -> int:
    """It takes the mask."""
    return -1


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Chance is never to move."""


@njit
def draw_outcome(state: Any) -> int:
    """It takes the probabilities."""
    return -1


@njit
def draw(state: Any) -> float:
    """Nothing is drawn."""
    return 0.0


@njit
def reseed(state: Any, seed: int) -> None:
    """There is no random stream."""


@njit
def heuristic(state: Any, seat: int) -> float:
    """It looks like a draw."""
    return 0.0


@njit
def redact(state: Any, seat: int) -> None:
    """Everybody knows everything."""


@njit
def determinize(state: Any, seat: int) -> None:
    """Everybody knows everything."""


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """A game without one has the shape None; nobody asks."""
