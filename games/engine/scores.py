"""Returns from scores, for games with any number of seats."""

from typing import Any

from numpy.typing import NDArray

from games.engine.jit import njit


@njit
def highest(scores: NDArray[Any]) -> Any:
    """Return the best of the `scores` [P]."""
    best = scores[0]
    for score in scores:
        best = max(best, score)
    return best


@njit
def share_win(scores: NDArray[Any], out: NDArray[Any]) -> None:
    """Write returns that sum to zero: the seats with the best of the `scores` [P] share +1, all others share -1.

    Nothing where all have the same. (So OpenSpiel's games do.)
    """
    best, winners = highest(scores), 0
    for score in scores:
        winners += score == best
    losers = scores.shape[0] - winners
    if losers == 0:
        return
    for seat in range(scores.shape[0]):
        out[seat] = 1 / winners if scores[seat] == best else -1 / losers
