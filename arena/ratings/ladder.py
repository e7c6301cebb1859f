"""A ladder of many agents: pairs by rating and uncertainty, and new ratings after every game.

Agents are sorted into fine bins by rating (a two-hundredth of a point); a Fenwick tree counts them (P. Fenwick,
Software: Practice and Experience 24, 1994), so that entering, leaving and finding the agent of a rank take O(log bins)
steps for any number of agents.

A pair is chosen in three steps: of two random agents, the more uncertain plays; it draws a strength from a normal
distribution around its rating, a little wider than its uncertainty; the agent nearest that strength is its opponent. So
newcomers play often and against all strengths; well-known agents play opponents of about their own.

Ratings are those of Glicko-2 (deviations grow over time by a volatility), with two changes. Without them the intervals
of the best and the worst agents did not contain their true strengths:

* A game updates a rating by Bayes' rule exactly (`arena.ratings.posterior`).
* The scale is learnt. Games between equals say little about the distance between the ends of the ladder, which then
  depends on the prior of newcomers: with Glicko's deviation of 350 it is too large if strengths differ by 200, too
  small if they differ by 350, and no single deviation shows it. If the higher rated of a pair wins more often than
  expected, all distances are too small. One factor stretches them, by a Newton step of its likelihood per game.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.jit import njit
from arena.base.seeding import make_rng
from arena.ratings.glicko2 import SCALE as GLICKO
from arena.ratings.glicko2 import START, TAU, UNKNOWN, VOLATILITY, evidence, new_volatility
from arena.ratings.posterior import after_game

AGENT = np.dtype(
    [
        ("mu", np.float64),  # on Glicko-2's scale, before it is stretched
        ("phi", np.float64),
        ("volatility", np.float64),
        ("games", np.int32),
        ("bin", np.int32),  # -1 while it plays
        ("next", np.int32),  # in the same bin; -1 at the end
        ("previous", np.int32),
    ]
)
STRETCH = np.dtype(
    [
        ("factor", np.float64),  # of all mu and phi
        ("information", np.float64),  # that it rests on
    ]
)
FIRMNESS, MEMORY = 300.0, 1e5
"""Initial and largest information on the stretch; the limit lets old games fade."""
LEAST = 0.05
"""Lower limit of the stretch."""
BITS = 20
BINS = 1 << BITS
LOWEST, HIGHEST = -15.0, 15.0
"""Range of mu with bins: ratings from -1100 to 4100 before stretching."""
PERIOD = 12.0
"""Games of a rating period."""
SPREAD = 1.0
"""Standard deviation of the strength difference of a pair, in mu, beyond the uncertainty of the rating."""


class RatingLadder:
    """Ratings of `size` agents, all newcomers at first, and the structures to pair them."""

    def __init__(self, size: int, seed: int):
        self.agents: NDArray[Any] = np.zeros(size, AGENT)
        """Records of `AGENT` [N]."""
        self.agents["phi"], self.agents["volatility"] = UNKNOWN / GLICKO, VOLATILITY
        self.counts = np.zeros(BINS + 1, np.int32)
        """The Fenwick tree of the bins' sizes [BINS + 1]; entry 0, no node of the tree, is the total."""
        self.heads = np.full(BINS, -1, np.int32)
        """First agent of each bin [BINS], -1 if it is empty."""
        self.stretch: NDArray[Any] = np.array([(1.0, FIRMNESS)], STRETCH)
        self.rng = make_rng(seed)
        enter_all(self.agents, self.counts, self.heads)

    @property
    def ratings(self) -> NDArray[np.float64]:
        """Ratings on Glicko's scale [N]."""
        return START + GLICKO * self.stretch["factor"] * self.agents["mu"]

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviations of `ratings` [N]."""
        return GLICKO * self.stretch["factor"] * self.agents["phi"]

    def pair(self) -> tuple[int, int]:
        """Return two agents to play next and take them off the ladder, until `record` has their result."""
        return next_pair(self.agents, self.counts, self.heads, self.rng)

    def record(self, first: int, second: int, score: float) -> None:
        """Rate a pair's game, in which the first scored 0, 0.5 or 1, and put both back on the ladder."""
        record(self.agents, self.counts, self.heads, self.stretch[0], first, second, score)


@njit
def bin_of(mu: float) -> int:
    """Return the bin of a rating, clipped to the range of bins."""
    return int(min(max((mu - LOWEST) / (HIGHEST - LOWEST), 0.0), 1.0) * (BINS - 1))


@njit
def enter(agents: Any, counts: Any, heads: Any, agent: int) -> None:
    """Put an agent into the bin of its rating."""
    place = bin_of(agents[agent].mu)
    after = heads[place]
    counts[0] += 1
    agents[agent].bin, agents[agent].next, agents[agent].previous = place, after, -1
    if after >= 0:
        agents[after].previous = agent
    heads[place] = agent
    add(counts, place, 1)


@njit
def leave(agents: Any, counts: Any, heads: Any, agent: int) -> None:
    """Take an agent out of its bin."""
    before, after = agents[agent].previous, agents[agent].next
    if before >= 0:
        agents[before].next = after
    else:
        heads[agents[agent].bin] = after
    if after >= 0:
        agents[after].previous = before
    add(counts, agents[agent].bin, -1)
    counts[0] -= 1
    agents[agent].bin = -1


@njit
def add(counts: Any, place: int, amount: int) -> None:
    """Change the size of a bin."""
    node = place + 1
    while node <= BINS:
        counts[node] += amount
        node += node & -node  # the next node whose range contains this one


@njit
def below(counts: Any, place: int) -> int:
    """Return the number of agents in all bins below `place`."""
    total = 0
    node = place
    while node > 0:
        total += counts[node]
        node -= node & -node  # the node whose range ends where this one begins
    return total


@njit
def of_rank(counts: Any, heads: Any, rank: int) -> int:
    """Return the agent with `rank` others below it; of those in one bin, the last to enter."""
    node = 0
    for bit in range(BITS - 1, -1, -1):
        step = node + (1 << bit)
        if counts[step] <= rank:
            rank -= counts[step]
            node = step
    return heads[node]


@njit
def anybody(agents: Any, rng: np.random.Generator) -> int:
    """Return a random agent on the ladder."""
    agent = int(rng.integers(0, len(agents)))
    while agents[agent].bin < 0:
        agent = int(rng.integers(0, len(agents)))
    return agent


@njit(cache=True, nogil=True)
def next_pair(agents: Any, counts: Any, heads: Any, rng: np.random.Generator) -> tuple[int, int]:
    """Take a pair of agents off the ladder, which must have at least two, and return them."""
    one, two = anybody(agents, rng), anybody(agents, rng)
    first = one if agents[one].phi >= agents[two].phi else two
    leave(agents, counts, heads, first)
    strength = rng.normal(agents[first].mu, math.sqrt(agents[first].phi ** 2 + SPREAD**2))
    rank = below(counts, bin_of(strength)) - rng.integers(0, 2)  # the next one above the strength, or below it
    second = of_rank(counts, heads, min(max(rank, 0), counts[0] - 1))
    leave(agents, counts, heads, second)
    return first, second


@njit(cache=True, nogil=True)
def record(agents: Any, counts: Any, heads: Any, stretch: Any, first: int, second: int, score: float) -> None:
    """Rate both agents by their ratings before the game, and put them back on the ladder."""
    one, two = agents[first], agents[second]
    mu, phi, factor = one.mu, one.phi, stretch.factor  # before the game: `one` changes before `two` is rated
    learn(stretch, mu - two.mu, math.sqrt(phi**2 + two.phi**2), score)
    rate_game(one, factor, factor * two.mu, factor * two.phi, score)
    rate_game(two, factor, factor * mu, factor * phi, 1 - score)
    enter(agents, counts, heads, first)
    enter(agents, counts, heads, second)


@njit
def learn(stretch: Any, distance: float, deviation: float, score: float) -> None:
    """Move the stretch by a Newton step towards the likeliest one for this score at this distance."""
    scaled_distance = distance / math.sqrt(1 + 3 * (stretch.factor * deviation / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-stretch.factor * scaled_distance))
    stretch.information = min(stretch.information + scaled_distance**2 * expected * (1 - expected), MEMORY)
    stretch.factor = max(stretch.factor + scaled_distance * (score - expected) / stretch.information, LEAST)


@njit
def rate_game(agent: Any, factor: float, other_mu: float, other_phi: float, score: float) -> None:
    """Update an agent's rating by one game, a fraction of a period; the opponent's mu and phi are stretched."""
    mu, phi = factor * agent.mu, factor * agent.phi
    precision, surplus = evidence(mu, other_mu, other_phi, score)
    agent.volatility = new_volatility(phi, agent.volatility, 1 / precision, surplus / precision, TAU)
    phi = math.sqrt(phi**2 + agent.volatility**2 / PERIOD)
    mu, phi = after_game(mu, phi, other_mu, other_phi, score)
    agent.mu, agent.phi = mu / factor, phi / factor
    agent.games += 1


@njit(cache=True, nogil=True)
def enter_all(agents: Any, counts: Any, heads: Any) -> None:
    """Put all agents on an empty ladder."""
    for agent in range(len(agents)):
        enter(agents, counts, heads, agent)
