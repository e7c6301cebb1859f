"""Nash averaging: who would be worth playing if everybody chose their champions well.

A meta-game: both sides pick a player, and the payoff is the log-odds of its score. Its Nash equilibrium of maximal
entropy weighs the players; a player's skill is its payoff against that mix, 0 for those who belong to it. Adding copies
of a player or weak opponents changes nothing, which is not so for averages over all opponents (D. Balduzzi, K. Tuyls,
J. Perolat and T. Graepel, "Re-evaluating evaluation", NeurIPS 2018, arXiv 1806.02643, section 4).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

SLACK = 1e-9
"""What a player may gain over the value 0: without it the constraints have no interior."""
NOTHING = 1e-6
"""Shares below it are none."""


def nash_average(payoffs: Floats) -> tuple[Floats, Floats]:
    """The equilibrium of maximal entropy [N] and everybody's payoff against it [N], at most 0.

    `payoffs` [N, N] is antisymmetric: what the row earns from the column. Solved is: minimise p log p where payoffs @ p
    is at most `SLACK` and p sums to 1, by a primal-dual interior-point method (Boyd and Vandenberghe, "Convex
    Optimization", section 11.7).
    """
    size = len(payoffs)
    payoffs = np.asarray(payoffs, float)
    shares, slacks, prices, level = np.full(size, 1 / size), np.ones(size), np.ones(size), 0.0
    system = np.zeros((size + 1, size + 1))
    system[:size, size] = system[size, :size] = 1
    for _ in range(500):
        target = 0.1 * (slacks @ prices) / size
        dual = np.log(shares) + 1 + payoffs.T @ prices + level
        primal = payoffs @ shares + slacks - SLACK
        ratio = prices / slacks
        system[:size, :size] = np.diag(1 / shares) + payoffs.T @ (ratio[:, None] * payoffs)
        pull = payoffs.T @ (ratio * primal + target / slacks - prices)
        step = np.linalg.solve(system, -np.append(dual + pull, shares.sum() - 1))
        share_step, level_step = step[:size], step[size]
        slack_step = -primal - payoffs @ share_step
        price_step = target / slacks - prices - ratio * slack_step
        length = min(_room(shares, share_step), _room(slacks, slack_step), _room(prices, price_step))
        shares = np.maximum(shares + length * share_step, 1e-30)
        slacks = slacks + length * slack_step
        prices, level = prices + length * price_step, level + length * level_step
        if slacks @ prices < 1e-12 and np.abs(primal).max() < 1e-12 and np.abs(shares * dual).max() < 1e-9:
            break
    shares = np.where(shares < NOTHING, 0.0, shares)
    shares /= shares.sum()
    return shares, payoffs @ shares


def _room(values: Floats, step: Floats) -> float:
    """How much of `step`, at most all, keeps `values` above 0."""
    shrinking = step < 0
    return float(min(1.0, 0.95 * np.min(-values[shrinking] / step[shrinking], initial=np.inf)))
