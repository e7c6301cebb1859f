"""Nash averaging: weights of players in the equilibrium of choosing a champion.

A meta-game: both sides pick a player, and the payoff is the log-odds of its score. Its Nash equilibrium of maximal
entropy weighs the players; a player's skill is its payoff against that mix, 0 for those who belong to it. Adding copies
of a player or weak opponents changes nothing, which is not so for averages over all opponents (D. Balduzzi, K. Tuyls,
J. Perolat and T. Graepel, "Re-evaluating evaluation", NeurIPS 2018, arXiv 1806.02643, section 4).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

LEAST = 1e-9
"""Largest gain over the value 0 that the solution leaves."""
NOTHING = 1e-6
"""Shares below this are set to 0."""


def nash_average(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return the equilibrium of maximal entropy [N] and every player's payoff against it [N], at most 0.

    `payoffs` [N, N] is antisymmetric: the payoff of row against column. The equilibrium maximises the entropy of the
    shares p where payoffs @ p is at most some `slack`. By duality p is the softmax of payoffs @ prices for the
    prices, at least 0, that minimise log(sum(exp(payoffs @ prices))) + slack * sum(prices). A barrier of weight `slack`
    keeps prices above 0; both go to 0 together (Boyd and Vandenberghe, "Convex Optimization", 5.1.6 and 11.3).
    """
    payoffs = np.asarray(payoffs, float)
    prices = np.ones(len(payoffs))
    slack = 1.0
    while slack > LEAST:
        slack /= 10
        for _ in range(50):
            shares = _softmax(payoffs @ prices)
            residual = prices * (slack - payoffs @ shares) - slack
            skewed = payoffs * prices  # steps are relative to the prices: all of one size
            spread = skewed.T @ (shares[:, None] * skewed) - np.outer(shares @ skewed, shares @ skewed)
            step = -np.linalg.solve(spread + slack * np.eye(len(prices)), residual)
            decrease = -residual @ step
            if decrease < 1e-6 * slack:
                break
            length, now = min(1.0, 0.9 / max(-step.min(), 1e-12)), _objective(payoffs, prices, slack)
            while _objective(payoffs, prices * (1 + length * step), slack) > now - 0.1 * length * decrease:
                length /= 2
                if length < 1e-8:
                    break
            prices = prices * (1 + length * step)
    shares = _softmax(payoffs @ prices)
    shares = np.where(shares < NOTHING, 0.0, shares)
    shares /= shares.sum()
    return shares, payoffs @ shares


def solve_matrix_game(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return equilibrium strategies [M] and [N] of a zero-sum game with `payoffs` [M, N] of the first seat.

    The game is made a symmetric one (D. Gale, H. Kuhn and A. Tucker, "On symmetric games", 1950): with payoffs above 0,
    its equilibria are those of the matrix [[0, A, -1], [-A', 0, 1], [1, -1, 0]], of which `nash_average` knows the one
    of maximal entropy.
    """
    payoffs = np.asarray(payoffs, float)
    rows, columns = payoffs.shape
    spread = np.ptp(payoffs)
    symmetric = np.zeros((rows + columns + 1,) * 2)
    symmetric[:rows, rows:-1] = 1 + (payoffs - payoffs.min()) / (spread or 1.0)
    symmetric[:rows, -1], symmetric[rows:-1, -1] = -1.0, 1.0
    symmetric -= symmetric.T * (symmetric == 0)
    shares, _ = nash_average(symmetric)
    return shares[:rows] / shares[:rows].sum(), shares[rows:-1] / shares[rows:-1].sum()


def _objective(payoffs: Floats, prices: Floats, slack: float) -> float:
    pull = payoffs @ prices
    most = pull.max()
    return float(most + np.log(np.exp(pull - most).sum()) + slack * (prices - np.log(prices)).sum())


def _softmax(values: Floats) -> Floats:
    weights = np.exp(values - values.max())
    return weights / weights.sum()
