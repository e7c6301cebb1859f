"""Counterfactual regret minimization, plain, CFR+ and discounted, over the sequence form of a tree.

- CFR: M. Zinkevich, M. Johanson, M. Bowling, C. Piccione, "Regret minimization in games with incomplete information",
  NIPS 2007
- CFR+: O. Tammelin, "Solving large imperfect information games using CFR+", 2014, arXiv 1407.5042
- discounted CFR: N. Brown, T. Sandholm, "Solving imperfect-information games via discounted regret minimization", AAAI
  2019, arXiv 1809.04040; the others are cases of it

In an iteration every seat is updated in turn, against what the seats before it have just become (alternating updates).
The counterfactual value of an action is what its sequence earns when the others play their parts, so one pass over a
seat's payoffs, from the last of its information states to the first, gives all of them.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from arena.equilibrium.response import immediate, realize
from arena.equilibrium.tree import Floats, GameTree, SequenceForm


@dataclass(frozen=True)
class Discount:
    """How the past fades: the three exponents of DCFR (section 4 of the paper); t counts iterations from 1."""

    positive: float
    """Alpha: after iteration t positive regrets are multiplied by t^a / (t^a + 1); inf keeps them."""
    negative: float
    """Beta, the same for negative ones; -inf forgets them, which is regret matching+."""
    average: float
    """Gamma: iteration t counts t^g in the average."""


CFR = Discount(math.inf, math.inf, 0.0)
CFR_PLUS = Discount(math.inf, -math.inf, 1.0)
LINEAR_CFR = Discount(1.0, 1.0, 1.0)
DCFR = Discount(1.5, 0.0, 2.0)


def iterate(tree: GameTree, discount: Discount, regrets: Floats, average: Floats, done: int, iterations: int) -> None:
    """Go on for some `iterations` after those `done`, changing `regrets` and `average` [Q] in place.

    `average` sums up how likely each seat did its part for each sequence, not yet normalised.
    """
    strategy, plan, worth = np.empty_like(regrets), np.empty_like(regrets), np.zeros_like(regrets)
    match_all(tree.form, regrets, strategy)
    realize(tree.form, strategy, plan)
    exponents = (discount.positive, discount.negative, discount.average)
    _iterate(tree.form, exponents, done, iterations, regrets, average, strategy, plan, worth)


@njit(cache=True, nogil=True)
def _iterate(
    form: SequenceForm,
    exponents: tuple[float, float, float],
    done: int,
    iterations: int,
    regrets: Floats,
    average: Floats,
    strategy: Floats,
    plan: Floats,
    worth: Floats,
) -> None:
    for t in range(done + 1, done + iterations + 1):
        kept = (fade(t, exponents[0]), fade(t, exponents[1]))
        weight = np.float64(t) ** exponents[2]
        for seat in range(form.first_state.shape[0] - 1):
            counterfactual(form, seat, strategy, plan, worth)
            update(form, seat, kept, weight, regrets, average, strategy, plan, worth)


@njit(cache=True, nogil=True)
def fade(t: int, exponent: float) -> float:
    """The factor on regrets after iteration t."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = np.float64(t) ** exponent
    return power / (power + 1.0)


@njit(cache=True, nogil=True)
def counterfactual(form: SequenceForm, seat: int, strategy: Floats, plan: Floats, worth: Floats) -> None:
    """Write the counterfactual values of a seat's sequences into `worth` [Q], which is all zero on entry."""
    first, last = form.first_state[seat], form.first_state[seat + 1]
    for state in range(last - 1, first - 1, -1):
        value = 0.0
        for q in range(form.first_sequence[state], form.first_sequence[state + 1]):
            worth[q] += immediate(form, q, plan)
            value += strategy[q] * worth[q]
        worth[form.parent[state]] += value


@njit(cache=True, nogil=True)
def update(
    form: SequenceForm,
    seat: int,
    kept: tuple[float, float],
    weight: float,
    regrets: Floats,
    average: Floats,
    strategy: Floats,
    plan: Floats,
    worth: Floats,
) -> None:
    """Add to a seat's average and regrets, and let it play by its new regrets; `worth` is zero again afterwards."""
    worth[seat] = 0.0
    for state in range(form.first_state[seat], form.first_state[seat + 1]):
        begin, end = form.first_sequence[state], form.first_sequence[state + 1]
        value = 0.0
        for q in range(begin, end):
            value += strategy[q] * worth[q]
        for q in range(begin, end):
            average[q] += weight * plan[q]
            regret = regrets[q] + worth[q] - value
            regrets[q] = regret * (kept[0] if regret > 0.0 else kept[1])
            worth[q] = 0.0
        match(regrets, begin, end, strategy)
        reach = plan[form.parent[state]]
        for q in range(begin, end):
            plan[q] = reach * strategy[q]


@njit(inline="always")
def match(regrets: Floats, begin: int, end: int, strategy: Floats) -> None:
    """Regret matching: actions in proportion to their positive regret, all alike where there is none."""
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
