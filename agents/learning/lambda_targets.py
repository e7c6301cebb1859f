"""TD(lambda) targets of distributions over results (Sutton 1988; Watkins 1989 for moves that were not the best)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.jit import njit


class Turns(NamedTuple):
    """T decisions in the order of time, trajectory after trajectory, over K results."""

    best: NDArray[np.float32]
    """Distribution over the results of the best end of the turn, as it was predicted, [T, K]."""
    ended: NDArray[np.bool_]
    """Whether the action ended the turn, [T]."""
    greedy: NDArray[np.bool_]
    """Whether the action led to the best end, [T]."""
    terminated: NDArray[np.bool_]
    """Whether the game was over before the seat's next decision, [T]."""
    result: NDArray[np.int64]
    """Number of the result of those games, [T]."""
    cut: NDArray[np.bool_]
    """Whether nothing is known of what followed, [T]."""


@njit(cache=True, nogil=True)
def lambda_targets(turns: Turns, decay: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the targets [T, K], and which decisions have one [T]: ends of turns that were chosen and followed.

    The target of a turn is that of the next one, with weight `decay` (lambda), beside what is predicted there; a game
    that is over gives its result. A turn counts once, at its last action.
    """
    count, results = turns.best.shape
    target, learned = np.empty((count, results), np.float32), np.empty(count, np.bool_)
    for t in range(count - 1, -1, -1):
        if turns.terminated[t]:
            target[t] = 0
            target[t, turns.result[t]] = 1
        elif turns.cut[t]:
            target[t] = turns.best[t]
        elif not turns.ended[t]:
            target[t] = target[t + 1]
        else:
            weight = decay if turns.greedy[t + 1] else 0.0
            for k in range(results):
                target[t, k] = (1 - weight) * turns.best[t + 1, k] + weight * target[t + 1, k]
        learned[t] = turns.greedy[t] and turns.ended[t] and (turns.terminated[t] or not turns.cut[t])
    return target, learned
