"""Posterior of a player's strength after one game, by Bayes' rule: for ratings updated after every game.

Glicko-2's step 7 makes one Newton step from the old rating. That suits a period of many games with a rating near the
truth. Game by game it corrects large errors too little, and its deviations shrink too fast. Here mean and variance
after a game are those of the posterior itself, by quadrature.
"""

import math

import numpy as np

from arena.base.jit import njit

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@njit(cache=True)
def after_game(mu: float, phi: float, other_mu: float, other_phi: float, score: float) -> tuple[float, float]:
    """Return mean and standard deviation of a strength, normal (`mu`, `phi`) before, after a score of 0, 0.5 or 1.

    The probability to beat an opponent of strength (`other_mu`, `other_phi`) is Glicko's: logistic in the difference,
    discounted by the opponent's uncertainty. All are on Glicko-2's internal scale. A draw moves both
    numbers to the middle of where a win and a loss would.
    """
    discount = 1 / math.sqrt(1 + 3 * (other_phi / math.pi) ** 2)
    chance = win_mean = win_square = 0.0
    for i in range(len(NODES)):
        off = phi * NODES[i]
        won = WEIGHTS[i] / (1 + math.exp(-discount * (mu + off - other_mu)))
        chance += won
        win_mean += won * off
        win_square += won * off**2
    won, lost = win_mean / chance, -win_mean / (1 - chance)
    after_win, after_loss = win_square / chance - won**2, (phi**2 - win_square) / (1 - chance) - lost**2
    variance = score * after_win + (1 - score) * after_loss
    return mu + score * won + (1 - score) * lost, math.sqrt(variance)
