"""Alpha-rank: how often evolution shows each player, where the better replaces the worse.

A population of `population` copies of one player meets a mutant; mutants that score better take over with the chance of
a Moran process whose selection has strength `alpha`. The share of time that the population spends with each player is
its rank. In a cycle all of its players hold shares, and none of those below it (S. Omidshafiei et al., "alpha-Rank:
Multi-Agent Evaluation by Evolution", Scientific Reports 9, 2019, arXiv 1903.01373; here for one population).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def alpha_rank(payoffs: Floats, alpha: float = 10.0, population: int = 50) -> Floats:
    """Shares of time [N]; `payoffs` [N, N] is what the row earns against the column, such as scores from 0 to 1.

    `alpha` times `population` times the largest difference of payoffs has to stay below 700, or chances underflow.
    """
    size = len(payoffs)
    if size == 1:
        return np.ones(1)
    moves = takeover(np.asarray(payoffs, float), alpha, population) / (size - 1)
    np.fill_diagonal(moves, 0.0)
    return stationary(moves)


def takeover(payoffs: Floats, alpha: float, population: int) -> Floats:
    """Chance [N, N] that one mutant of the column's player takes over a population of the row's.

    With k mutants both kinds earn the average against the others of the population; the chance is one over
    1 + sum over l of the product over k up to l of exp(-alpha (mutant's - resident's earnings)).
    """
    mutants = np.arange(1, population)[:, None, None]
    own = np.diag(payoffs)
    against_mutants, against_residents = payoffs, payoffs.T  # [resident, mutant]: earnings of resident, of mutant
    mutant = (mutants - 1) * own[None, None, :] + (population - mutants) * against_residents
    resident = mutants * against_mutants + (population - mutants - 1) * own[None, :, None]
    exponents = -alpha * np.cumsum((mutant - resident) / (population - 1), axis=0)
    highest = np.maximum(exponents.max(axis=0), 0.0)
    return np.exp(-highest) / (np.exp(-highest) + np.exp(exponents - highest).sum(axis=0))


def stationary(moves: Floats) -> Floats:
    """Stationary distribution [N] of a chain with these chances to move [N, N]; the diagonal is not looked at.

    By elimination without subtractions (Grassmann, Taksar and Heyman, Operations Research 33, 1985): chances of any
    smallness keep their relative accuracy.
    """
    chances, size = moves.copy(), len(moves)
    for last in range(size - 1, 0, -1):
        chances[:last, last] /= chances[last, :last].sum()
        chances[:last, :last] += np.outer(chances[:last, last], chances[last, :last])
    shares = np.zeros(size)
    shares[0] = 1.0
    for place in range(1, size):
        shares[place] = shares[:place] @ chances[:place, place]
    return shares / shares.sum()
