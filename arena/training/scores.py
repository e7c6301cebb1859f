"""Names of the scores of a snapshot, and how they read. Imports no torch.

Where snapshots win and lose, scores are points a game, 0 to 1, by opponent. Where nobody wins, in cooperative games, in
those of one seat and in Gymnasium environments, they are what the snapshot earns: its mean `return` and the ends of the
95 % interval; and for comparison what teams of other agents earn, by `return/SPEC`.
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena.base.intervals import mean_error
from arena.policy.snapshots import RETURN

Measure = Literal["score", "return"]
"""What snapshots of a training are measured by: points against opponents, or what they earn."""
LOW, HIGH, OTHER = f"{RETURN}_low", f"{RETURN}_high", f"{RETURN}/"
"""Names of the ends of the interval, and the beginning of those of other teams."""


def return_scores(returns: NDArray[np.float64]) -> dict[str, float]:
    """Return the mean of returns [G] and the ends of its 95 % interval, by name."""
    mean, error = float(returns.mean()), mean_error(len(returns), float(returns.sum()), float(returns @ returns))
    return {RETURN: mean, LOW: mean - error, HIGH: mean + error}


def return_words(scores: Mapping[str, float]) -> str:
    """Return a mean return with its 95 % interval in words.

    >>> return_words({"return": 12.0, "return_low": 11.5, "return_high": 12.5})
    '12 ±0.5'
    """
    error = (scores[HIGH] - scores[LOW]) / 2 if {LOW, HIGH} <= scores.keys() else None
    return f"{scores[RETURN]:.4g}" + ("" if error is None else f" ±{error:.2g}")


def score_words(evaluation: Mapping[str, float]) -> list[str]:
    """Return scores in words, that of the snapshot first where it is a return.

    >>> score_words({"random": 0.98, "one-ply": 0.5})
    ['random 98%', 'one-ply 50%']
    >>> score_words({"return": 12.0, "return_low": 11.5, "return_high": 12.5, "return/random": 1.25})
    ['return 12 ±0.5', 'random 1.25']
    """
    if RETURN not in evaluation:
        return [f"{name} {value:.0%}" for name, value in evaluation.items()]
    others = other_returns(evaluation)
    return [f"return {return_words(evaluation)}", *(f"{name} {value:.4g}" for name, value in others.items())]


def other_returns(scores: Mapping[str, float]) -> dict[str, float]:
    """Return what teams of other agents earn, by their specs."""
    return {name.removeprefix(OTHER): value for name, value in scores.items() if name.startswith(OTHER)}
