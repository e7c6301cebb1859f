"""The tree of a search by simulations: a template that `games.engine.compiler` turns into machine code for one game.

Nodes are records in one array; the children of a node are neighbours in it, allocated together when the node is visited
a second time, one a legal action (in random order) or, where chance moves, one an outcome. A node stands for the action
that leads to it: `mean` and `worth` are results of the seat that chose it, whoever that is, so that games of any number
of seats and any order of turns are backed up alike (max^n: Luckhardt and Irani 1986).

A simulation is `descend`, a value for the position that it has come to (`evaluate`: a random playout), and `back_up`.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from agents.search.nodes import add, prove
from games.engine.chance import GAMMA, below, mix
from games.engine.entries import unowned
from games.engine.game import CHANCE, TERMINAL
from games.engine.kernels import drawn_outcome, play_out, settle
from games.engine.rules import NUM_ACTIONS, NUM_PLAYERS, apply, legal_actions, reseed, returns

CONFIDENCES = np.array([math.sqrt(math.log(max(visits, 1))) for visits in range(4096)])
"""sqrt(log(visits)) for small numbers of visits."""
DOUBTS = np.array([1.0 / math.sqrt(max(visits, 1)) for visits in range(4096)])
"""1 / sqrt(visits) for small numbers of visits."""


@njit(cache=True, nogil=True)
def simulate(
    nodes: NDArray[Any],
    tree: NDArray[Any],
    root: NDArray[Any],
    work: NDArray[Any],
    path: NDArray[np.int32],
    mask: NDArray[np.bool_],
    payoff: NDArray[np.float32],
    chances: Any,
    exploration: float,
    proves: bool,
    until: int,
    stop: NDArray[np.bool_],
) -> bool:
    """Simulate from `root` [1] until `until` are done, the result is proven or `stop` [1] is set, at least once.

    Returns False if it must be called again with more room: more `nodes` [N]. Scratch: `work` [1], `path` [D], `mask`
    [A], `payoff` [P], `chances` [C] or None. `proves` is for games without chance, of two seats and zero sum.
    """
    # functions in line below would count references to them at every node
    nodes, path, mask, payoff = unowned(nodes), unowned(path), unowned(mask), unowned(payoff)
    head = tree[0]
    widest = NUM_ACTIONS if chances is None else max(NUM_ACTIONS, chances.shape[0])
    while head.done < until and not (stop[0] and head.done > 0) and math.isnan(nodes[0].worth):
        if head.size + widest > nodes.shape[0]:
            return False
        stream = mix(head.seed + np.uint64(head.done) * GAMMA)
        work[0] = root[0]
        reseed(work[0], stream)
        depth = descend(nodes, head, work[0], path, mask, chances, exploration, stream)
        leaf = nodes[path[depth]]
        if math.isnan(leaf.worth):
            ended = work[0].current_player == TERMINAL
            evaluate(work[0], mask, payoff, chances, mix(stream + GAMMA))
            if proves and ended:
                leaf.worth = payoff[nodes[path[depth - 1]].seat]
        else:
            chooser = nodes[path[depth - 1]].seat
            payoff[chooser] = leaf.worth
            payoff[1 - chooser] = -leaf.worth
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
    """Play from the root to the first node that is new, proven or the end; returns how deep, nodes [0, ...] in `path`.

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
        if depth > 0 and (ended or node.visits == 0 or not math.isnan(node.worth)):
            return depth
        if node.count == 0:
            expand(nodes, head, node, state, mask, chances, stream)
        if chances is not None and state.current_player == CHANCE:
            place = node.first + drawn_outcome(state, chances)
        else:
            place = select(nodes, node, exploration * head.scale)
        apply(state, int(nodes[place].action))
        depth += 1
        path[depth] = place


@njit(inline="always")
def expand(
    nodes: NDArray[Any], head: Any, node: Any, state: Any, mask: NDArray[np.bool_], chances: Any, stream: Any
) -> None:
    """Give a node its children: the legal actions in random order, or the outcomes of chance in their own."""
    node.first = head.size
    count = 0
    if chances is not None and state.current_player == CHANCE:
        count = chances.shape[0]
        for outcome in range(count):
            add(nodes, node.first + outcome, outcome)
    else:
        mask[:] = False
        legal_actions(state, mask)
        bits = ~stream
        for action in range(NUM_ACTIONS):
            if mask[action]:  # shuffled while they come in: each goes to a random place, whose action goes to the end
                bits = mix(bits + GAMMA)
                place = node.first + below(bits, count + 1)
                add(nodes, node.first + count, nodes[place].action if place < node.first + count else action)
                nodes[place].action = action
                count += 1
    node.count = count
    head.size += count


@njit(inline="always")
def select(nodes: NDArray[Any], node: Any, exploration: float) -> int:
    """The next child: each once, then the one of the highest upper confidence bound (UCB1), the first of equals."""
    if node.tried < node.count:
        node.tried += 1
        return node.first + node.tried - 1
    visits = node.visits
    spread = exploration * (CONFIDENCES[visits] if visits < CONFIDENCES.size else math.sqrt(math.log(visits)))
    best, highest = node.first, -math.inf
    for place in range(node.first, node.first + node.count):
        bound = nodes[place].mean + spread * nodes[place].doubt
        if bound > highest:
            best, highest = place, bound
    return best


@njit(inline="always")
def evaluate(state: Any, mask: NDArray[np.bool_], payoff: NDArray[np.float32], chances: Any, seed: Any) -> None:
    """Write into `payoff` [P] what each seat earns if random moves end the game."""
    settle(state, chances)
    play_out(state, mask, chances, seed)
    for seat in range(NUM_PLAYERS):
        payoff[seat] = 0
    returns(state, payoff)


@njit(inline="always")
def back_up(nodes: NDArray[Any], head: Any, path: NDArray[np.int32], depth: int, payoff: NDArray[np.float32]) -> None:
    """Add a result to every node of the path, each for the seat that chose it, and prove what has become certain.

    A node whose children settle its result hands on that one instead (MCTS-Solver: Winands, Bjornsson, Saito 2008).
    """
    for seat in range(NUM_PLAYERS):
        head.scale = max(head.scale, abs(payoff[seat]))
    settled = depth > 0 and not math.isnan(nodes[path[depth]].worth)
    for step in range(depth, 0, -1):
        node, chooser = nodes[path[step]], nodes[path[step - 1]].seat
        if settled and step < depth:
            settled = prove(nodes, node, chooser)
            if settled:
                payoff[chooser] = node.worth
                payoff[1 - chooser] = -node.worth
        node.visits += 1
        if chooser < 0:
            continue  # chance: no seat chose it
        if math.isnan(node.worth):
            node.mean += (payoff[chooser] - node.mean) / node.visits
            node.doubt = DOUBTS[node.visits] if node.visits < DOUBTS.size else 1.0 / math.sqrt(node.visits)
        else:
            node.mean, node.doubt = node.worth, 0.0
    nodes[0].visits += 1
    if settled:
        prove(nodes, nodes[0], nodes[0].seat)
