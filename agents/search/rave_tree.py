"""Search tree with RAVE: a template that `games.engine.compiler` turns into machine code for one game.

Gelly and Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", Artificial Intelligence
175 (2011). Beside the mean of its own simulations an action has that of all simulations in which its seat played it
at any later time (AMAF, all moves as first). The second is known much sooner and is trusted less the more is known
of the first (their section 5; the weight is that of Pachi and michi). Actions begin with the simulations that the
game's `prior` gives them.

The nodes are those of `agents.search.tree` with two statistics more; for two seats, zero-sum and without chance.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.deadline import passed
from agents.search.nodes import NODE, SearchLimits, add, prove
from agents.search.playouts import playout_move
from agents.search.tree import SimulationScratch, new_scratch
from games.engine.chance import GAMMA, below, mix
from games.engine.entries import unowned
from games.engine.game import TERMINAL, Game
from games.engine.jit import njit
from games.engine.rules import NUM_ACTIONS, apply, legal_actions, prior, reseed, returns

RAVE_NODE = np.dtype(
    [
        *((name, NODE[name]) for name in NODE.names or ()),
        ("prior_mean", np.float64),  # result of the simulations that the prior stands for
        ("prior_visits", np.float64),
        ("amaf_mean", np.float64),  # mean result of the simulations in which the action was played later
        ("amaf_visits", np.float64),
    ],
    align=True,
)
EVEN_PRIOR = 10.0
"""Simulations of an even result that every action begins with."""
EQUIVALENCE = 3500.0
"""Number of simulations at which both means have equal weight, where there are as many of each."""


class RaveScratch(NamedTuple):
    """The arrays that simulations work in."""

    common: SimulationScratch
    """Those of any search."""
    first: NDArray[np.int8]
    """The seat that first played each action after a node, -1 for none, [A]."""


def new_rave_scratch(game: Game) -> RaveScratch:
    """Return the scratch of simulations."""
    return RaveScratch(new_scratch(game), np.empty(game.num_actions, np.int8))


@njit(cache=True, nogil=True)
def simulate(
    nodes: NDArray[Any],
    tree: NDArray[Any],
    root: NDArray[Any],
    scratch: RaveScratch,
    chances: Any,
    proves: bool,
    limits: SearchLimits,
) -> bool:
    """Simulate from `root` [1] as `agents.search.tree.simulate` does; `chances` and `proves` are not used."""
    nodes, scratch = unowned(nodes), unowned(scratch)
    work, path, mask, payoff = scratch.common.work, scratch.common.path, scratch.common.mask, scratch.common.payoff
    first, until, deadline = scratch.first, limits.simulations, limits.deadline
    head = tree[0]
    while head.done < until and not (passed(deadline) and head.done > 0) and math.isnan(nodes[0].proven_value):
        if head.size + NUM_ACTIONS > nodes.shape[0]:
            return False
        stream = mix(head.seed + np.uint64(head.done) * GAMMA)
        work[0] = root[0]
        reseed(work[0], stream)
        depth = descend(nodes, head, work[0], path, mask, stream)
        leaf = nodes[path[depth]]
        first[:] = -1
        chooser = nodes[path[depth - 1]].seat
        if math.isnan(leaf.proven_value):
            ended = work[0].current_player == TERMINAL
            play_on(work[0], mask, first, mix(stream + GAMMA))
            payoff[:] = 0
            returns(work[0], payoff)
            if ended:
                leaf.proven_value = payoff[chooser]
        else:
            payoff[chooser] = leaf.proven_value
            payoff[1 - chooser] = -leaf.proven_value
        back_up(nodes, path, depth, payoff, first)
        head.done += 1
    return True


@njit(inline="always")
def descend(
    nodes: NDArray[Any], head: Any, state: Any, path: NDArray[np.int32], mask: NDArray[np.bool_], stream: Any
) -> int:
    """Play from the root to the first new, proven or terminal node; return its depth, with the nodes in `path` [D]."""
    depth = 0
    path[0] = 0
    place = 0
    while True:
        node = nodes[place]
        if node.visits == 0:
            node.seat = state.current_player
        ended = state.current_player == TERMINAL or depth == path.shape[0] - 1
        if depth > 0 and (ended or node.visits == 0 or not math.isnan(node.proven_value)):
            return depth
        if node.num_children == 0:
            expand(nodes, head, node, state, mask, stream)
        place = select(nodes, node)
        apply(state, int(nodes[place].action))
        depth += 1
        path[depth] = place


@njit(inline="always")
def expand(nodes: NDArray[Any], head: Any, node: Any, state: Any, mask: NDArray[np.bool_], stream: Any) -> None:
    """Allocate the children of a node, one a legal action, in an order that begins at random."""
    mask[:] = False
    legal_actions(state, mask)
    count = 0
    start = below(mix(~stream), NUM_ACTIONS)
    for step in range(NUM_ACTIONS):
        action = start + step
        action -= NUM_ACTIONS * (action >= NUM_ACTIONS)
        if mask[action]:
            add_with_prior(nodes, head.size + count, action, prior(state, action))
            count += 1
    node.first_child = head.size
    node.num_children = node.num_expanded = count
    head.size += count


@njit(inline="always")
def add_with_prior(nodes: NDArray[Any], place: int, action: int, prior_total: float) -> None:
    """Initialise a node as if it had been simulated, with results that add up to `prior_total`."""
    add(nodes, place, action)
    node = nodes[place]
    node.prior_visits = EVEN_PRIOR + abs(prior_total)
    node.prior_mean = prior_total / node.prior_visits
    node.amaf_mean, node.amaf_visits = node.prior_mean, node.prior_visits


@njit(inline="always")
def select(nodes: NDArray[Any], node: Any) -> int:
    """Return the child of the highest estimate: its own mean and that of all moves as first, weighed."""
    best, highest = node.first_child, -math.inf
    for place in range(node.first_child, node.first_child + node.num_children):
        estimate = value_of(nodes[place])
        if estimate > highest:
            best, highest = place, estimate
    return best


@njit(inline="always")
def value_of(node: Any) -> float:
    """Return the estimate of a child's result for the seat that chooses it; the proven one where it is known."""
    if not math.isnan(node.proven_value):
        return np.float64(node.proven_value)
    visits = node.visits + node.prior_visits
    own = (node.mean * node.visits + node.prior_mean * node.prior_visits) / visits
    amaf = node.amaf_visits
    weight = amaf / (amaf + visits + amaf * visits / EQUIVALENCE)
    return own + weight * (node.amaf_mean - own)


@njit(inline="always")
def play_on(state: Any, mask: NDArray[np.bool_], first: NDArray[np.int8], seed: Any) -> None:
    """Play to the end, and write who was the first to play each action into `first` [A]."""
    z = np.uint64(seed)
    while state.current_player != TERMINAL:
        z += GAMMA
        action = playout_move(state, mask, mix(z))
        if first[action] < 0:
            first[action] = state.current_player
        apply(state, action)


@njit(inline="always")
def back_up(
    nodes: NDArray[Any], path: NDArray[np.int32], depth: int, payoff: NDArray[np.float32], first: NDArray[np.int8]
) -> None:
    """Add a result to every node of the path, to their siblings played later, and prove nodes settled by children."""
    settled = not math.isnan(nodes[path[depth]].proven_value)
    for step in range(depth, 0, -1):
        node, parent = nodes[path[step]], nodes[path[step - 1]]
        chooser = parent.seat
        if settled and step < depth:
            settled = prove(nodes, node, chooser)
            if settled:
                payoff[chooser] = node.proven_value
                payoff[1 - chooser] = -node.proven_value
        node.visits += 1
        if math.isnan(node.proven_value):
            node.mean += (payoff[chooser] - node.mean) / node.visits
        else:
            node.mean = node.proven_value
        first[node.action] = chooser
        credit(nodes, parent, first, payoff[chooser])
    nodes[0].visits += 1
    if settled:
        prove(nodes, nodes[0], nodes[0].seat)


@njit(inline="always")
def credit(nodes: NDArray[Any], parent: Any, first: NDArray[np.int8], result: float) -> None:
    """Count a result for every child whose action its seat was the first to play from here on."""
    for place in range(parent.first_child, parent.first_child + parent.num_children):
        child = nodes[place]
        if first[child.action] == parent.seat:
            child.amaf_visits += 1
            child.amaf_mean += (result - child.amaf_mean) / child.amaf_visits
