"""What one game says of a player's strength, by Bayes' rule: for ratings that move with every game.

Glicko-2's step 7 goes one Newton step from where the rating stood. That suits a period of many games from near the
truth; game by game it understates how far off those are who are far off, and is the surer of itself. Here the mean and
the variance after a game are those of the posterior itself, by quadrature.
"""

import math

import numpy as np
from numba import njit

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@njit(cache=True)
def after_game(mu: float, phi: float, other_mu: float, other_phi: float, score: float) -> tuple[float, float]:
    """Mean and standard deviation of a strength, normal (`mu`, `phi`) before, after a score of 0, 0.5 or 1.

    The chance to win against another, of strength (`other_mu`, `other_phi`), is Glicko's: logistic in the difference,
    which counts the less, the less is known of the other. All are on Glicko-2's internal scale. A draw moves both
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
