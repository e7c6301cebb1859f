"""Regret matching: weights of actions as a strategy.

S. Hart and A. Mas-Colell, "A Simple Adaptive Procedure Leading to Correlated Equilibrium", Econometrica 2000.
"""

from arena.analysis.tree import Floats, SequenceForm
from arena.base.jit import njit


@njit(inline="always")
def match(regrets: Floats, begin: int, end: int, strategy: Floats) -> None:
    """Regret matching: write actions in proportion to their positive regrets, uniform if there are none."""
    total = 0.0
    for q in range(begin, end):
        total += max(regrets[q], 0.0)
    for q in range(begin, end):
        strategy[q] = max(regrets[q], 0.0) / total if total > 0.0 else 1.0 / (end - begin)


@njit(cache=True, nogil=True)
def match_all(form: SequenceForm, weights: Floats, strategy: Floats) -> None:
    """Write into `strategy` [Q] actions in proportion to their weights as far as these are above 0."""
    for state in range(form.parent.shape[0]):
        match(weights, form.first_sequence[state], form.first_sequence[state + 1], strategy)
