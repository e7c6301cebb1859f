"""Alpha-rank: the share of time that an evolving population spends with each player.

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
    """Return shares of time [N]; `payoffs` [N, N] is the payoff of row against column, such as scores from 0 to 1.

    `alpha` times `population` times the largest difference of payoffs must stay below 700, or probabilities underflow.
    """
    size = len(payoffs)
    if size == 1:
        return np.ones(1)
    moves = takeover(np.asarray(payoffs, float), alpha, population) / (size - 1)
    np.fill_diagonal(moves, 0.0)
    return stationary(moves)


def alpha_rank_profiles(payoffs: Floats, alpha: float = 10.0, population: int = 50) -> Floats:
    """Return shares of time of each profile [S_0, ..., S_(P-1)], with a separate population for each seat.

    `payoffs` [P, S_0, ..., S_(P-1)] is the payoff of each seat in each profile. A mutant differs in one seat; all
    mutants are equally likely. One that earns d more takes over with probability (1 - exp(-alpha d)) / (1 - exp(-alpha
    population d)), equation 11 of the paper, but at least exp(-600).
    """
    players, shape = len(payoffs), payoffs.shape[1:]
    size = int(np.prod(shape))
    profiles = np.arange(size).reshape(shape)
    moves = np.zeros((size, size))
    for seat in range(players):
        mine = np.moveaxis(payoffs[seat], seat, -1).reshape(-1, shape[seat])
        lines = np.moveaxis(profiles, seat, -1).reshape(-1, shape[seat])  # profiles that differ in this seat alone
        gains = alpha * (mine[:, None, :] - mine[:, :, None])
        moves[lines[:, :, None], lines[:, None, :]] = _fixation(gains, population)
    np.fill_diagonal(moves, 0.0)
    return stationary(moves / max(sum(shape) - players, 1)).reshape(shape)


def _fixation(gains: Floats, population: int) -> Floats:
    """Return (1 - exp(-gains)) / (1 - exp(-population gains)), and one over the population for gains of 0."""
    size = np.abs(gains)
    with np.errstate(invalid="ignore"):
        better = np.where(size > 0, np.expm1(-size) / np.expm1(-population * size), 1 / population)
    return np.where(gains >= 0, better, better * np.exp(-np.minimum((population - 1) * size, 600)))


def takeover(payoffs: Floats, alpha: float, population: int) -> Floats:
    """Return the probability [N, N] that one mutant of the column's player takes over a population of the row's.

    With k mutants both kinds earn their average against the others of the population. The probability is one over
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
    """Return the stationary distribution [N] of a chain with transition probabilities [N, N]; ignores the diagonal.

    Elimination without subtractions (Grassmann, Taksar and Heyman, Operations Research 33, 1985) keeps the relative
    accuracy of probabilities of any size.
    """
    chances, size = moves.copy(), len(moves)
    for last in range(size - 1, 0, -1):
        chances[:last, last] /= chances[last, :last].sum()
        chances[:last, :last] += np.outer(chances[:last, last], chances[last, :last])
    shares = np.zeros(size)
    shares[0] = 1.0
    for place in range(1, size):
        shares[place] = shares[:place] @ chances[:place, place]
        shares /= shares.max()  # avoids overflow if each state is much likelier than the one before
    return shares / shares.sum()
