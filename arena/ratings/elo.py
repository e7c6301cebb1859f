"""Elo ratings by maximum likelihood, with draws, seat advantages, and games of any number of players.

The model is that of Bradley and Terry ("Rank Analysis of Incomplete Block Designs", Biometrika 39, 1952) with the draws
of Davidson ("On Extending the Bradley-Terry Model to Accommodate Ties", JASA 65, 1970) and an order effect (Davidson
and Beaver, Biometrics 33, 1977). Players i and j of strengths r in seats s and t of advantages a differ by
x = r_i + a_s - r_j - a_t in log-odds, and i wins : draws : loses like e^(x/2) : v : e^(-x/2); v is estimated.

*Elo* keeps its meaning under draws: strengths are shown in the unit in which Elo's formula, a draw for half a win,
comes closest to the scores that the model expects of the games that were played (in the sense of likelihood). Without
draws, ten to one is 400 points; among near equals, a unit of log-odds is 400 / ln 10 * 2 / (2 + v), as in BayesElo.

A game of more than two is taken apart into the comparisons of all pairs. If its ranking is drawn as Plackett and Luce
have it, any two of its players compare as in Bradley and Terry, so that strengths are estimated without bias, and ties
and seats stay simple (Plackett-Luce with ties sums over all subsets of a table). But the comparisons of one game depend
on each other: they tell less than as many games of two, and intervals are widened by what the games' spread shows.

A weak prior keeps a player who won every game at a finite rating: it counts as `PRIOR_GAMES` games of each player, half
won and half lost, against an opponent as strong as the pool is on average. (Half a game: over simulated round robins of
40 games a pair it brought less bias than a tenth or a whole one.)

Only differences are known, and only between players whom games connect. An *island* is a greatest set of such players;
each has a zero of its own, and says nothing about the others.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.intervals import NORMAL_95
from arena.ratings.games import Comparisons, GameResults, Ints, compare_seats

Floats = NDArray[np.floating[Any]]

ELO = 400 / math.log(10)
"""Elo points of one unit of log-odds."""
PRIOR_GAMES = 0.5
"""Games of the prior for each player."""
CHUNK = 4096
"""Games processed in one block, to bound memory."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of N players with their errors; P seats."""

    elo: Floats
    """[N]; in each island an anchor, or the mean, is 0."""
    covariance: Floats
    """Covariance of `elo` [N, N], in squared Elo."""
    islands: Ints
    """Number of each player's island [N], 0 for the largest."""
    seats: Floats
    """Advantage of each seat in Elo [P], of mean 0. All 0 if not estimated."""
    seats_error: Floats
    """Half-width of the 95 % interval of `seats` [P]."""
    draws: float
    """Share of draws between equals, 0 to 1."""
    unit: float
    """Elo points of one unit of log-odds of the model."""

    @property
    def error(self) -> Floats:
        """Half-width of the 95 % interval of each rating [N]; the anchor's is 0."""
        return NORMAL_95 * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def rate(
    games: GameResults, anchors: Collection[int] = (), seats: bool = True, prior_games: float = PRIOR_GAMES
) -> Ratings:
    """Return the ratings of maximum likelihood, by Newton's method.

    In each island the first of the players `anchors` that belongs to it is rated 0; without one its mean is. With
    `seats`, estimate the advantage of each seat, too; use it only if players are listed in the order of their seats.
    `prior_games` must be above 0.
    """
    likelihood = Likelihood(games, seats, prior_games)
    parameters = likelihood.maximum()
    covariance = likelihood.covariance(parameters)
    n, v = games.num_players, likelihood.draw_odds(parameters)
    factor, factor_slope = likelihood.elo_factor(parameters)
    strengths = parameters[: likelihood.places]
    values = ELO * factor * strengths
    slope = np.outer(strengths, factor_slope)  # of every rating and seat by every parameter
    slope[:, : likelihood.places] += factor * np.eye(likelihood.places)
    slope *= ELO
    islands = islands_of(likelihood.pairs, n)
    zeros = _zeros(islands, anchors)
    values[:n] -= zeros @ values[:n]
    slope[:n] -= zeros @ slope[:n]
    spread = slope @ covariance @ slope.T
    seat_values, seat_errors = values[n:], NORMAL_95 * np.sqrt(np.maximum(np.diag(spread)[n:], 0.0))
    if not seats:
        seat_values = seat_errors = np.zeros(games.players.shape[1])
    return Ratings(values[:n], spread[:n, :n], islands, seat_values, seat_errors, v / (2 + v), ELO * factor)


def islands_of(pairs: Comparisons, num_players: int) -> Ints:
    """Return the number of each player's island [N]: 0 for the one of most players, of equal ones the first.

    Players without games are in island 0: the prior alone places them.
    """
    first, second = pairs.players.T
    least = np.arange(num_players)  # of the players known to be connected, the first
    while True:
        before = least.copy()
        np.minimum.at(least, first, before[second])
        np.minimum.at(least, second, before[first])
        least = least[least]
        if (least == before).all():
            break
    roots, island, sizes = np.unique(least, return_inverse=True, return_counts=True)
    rank = np.empty(len(roots), np.int64)
    rank[np.lexsort((roots, -sizes))] = np.arange(len(roots))
    idle = np.bincount(pairs.players.ravel(), minlength=num_players) == 0
    return np.where(idle, 0, rank[island])


def _zeros(islands: Ints, anchors: Collection[int]) -> Floats:
    """Return the weights [N, N] of all players' ratings in the zero of the row's player."""
    zeros = np.zeros((len(islands),) * 2)
    for island in range(islands.max(initial=-1) + 1):
        members = np.flatnonzero(islands == island)
        anchor = next((one for one in anchors if islands[one] == island), None)
        shares = np.zeros(len(islands))
        shares[members if anchor is None else anchor] = 1 / len(members) if anchor is None else 1.0
        zeros[members] = shares
    return zeros


class Likelihood:
    """Log-likelihood of results and its derivatives.

    Parameters [K]: strengths [N], seat advantages [P] if estimated, log v if there were draws.
    """

    def __init__(self, games: GameResults, seats: bool, prior_games: float):
        self._games, self._prior = games, prior_games
        pairs = compare_seats(games)
        self.drawn = bool((pairs.counts * (pairs.score == 0.5)).sum() > 0)
        self.blocks = [games.num_players] + [games.players.shape[1]] * seats
        """Sizes of the groups of parameters of which only differences matter."""
        self.places = sum(self.blocks)
        self.size = self.places + self.drawn
        self.pairs = pairs
        """All comparisons of two players."""
        self._columns = [*pairs.players.T, *(pairs.seats.T + games.num_players)][: 4 if seats else 2]
        self._signs = [1.0, -1.0, 1.0, -1.0][: 4 if seats else 2]

    def draw_odds(self, parameters: Floats) -> float:
        """Return the model's v; 0 without draws."""
        return math.exp(parameters[-1]) if self.drawn else 0.0

    def value(self, parameters: Floats) -> float:
        """Return the log-likelihood, prior included."""
        x, v, pairs = self._differences(parameters), self.draw_odds(parameters), self.pairs
        log_total = np.logaddexp(np.abs(x) / 2 + np.log1p(np.exp(-np.abs(x))), math.log(v) if v else -np.inf)
        drawn = (pairs.score == 0.5) * (parameters[-1] if self.drawn else 0.0)
        total = pairs.counts @ ((pairs.score - 0.5) * x + drawn - log_total)
        for _, centred in self._centred(parameters):
            total -= self._prior / 2 * (np.logaddexp(0.0, centred) + np.logaddexp(0.0, -centred)).sum()
        return float(total - self._prior * math.log1p(v / 2))

    def derivatives(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the gradient [K] and the Fisher information [K, K], which is minus the second derivative."""
        pairs, v = self.pairs, self.draw_odds(parameters)
        score, draw = self._expected(parameters)
        gradient, information = np.zeros(self.size), np.zeros((self.size, self.size))
        self._add(gradient, pairs.counts * (pairs.score - score))
        variance = pairs.counts * (score - draw / 4 - score**2)
        for column, sign in zip(self._columns, self._signs, strict=True):
            for other, its_sign in zip(self._columns, self._signs, strict=True):
                flat = np.bincount(column * self.size + other, variance, self.size**2)
                information += sign * its_sign * flat.reshape(self.size, self.size)
        if self.drawn:
            gradient[-1] = pairs.counts @ ((pairs.score == 0.5) - draw) - self._prior * v / (2 + v)
            self._add(information[-1], pairs.counts * draw * (0.5 - score))
            information[:, -1] = information[-1]
            information[-1, -1] = pairs.counts @ (draw * (1 - draw)) + self._prior * 2 * v / (2 + v) ** 2
        for block, centred in self._centred(parameters):
            average = np.exp(-np.logaddexp(0.0, -centred))  # chance against the mean
            centring = np.eye(len(centred)) - 1 / len(centred)
            gradient[block] += centring @ (self._prior * (0.5 - average))
            information[block, block] += centring @ np.diag(self._prior * average * (1 - average)) @ centring
        return gradient, information

    def maximum(self) -> Floats:
        """Return the parameters [K] of maximum likelihood, which is concave; the mean of each block is 0."""
        parameters = np.zeros(self.size)
        value = self.value(parameters)
        for _ in range(100):
            gradient, information = self.derivatives(parameters)
            step = np.linalg.solve(information + self._means(), gradient)
            while (higher := self.value(parameters + step)) < value and np.abs(step).max() > 1e-9:
                step /= 2
            parameters, value = parameters + step, higher
            if np.abs(step).max() < 1e-9:
                break
        return parameters

    def covariance(self, parameters: Floats) -> Floats:
        """Return the covariance [K, K] of the parameters at the maximum, all blocks centred."""
        means = self._means()
        covariance = np.linalg.inv(self.derivatives(parameters)[1] + means) - means
        if self._games.players.shape[1] == 2:
            return covariance
        return covariance * max(1.0, self._dispersion(parameters, covariance))

    def elo_factor(self, parameters: Floats) -> tuple[float, Floats]:
        """Return the factor from the model's log-odds to those of Elo's formula, and its derivatives [K].

        It is the s at which 1 / (1 + e^(-s x)) is likeliest for the scores that the model expects.
        """
        x, v, counts = self._differences(parameters), self.draw_odds(parameters), self.pairs.counts
        score, draw = self._expected(parameters)
        least = factor = 2 / (2 + v)
        slope = np.zeros(self.size)
        if not np.any(x):
            return factor, slope
        for _ in range(50):
            formula = np.exp(-np.logaddexp(0.0, -factor * x))
            steepness = formula * (1 - formula)
            curvature = counts @ (x**2 * steepness)
            before, factor = factor, min(1.0, max(least, factor + counts @ (x * (score - formula)) / curvature))
            if abs(factor - before) < 1e-12:
                break
        if factor in (least, 1.0):  # a bound, of which the lower moves with v = e^parameter
            if self.drawn and factor == least:
                slope[-1] = -2 * v / (2 + v) ** 2
            return factor, slope
        # implicit derivative of sum c x (p - formula) = 0, which holds at the likeliest factor
        self._add(slope, counts * (score - formula + x * (score - draw / 4 - score**2 - factor * steepness)))
        if self.drawn:
            slope[-1] = counts @ (x * draw * (0.5 - score))
        return factor, slope / curvature

    def _dispersion(self, parameters: Floats, covariance: Floats) -> float:
        """Return the spread of the games' gradients relative to independent comparisons.

        The trace of H^-1 J by parameter, H the information and J the sum of squared gradients of whole games (Godambe's
        information of a composite likelihood, as one number); 1 for independent comparisons.
        """
        pairs = self.pairs
        surplus = pairs.score - self._expected(parameters)[0]
        total = 0.0
        for start in range(0, len(self._games.counts), CHUNK):
            inside = (pairs.game >= start) & (pairs.game < start + CHUNK)
            counts = self._games.counts[start : start + CHUNK]
            gradients = np.zeros((len(counts), self.places))
            for column, sign in zip(self._columns, self._signs, strict=True):
                np.add.at(gradients, (pairs.game[inside] - start, column[inside]), sign * surplus[inside])
            total += counts @ ((gradients @ covariance[: self.places, : self.places]) * gradients).sum(axis=1)
        return total / (self.places - len(self.blocks))

    def _differences(self, parameters: Floats) -> Floats:
        """Return the model's x of each comparison [M]."""
        return sum(sign * parameters[column] for column, sign in zip(self._columns, self._signs, strict=True))

    def _expected(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return expected score of the first and probability of a draw [M]."""
        return outcome(self._differences(parameters), self.draw_odds(parameters))

    def _add(self, total: Floats, amounts: Floats) -> None:
        """Add the amount of each comparison [M] to its players and seats in `total` [K]."""
        for column, sign in zip(self._columns, self._signs, strict=True):
            total += sign * np.bincount(column, amounts, len(total))

    def _centred(self, parameters: Floats) -> list[tuple[slice, Floats]]:
        """Return the place of each block, and its parameters less their mean."""
        ends = np.cumsum(self.blocks)
        places = [slice(end - size, end) for size, end in zip(self.blocks, ends, strict=True)]
        return [(place, parameters[place] - parameters[place].mean()) for place in places]

    def _means(self) -> Floats:
        """Return the matrix [K, K] added to the information to fix the mean of each block at 0."""
        means = np.zeros((self.size, self.size))
        for block, centred in self._centred(np.zeros(self.size)):
            means[block, block] = 1 / len(centred)
        return means


def outcome(x: Floats, draw_odds: float) -> tuple[Floats, Floats]:
    """Return expected score of the first and probability of a draw, for differences `x` in log-odds."""
    better = np.exp(-np.abs(x) / 2)  # odds of the weaker player: at most 1, no overflow
    total = 1 + better**2 + draw_odds * better
    draw = draw_odds * better / total
    strong = 1 / total + draw / 2
    return np.where(x >= 0, strong, 1 - strong), draw


def superiority(ratings: Ratings, one: int, other: int) -> float:
    """Return the likelihood that a player is stronger than another, by a normal approximation."""
    weights = np.zeros(len(ratings.elo))
    weights[one] += 1
    weights[other] -= 1
    spread = math.sqrt(max(float(weights @ ratings.covariance @ weights), 1e-12))
    return normal_share(float(ratings.elo[one] - ratings.elo[other]) / spread)


def normal_share(z: float) -> float:
    """Return the share of a standard normal distribution below `z`."""
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))
