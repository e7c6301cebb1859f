"""Counterfactual regret minimization (plain, CFR+ and discounted) over the sequence form of a tree.

- CFR: M. Zinkevich, M. Johanson, M. Bowling, C. Piccione, "Regret minimization in games with incomplete information",
  NIPS 2007
- CFR+: O. Tammelin, "Solving large imperfect information games using CFR+", 2014, arXiv 1407.5042
- discounted CFR: N. Brown, T. Sandholm, "Solving imperfect-information games via discounted regret minimization", AAAI
  2019, arXiv 1809.04040; the other two are special cases

An iteration updates the seats in turn, each against the newest strategies of the others (alternating updates). The
counterfactual value of an action is the payoff of its sequence when the other seats play their strategies. One pass
over a seat's payoffs, from its last information state to its first, computes all of them.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.analysis.matching import match, match_all
from arena.analysis.response import immediate, realize
from arena.analysis.tree import Floats, GameTree, SequenceForm
from games.engine.entries import unowned
from games.engine.jit import njit


@dataclass(frozen=True)
class Discount:
    """Exponents by which DCFR discounts past iterations (section 4 of the paper); t counts iterations from 1."""

    positive: float
    """Alpha: after iteration t positive regrets are multiplied by t^alpha / (t^alpha + 1); inf keeps them."""
    negative: float
    """Beta, the same for negative regrets; -inf resets them to 0, which is regret matching+."""
    average: float
    """Gamma: iteration t has weight t^gamma in the average strategy."""


CFR = Discount(math.inf, math.inf, 0.0)
CFR_PLUS = Discount(math.inf, -math.inf, 1.0)
LINEAR_CFR = Discount(1.0, 1.0, 1.0)
DCFR = Discount(1.5, 0.0, 2.0)


class CfrTables(NamedTuple):
    """Arrays of CFR over the sequences, all [Q]."""

    regrets: Floats
    """Cumulative regrets."""
    average: Floats
    """Cumulative realization plans of each seat, not normalised."""
    strategy: Floats
    """Strategy of this iteration."""
    plan: Floats
    """Its realization plans."""
    values: Floats
    """Counterfactual values; zero between updates."""


def iterate(tree: GameTree, discount: Discount, regrets: Floats, average: Floats, done: int, iterations: int) -> None:
    """Run `iterations` after those `done`, updating `regrets` and `average` [Q] in place.

    `average` accumulates each seat's realization plan, not normalised.
    """
    strategy, plan, values = np.empty_like(regrets), np.empty_like(regrets), np.zeros_like(regrets)
    match_all(tree.form, regrets, strategy)
    realize(tree.form, strategy, plan)
    exponents = (discount.positive, discount.negative, discount.average)
    _iterate(tree.form, exponents, done, iterations, CfrTables(regrets, average, strategy, plan, values))


@njit(cache=True, nogil=True)
def _iterate(
    form: SequenceForm, exponents: tuple[float, float, float], done: int, iterations: int, tables: CfrTables
) -> None:
    form, tables = unowned(form), unowned(tables)
    for t in range(done + 1, done + iterations + 1):
        kept = (fade(t, exponents[0]), fade(t, exponents[1]))
        weight = np.float64(t) ** exponents[2]
        for seat in range(form.first_state.shape[0] - 1):
            counterfactual(form, seat, tables.strategy, tables.plan, tables.values)
            update(form, seat, kept, weight, tables)


@njit(cache=True, nogil=True)
def fade(t: int, exponent: float) -> float:
    """Return the factor on regrets after iteration t."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = np.float64(t) ** exponent
    return power / (power + 1.0)


@njit(cache=True, nogil=True)
def counterfactual(form: SequenceForm, seat: int, strategy: Floats, plan: Floats, values: Floats) -> None:
    """Write the counterfactual values of a seat's sequences into `values` [Q], which is zero on entry."""
    first, last = form.first_state[seat], form.first_state[seat + 1]
    # Information states are numbered parents first: backwards, the values of all that follows are known.
    for state in range(last - 1, first - 1, -1):
        value = 0.0
        for q in range(form.first_sequence[state], form.first_sequence[state + 1]):
            values[q] += immediate(form, q, plan)
            value += strategy[q] * values[q]
        values[form.parent[state]] += value


@njit(cache=True, nogil=True)
def update(form: SequenceForm, seat: int, kept: tuple[float, float], weight: float, tables: CfrTables) -> None:
    """Update the average, regrets, strategy and plan of a seat; reset its values to zero."""
    regrets, average, strategy, plan, values = tables
    values[seat] = 0.0
    for state in range(form.first_state[seat], form.first_state[seat + 1]):
        begin, end = form.first_sequence[state], form.first_sequence[state + 1]
        value = 0.0
        for q in range(begin, end):
            value += strategy[q] * values[q]
        for q in range(begin, end):
            average[q] += weight * plan[q]  # the plan of this iteration, which is replaced below
            regret = regrets[q] + values[q] - value
            regrets[q] = regret * (kept[0] if regret > 0.0 else kept[1])
            values[q] = 0.0
        match(regrets, begin, end, strategy)
        reach = plan[form.parent[state]]
        for q in range(begin, end):
            plan[q] = reach * strategy[q]
