"""A ladder of many agents: who plays whom next, by rating and uncertainty, and new ratings after every game.

Agents stand in fine bins by their ratings (a two-hundredth of a point); a Fenwick tree counts them (P. Fenwick,
Software: Practice and Experience 24, 1994), so that entering, leaving and finding the agent of a rank take O(log bins)
steps, however many agents there are and whoever stands together.

A pair is found in three steps: of two agents drawn at random, the more uncertain plays; it draws a strength, from a
normal distribution around its rating that is a little wider than its uncertainty; who stands nearest that strength is
its opponent. So newcomers play much and meet all kinds, and those who are known meet their equals, more or less.

Ratings are those of Glicko-2 (deviations that grow with time by a volatility), but for two things, without which the
intervals of the best and the worst did not hold the truth:

* A game counts by Bayes' rule as it is (`arena.ratings.posterior`).
* How far apart strong and weak are is learnt. Where equals meet equals, games say little of the distance between the
  ends of the ladder, which so depends on what newcomers were taken for: with the deviation of 350 that Glicko begins
  with, too far apart where strengths differ by 200, too near where they do by 350, and no single rating's deviation
  tells. Does the higher rated of a pair win more often than it should, all distances are too small. One number
  stretches them, found by Newton steps towards the likeliest, game after game.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.ratings.glicko2 import SCALE as GLICKO
from arena.ratings.glicko2 import START, TAU, UNKNOWN, VOLATILITY, evidence, new_volatility
from arena.ratings.posterior import after_game
from games.engine.chance import RANDOM_FIELD, draw, draw_below, reseed

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
"""Information on the stretch at the beginning, and the most that counts: what is older is forgotten by and by."""
LEAST = 0.05
"""Stretch that is never fallen short of."""
BITS = 20
BINS = 1 << BITS
LOWEST, HIGHEST = -15.0, 15.0
"""Span of mu that has bins of its own: ratings from -1100 to 4100, before they are stretched."""
PERIOD = 12.0
"""Games of a rating period."""
SPREAD = 1.0
"""How far apart those may be who meet, in mu, beyond what is not known of them."""


class Ladder:
    """Ratings of `size` agents, all newcomers at first, and what it takes to pair them."""

    def __init__(self, size: int, seed: int):
        self.agents: NDArray[Any] = np.zeros(size, AGENT)
        """[N] of `AGENT`."""
        self.agents["phi"], self.agents["volatility"] = UNKNOWN / GLICKO, VOLATILITY
        self.counts = np.zeros(BINS + 1, np.int32)
        """The Fenwick tree of the bins' sizes [BINS + 1]; entry 0, no node of the tree, is how many stand in all."""
        self.heads = np.full(BINS, -1, np.int32)
        """First agent of each bin [BINS], -1 if it is empty."""
        self.stretch: NDArray[Any] = np.array([(1.0, FIRMNESS)], STRETCH)
        self.random: NDArray[Any] = np.zeros(1, np.dtype([RANDOM_FIELD]))
        reseed(self.random[0], seed)
        enter_all(self.agents, self.counts, self.heads)

    @property
    def ratings(self) -> NDArray[np.float64]:
        """[N]."""
        return START + GLICKO * self.stretch["factor"] * self.agents["mu"]

    @property
    def deviations(self) -> NDArray[np.float64]:
        """[N]."""
        return GLICKO * self.stretch["factor"] * self.agents["phi"]

    def pair(self) -> tuple[int, int]:
        """Two agents who should play next; they stand outside the ladder until `record` has their result."""
        return next_pair(self.agents, self.counts, self.heads, self.random[0])

    def record(self, first: int, second: int, score: float) -> None:
        """Rate a pair's game, in which the first scored 0, 0.5 or 1, and let both back in."""
        record(self.agents, self.counts, self.heads, self.stretch[0], first, second, score)


@njit
def bin_of(mu: float) -> int:
    """Where an agent stands; whoever is beyond the span stands at its end."""
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
        node += node & -node


@njit
def below(counts: Any, place: int) -> int:
    """How many agents stand in the bins below one."""
    total = 0
    node = place
    while node > 0:
        total += counts[node]
        node -= node & -node
    return total


@njit
def of_rank(counts: Any, heads: Any, rank: int) -> int:
    """The agent above `rank` others; of those in one bin, who are as good as equal, the one who came last."""
    node = 0
    for bit in range(BITS - 1, -1, -1):
        step = node + (1 << bit)
        if counts[step] <= rank:
            rank -= counts[step]
            node = step
    return heads[node]


@njit
def anybody(agents: Any, random: Any) -> int:
    """A random agent who stands on the ladder."""
    agent = draw_below(random, len(agents))
    while agents[agent].bin < 0:
        agent = draw_below(random, len(agents))
    return agent


@njit
def next_pair(agents: Any, counts: Any, heads: Any, random: Any) -> tuple[int, int]:
    """Two agents of those who stand on the ladder, which they leave; at least two have to."""
    one, two = anybody(agents, random), anybody(agents, random)
    first = one if agents[one].phi >= agents[two].phi else two
    leave(agents, counts, heads, first)
    normal = math.sqrt(-2 * math.log(1 - draw(random))) * math.cos(2 * math.pi * draw(random))
    strength = agents[first].mu + math.sqrt(agents[first].phi ** 2 + SPREAD**2) * normal
    rank = below(counts, bin_of(strength)) - draw_below(random, 2)
    second = of_rank(counts, heads, min(max(rank, 0), counts[0] - 1))
    leave(agents, counts, heads, second)
    return first, second


@njit
def record(agents: Any, counts: Any, heads: Any, stretch: Any, first: int, second: int, score: float) -> None:
    """Rate a game by what was known before it, and let both agents in again."""
    one, two = agents[first], agents[second]
    mu, phi, factor = one.mu, one.phi, stretch.factor
    learn(stretch, mu - two.mu, math.sqrt(phi**2 + two.phi**2), score)
    rate_game(one, factor, factor * two.mu, factor * two.phi, score)
    rate_game(two, factor, factor * mu, factor * phi, 1 - score)
    enter(agents, counts, heads, first)
    enter(agents, counts, heads, second)


@njit
def learn(stretch: Any, distance: float, deviation: float, score: float) -> None:
    """Move the stretch by a Newton step towards that under which this score, at this distance, is the likeliest."""
    seen = distance / math.sqrt(1 + 3 * (stretch.factor * deviation / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-stretch.factor * seen))
    stretch.information = min(stretch.information + seen**2 * expected * (1 - expected), MEMORY)
    stretch.factor = max(stretch.factor + seen * (score - expected) / stretch.information, LEAST)


@njit
def rate_game(agent: Any, factor: float, other_mu: float, other_phi: float, score: float) -> None:
    """Move an agent's rating by one game, a fraction of a period; the other's is stretched already."""
    mu, phi = factor * agent.mu, factor * agent.phi
    precision, surplus = evidence(mu, other_mu, other_phi, score)
    agent.volatility = new_volatility(phi, agent.volatility, 1 / precision, surplus / precision, TAU)
    phi = math.sqrt(phi**2 + agent.volatility**2 / PERIOD)
    mu, phi = after_game(mu, phi, other_mu, other_phi, score)
    agent.mu, agent.phi = mu / factor, phi / factor
    agent.games += 1


@njit
def enter_all(agents: Any, counts: Any, heads: Any) -> None:
    """Put everybody on an empty ladder."""
    for agent in range(len(agents)):
        enter(agents, counts, heads, agent)
