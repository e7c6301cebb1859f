"""Default rules: no chance, nothing hidden, no shortcuts."""

from typing import Any

from numpy.typing import NDArray

from games.engine.jit import njit


@njit
def random_action(state: Any, bits: Any) -> int:
    """Leave the choice to the mask."""
    return -1


@njit
def playout_action(state: Any, bits: Any) -> int:
    """Leave the choice to `random_action`."""
    return -1


@njit
def prior(state: Any, action: int) -> float:
    """Return 0: nothing is known of an action."""
    return 0.0


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Do nothing: chance never moves."""


@njit
def draw_outcome(state: Any) -> int:
    """Leave the draw to `chance_outcomes`."""
    return -1


@njit
def draw(state: Any) -> float:
    """Return 0: nothing is drawn."""
    return 0.0


@njit
def reseed(state: Any, seed: int) -> None:
    """Do nothing: there is no random stream."""


@njit
def heuristic(state: Any, seat: int) -> float:
    """Return 0, the value of a draw."""
    return 0.0


@njit
def features(state: Any, seat: int, out: NDArray[Any]) -> bool:
    """Leave it at what is observed."""
    return False


@njit
def redact(state: Any, seat: int) -> None:
    """Do nothing: nothing is hidden."""


@njit
def determinize(state: Any, seat: int) -> None:
    """Do nothing: nothing is hidden."""


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Do nothing: such games have `information_shape=None`, and this is never called."""
