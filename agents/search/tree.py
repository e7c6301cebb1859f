"""Monte Carlo search tree: a template that `games.engine.compiler` turns into machine code for one game.

Nodes are records in one array. The children of a node are adjacent, allocated together on its second visit: one a legal
action (in random order) or, at chance, one an outcome. A node stands for the action that leads to it. Its `mean` and
`proven_value` are from the view of the seat that chose it, so that any number of seats and any order of turns are
backed up alike (max^n: Luckhardt and Irani 1986).

A simulation is `descend`, `evaluate` (a random playout from the leaf) and `back_up`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import LONGEST_PATH
from agents.search.deadline import passed
from agents.search.nodes import SearchLimits, add, prove
from agents.search.playouts import playout_move
from games.engine.chance import GAMMA, below, mix
from games.engine.entries import unowned
from games.engine.game import CHANCE, TERMINAL, Game
from games.engine.jit import njit
from games.engine.moves import drawn_outcome, settle
from games.engine.rules import NUM_ACTIONS, NUM_PLAYERS, apply, legal_actions, reseed, returns

CONFIDENCES = np.array([math.sqrt(math.log(max(visits, 1))) for visits in range(4096)])
"""sqrt(log(visits)) for visits below 4096."""
EXPLORATION_TERMS = np.array([1.0 / math.sqrt(max(visits, 1)) for visits in range(4096)])
"""1 / sqrt(visits) for small numbers of visits."""


class SimulationScratch(NamedTuple):
    """The arrays that simulations work in."""

    work: NDArray[Any]
    """The position, record [1]."""
    path: NDArray[np.int32]
    """The nodes on the way, [D]."""
    mask: NDArray[np.bool_]
    """Legal actions, [A]."""
    payoff: NDArray[np.float32]
    """Payoff of each seat, [P]."""


def new_scratch(game: Game) -> SimulationScratch:
    """Return the scratch of simulations."""
    return SimulationScratch(
        work=np.empty(1, game.state_dtype),
        path=np.empty(min(game.max_length + 2, LONGEST_PATH), np.int32),
        mask=np.empty(game.num_actions, np.bool_),
        payoff=np.empty(game.num_players, np.float32),
    )


@njit(cache=True, nogil=True)
def simulate(
    nodes: NDArray[Any],
    tree: NDArray[Any],
    root: NDArray[Any],
    scratch: SimulationScratch,
    chances: Any,
    proves: bool,
    limits: SearchLimits,
) -> bool:
    """Simulate from `root` [1] until as many are done as `limits` say or the result is proven, at least once.

    Returns False if more `nodes` [N] are needed; call it again with more. `chances` is scratch, [C] or None. `proves`
    requires a two-player zero-sum game without chance.
    """
    # otherwise inlined functions would count references to the arrays at every node
    nodes, scratch = unowned(nodes), unowned(scratch)
    work, path, mask, payoff = scratch.work, scratch.path, scratch.mask, scratch.payoff
    exploration, until, deadline = limits.exploration, limits.simulations, limits.deadline
    head = tree[0]
    widest = NUM_ACTIONS if chances is None else max(NUM_ACTIONS, chances.shape[0])
    while head.done < until and not (passed(deadline) and head.done > 0) and math.isnan(nodes[0].proven_value):
        if head.size + widest > nodes.shape[0]:
            return False
        stream = mix(head.seed + np.uint64(head.done) * GAMMA)
        work[0] = root[0]
        reseed(work[0], stream)
        depth = descend(nodes, head, work[0], path, mask, chances, exploration, stream)
        leaf = nodes[path[depth]]
        if math.isnan(leaf.proven_value):
            ended = work[0].current_player == TERMINAL
            evaluate(work[0], mask, payoff, chances, mix(stream + GAMMA))
            if proves and ended:
                leaf.proven_value = payoff[nodes[path[depth - 1]].seat]
        else:
            chooser = nodes[path[depth - 1]].seat
            payoff[chooser] = leaf.proven_value
            payoff[1 - chooser] = -leaf.proven_value
        back_up(nodes, head, path, depth, payoff)
        head.done += 1
    return True


@njit(inline="always")
def descend(
    nodes: NDArray[Any],
    head: Any,
    state: Any,
    path: NDArray[np.int32],
    mask: NDArray[np.bool_],
    chances: Any,
    exploration: float,
    stream: Any,
) -> int:
    """Play from the root to the first new, proven or terminal node; return its depth, with the nodes in `path` [D].

    The root is never a leaf; a path as long as `path` ends there.
    """
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
            expand(nodes, head, node, state, mask, chances, stream)
        if chances is not None and state.current_player == CHANCE:
            place = node.first_child + drawn_outcome(state, chances)
        else:
            place = select(nodes, node, exploration * head.scale)
        apply(state, int(nodes[place].action))
        depth += 1
        path[depth] = place


@njit(inline="always")
def expand(
    nodes: NDArray[Any], head: Any, node: Any, state: Any, mask: NDArray[np.bool_], chances: Any, stream: Any
) -> None:
    """Allocate the children of a node: legal actions in random order, or outcomes of chance in their own order."""
    node.first_child = head.size
    count = 0
    if chances is not None and state.current_player == CHANCE:
        count = chances.shape[0]
        for outcome in range(count):
            add(nodes, node.first_child + outcome, outcome)
    else:
        mask[:] = False
        legal_actions(state, mask)
        bits = ~stream
        for action in range(NUM_ACTIONS):
            if mask[action]:  # inside-out shuffle: swap with a random earlier place
                bits = mix(bits + GAMMA)
                place = node.first_child + below(bits, count + 1)
                add(
                    nodes, node.first_child + count, nodes[place].action if place < node.first_child + count else action
                )
                nodes[place].action = action
                count += 1
    node.num_children = count
    head.size += count


@njit(inline="always")
def select(nodes: NDArray[Any], node: Any, exploration: float) -> int:
    """Return the next child: each once, then the first one of the highest upper confidence bound (UCB1)."""
    if node.num_expanded < node.num_children:
        node.num_expanded += 1
        return node.first_child + node.num_expanded - 1
    visits = node.visits
    spread = exploration * (CONFIDENCES[visits] if visits < CONFIDENCES.size else math.sqrt(math.log(visits)))
    best, highest = node.first_child, -math.inf
    for place in range(node.first_child, node.first_child + node.num_children):
        bound = nodes[place].mean + spread * nodes[place].exploration_term
        if bound > highest:
            best, highest = place, bound
    return best


@njit(inline="always")
def evaluate(state: Any, mask: NDArray[np.bool_], payoff: NDArray[np.float32], chances: Any, seed: Any) -> None:
    """Write the payoff of each seat after a random playout into `payoff` [P]."""
    settle(state, chances)
    z = np.uint64(seed)
    while state.current_player != TERMINAL:
        z += GAMMA
        apply(state, playout_move(state, mask, mix(z)))
        settle(state, chances)
    for seat in range(NUM_PLAYERS):
        payoff[seat] = 0
    returns(state, payoff)


@njit(inline="always")
def back_up(nodes: NDArray[Any], head: Any, path: NDArray[np.int32], depth: int, payoff: NDArray[np.float32]) -> None:
    """Add a result to every node of the path, each for the seat that chose it, and prove nodes settled by children.

    A node proven on the way backs up its proven value instead (MCTS-Solver: Winands, Bjornsson, Saito 2008).
    """
    for seat in range(NUM_PLAYERS):
        head.scale = max(head.scale, abs(payoff[seat]))
    settled = depth > 0 and not math.isnan(nodes[path[depth]].proven_value)
    for step in range(depth, 0, -1):
        node, chooser = nodes[path[step]], nodes[path[step - 1]].seat
        if settled and step < depth:
            settled = prove(nodes, node, chooser)
            if settled:
                payoff[chooser] = node.proven_value
                payoff[1 - chooser] = -node.proven_value
        node.visits += 1
        if chooser < 0:
            continue  # chance: no seat chose it
        if math.isnan(node.proven_value):
            node.mean += (payoff[chooser] - node.mean) / node.visits
            node.exploration_term = (
                EXPLORATION_TERMS[node.visits] if node.visits < EXPLORATION_TERMS.size else 1.0 / math.sqrt(node.visits)
            )
        else:
            node.mean, node.exploration_term = node.proven_value, 0.0
    nodes[0].visits += 1
    if settled:
        prove(nodes, nodes[0], nodes[0].seat)
