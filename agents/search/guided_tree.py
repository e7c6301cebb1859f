"""Trees that a network guides, many at once: a template that `games.engine.compiler` turns into code for one game.

A simulation of all trees is `descend` (each to a position that is new), a look of the network at all of these in one
batch, and `grow` (children with the network's priors, and its value handed up). Two seats, zero sum; chance may move,
and its outcomes are sampled, each a node of its own. PUCT proves results on the way, as `agents.search.tree` does.

Shapes: B trees, N nodes of each, A actions, O observation, C outcomes of chance, D the longest path, P = 2 seats.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from agents.search.nodes import fits, prove
from games.engine.chance import GAMMA, mix
from games.engine.game import CHANCE, TERMINAL
from games.engine.kernels import drawn_outcome
from games.engine.rules import NUM_ACTIONS, NUM_PLAYERS, apply, legal_actions, observe, reseed, returns

NODE = np.dtype(
    [
        ("total", np.float64),  # results of the seat that chose this node, over all simulations through it
        ("own", np.float64),  # those of the seat that moves here
        ("prior", np.float32),
        ("logit", np.float32),
        ("value", np.float32),  # what the network expects the seat that moves here to earn in all
        ("worth", np.float32),  # its result for the seat that chose it if both play perfectly, nan if not proven
        ("visits", np.int32),
        ("first", np.int32),  # place of the first child
        ("action", np.int16),  # the action, or outcome of chance, that leads here
        ("count", np.int16),  # children; 0 before there are any
        ("tried", np.int16),  # as many: any of them may have been visited
        ("seat", np.int8),  # who moves here, once it has been visited
    ],
    align=True,
)
BASE, FIRST = 19652.0, 1.25
"""Of exploration's weight: c(n) = log((1 + n + BASE) / BASE) + FIRST (Silver et al. 2018, Science 362)."""
C_VISIT, C_SCALE = 50.0, 1.0
"""Of the weight of results beside logits: (C_VISIT + most visits) C_SCALE (Danihelka et al. 2022, ICLR, equation 8)."""


@njit(cache=True, nogil=True)
def descend(
    nodes: NDArray[Any],
    sizes: NDArray[np.int64],
    scales: NDArray[np.float64],
    limits: NDArray[np.int64],
    roots: NDArray[Any],
    work: NDArray[Any],
    paths: NDArray[np.int32],
    depths: NDArray[np.int32],
    payoffs: NDArray[np.float32],
    waiting: NDArray[np.bool_],
    obs: NDArray[Any],
    mask: NDArray[np.bool_],
    chances: Any,
    seeds: NDArray[np.uint64],
    simulation: int,
    wanted: NDArray[np.int32],
    scores: NDArray[np.float32],
) -> int:
    """Go down every tree to a node without children; `waiting` [B] says which of these the network has to look at.

    For them `obs` [B, O] and `mask` [B, A] are written; `payoffs` [B, P] is what has been earned by then. `wanted` [B]
    is -1, or how many visits a child of the root has to have to be tried next, the one of the highest `scores` [B, A].
    A tree whose root has been visited as often as `limits` [B] says, or is proven, is left alone; its entry of `depths`
    [B] is -1. Returns how many were not; -1, nothing done, if a tree needs more nodes.
    """
    widest = NUM_ACTIONS if chances is None else NUM_ACTIONS + 4 * chances.shape[0]
    for b in range(roots.shape[0]):
        if sizes[b] + widest > nodes.shape[1]:
            return -1
    active = 0
    for b in range(roots.shape[0]):
        root = nodes[b, 0]
        waiting[b] = False
        depths[b] = -1
        if root.visits >= limits[b] or not math.isnan(root.worth) or roots[b].current_player == TERMINAL:
            continue
        active += 1
        work[b] = roots[b]
        state = work[b]
        reseed(state, mix(seeds[b] + np.uint64(simulation) * GAMMA))
        depths[b] = walk(nodes[b], sizes, b, state, paths[b], chances, wanted[b], scores[b], scales[b])
        payoffs[b, :] = 0
        returns(state, payoffs[b])
        waiting[b] = state.current_player != TERMINAL and math.isnan(nodes[b, paths[b, depths[b]]].worth)
        if waiting[b]:
            observe(state, state.current_player, obs[b])
            mask[b, :] = False
            legal_actions(state, mask[b])
    return active


@njit(inline="always")
def walk(
    tree: NDArray[Any],
    sizes: NDArray[np.int64],
    b: int,
    state: Any,
    path: NDArray[np.int32],
    chances: Any,
    wanted: int,
    scores: NDArray[np.float32],
    scale: float,
) -> int:
    """Play from the root of tree `b` to a node without children, or proven, in `state`; returns how deep.

    The nodes on the way are written into `path` [D].
    """
    place, depth = 0, 0
    path[0] = 0
    while True:
        node = tree[place]
        node.seat = state.current_player
        proven = depth > 0 and not math.isnan(node.worth)
        if state.current_player == TERMINAL or proven or depth == path.shape[0] - 1:
            return depth
        if chances is not None and state.current_player == CHANCE:
            if node.count == 0:
                open_chance(tree, sizes, b, node, chances.shape[0])
            place = node.first + drawn_outcome(state, chances)
        elif node.count == 0:
            return depth
        elif depth == 0 and wanted >= 0:
            place = considered(tree, node, wanted, scores, scale)
        elif wanted >= 0:
            place = improving(tree, node, scale)
        else:
            place = promising(tree, node, scale)
        apply(state, int(tree[place].action))
        depth += 1
        path[depth] = place


@njit(inline="always")
def open_chance(tree: NDArray[Any], sizes: NDArray[np.int64], b: int, node: Any, outcomes: int) -> None:
    """Give a node where chance moves its children, one an outcome."""
    node.first = sizes[b]
    node.count = node.tried = outcomes
    for outcome in range(outcomes):
        begin(tree[sizes[b] + outcome], outcome, 0.0, 0.0)
    sizes[b] += outcomes


@njit(inline="always")
def begin(node: Any, action: int, prior: float, logit: float) -> None:
    """A node that nobody has visited."""
    node.total = node.own = 0.0
    node.prior, node.logit, node.value, node.worth = prior, logit, 0.0, np.nan
    node.visits = node.first = node.count = node.tried = 0
    node.action = action
    node.seat = TERMINAL


@njit(inline="always")
def promising(tree: NDArray[Any], node: Any, scale: float) -> int:
    """The child of the highest mean result plus exploration, in proportion to its prior (PUCT).

    One that has not been visited is taken to be worth what its parent is, so far. What is proven needs no exploration.
    """
    visits = node.visits
    weight = scale * (math.log((1.0 + visits + BASE) / BASE) + FIRST) * math.sqrt(visits)
    unknown = node.own / visits
    best, highest = node.first, -math.inf
    for place in range(node.first, node.first + node.count):
        child = tree[place]
        if math.isnan(child.worth):
            mean = child.total / child.visits if child.visits > 0 else unknown
            bound = mean + weight * child.prior / (1.0 + child.visits)
        else:
            bound = np.float64(child.worth)
        if bound > highest:
            best, highest = place, bound
    return best


@njit(inline="always")
def mixed_value(tree: NDArray[Any], node: Any) -> float:
    """What children without visits are taken to be worth (Danihelka et al. 2022, equation 33).

    The network's value, and the mean results of the visited children in proportion to their priors.
    """
    visits, priors, results = 0, 0.0, 0.0
    for place in range(node.first, node.first + node.count):
        child = tree[place]
        if child.visits > 0:
            visits += child.visits
            priors += child.prior
            results += child.prior * child.total / child.visits
    if priors <= 0.0:
        return np.float64(node.value)
    return (node.value + visits * results / priors) / (1.0 + visits)


@njit(inline="always")
def result_weight(tree: NDArray[Any], node: Any, scale: float) -> float:
    """The factor of results beside logits, for results from -`scale` to `scale` brought to 0 to 1."""
    most = 0
    for place in range(node.first, node.first + node.count):
        most = max(most, tree[place].visits)
    return (C_VISIT + most) * C_SCALE * 0.5 / scale


@njit(inline="always")
def improved_logit(child: Any, weight: float, mixed: float) -> float:
    """The logit of a child after the search: its own plus what it is worth (equation 11)."""
    return child.logit + weight * (child.total / child.visits if child.visits > 0 else mixed)


@njit(inline="always")
def considered(tree: NDArray[Any], node: Any, wanted: int, scores: NDArray[np.float32], scale: float) -> int:
    """Of the children that have been visited `wanted` times, the one of the highest score and result (equation 8)."""
    weight, mixed = result_weight(tree, node, scale), mixed_value(tree, node)
    best, highest = -1, -math.inf
    for place in range(node.first, node.first + node.count):
        child = tree[place]
        if child.visits == wanted:
            score = scores[child.action] + weight * (child.total / child.visits if child.visits > 0 else mixed)
            if best < 0 or score > highest:
                best, highest = place, score
    return best if best >= 0 else promising(tree, node, scale)


@njit(inline="always")
def improving(tree: NDArray[Any], node: Any, scale: float) -> int:
    """The child whose share of visits lies most below its improved probability (equation 14)."""
    weight, mixed = result_weight(tree, node, scale), mixed_value(tree, node)
    highest, visits = -math.inf, 0
    for place in range(node.first, node.first + node.count):
        highest = max(highest, improved_logit(tree[place], weight, mixed))
        visits += tree[place].visits
    whole = 0.0
    for place in range(node.first, node.first + node.count):
        whole += math.exp(improved_logit(tree[place], weight, mixed) - highest)
    best, most = node.first, -math.inf
    for place in range(node.first, node.first + node.count):
        lag = math.exp(improved_logit(tree[place], weight, mixed) - highest) / whole
        lag -= tree[place].visits / (1.0 + visits)
        if lag > most:
            best, most = place, lag
    return best


@njit(cache=True, nogil=True)
def grow(
    nodes: NDArray[Any],
    sizes: NDArray[np.int64],
    scales: NDArray[np.float64],
    paths: NDArray[np.int32],
    depths: NDArray[np.int32],
    payoffs: NDArray[np.float32],
    waiting: NDArray[np.bool_],
    mask: NDArray[np.bool_],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
    proves: bool,
) -> None:
    """Give every leaf that was looked at its children, and hand results up every path.

    `logits` [W, A] and `values` [W], what the seat to move will earn from there on, are those of the W waiting trees.
    `proves` is for games without chance, of two seats and zero sum.
    """
    looked = 0
    for b in range(nodes.shape[0]):
        if depths[b] < 0:
            continue
        tree, path, payoff = nodes[b], paths[b], payoffs[b]
        leaf = tree[path[depths[b]]]
        if waiting[b]:
            payoff[leaf.seat] += values[looked]
            payoff[1 - leaf.seat] -= values[looked]
            leaf.value = payoff[leaf.seat]
            open_decision(tree, sizes, b, leaf, mask[b], logits[looked])
            looked += 1
        elif proves and depths[b] > 0:
            chooser = tree[path[depths[b] - 1]].seat
            if math.isnan(leaf.worth):
                leaf.worth = payoff[chooser]
            payoff[chooser] = leaf.worth
            payoff[1 - chooser] = -leaf.worth
        for seat in range(NUM_PLAYERS):
            scales[b] = max(scales[b], abs(payoff[seat]))
        back_up(tree, path, depths[b], payoff)


@njit(inline="always")
def back_up(tree: NDArray[Any], path: NDArray[np.int32], depth: int, payoff: NDArray[np.float32]) -> None:
    """Add a result to the nodes of a path; one whose children settle what it is worth hands on that instead."""
    settled = not math.isnan(tree[path[depth]].worth)
    for step in range(depth, -1, -1):
        node = tree[path[step]]
        chooser = tree[path[step - 1]].seat if step > 0 else node.seat
        if settled and step < depth:
            settled = prove(tree, node, chooser)
            if settled:
                payoff[chooser] = node.worth
                payoff[1 - chooser] = -node.worth
        node.visits += 1
        if node.seat >= 0:
            node.own += payoff[node.seat]
        if step > 0 and chooser >= 0:
            node.total += payoff[chooser]


@njit(inline="always")
def open_decision(
    tree: NDArray[Any], sizes: NDArray[np.int64], b: int, node: Any, mask: NDArray[np.bool_], logits: NDArray[Any]
) -> None:
    """Give a node its children, one a legal action, with the priors that the network gives them."""
    highest = -math.inf
    for action in range(NUM_ACTIONS):
        if mask[action]:
            highest = max(highest, np.float64(logits[action]))
    whole = 0.0
    node.first = sizes[b]
    count = 0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            weight = math.exp(logits[action] - highest)
            begin(tree[node.first + count], action, weight, logits[action])
            whole += weight
            count += 1
    for place in range(node.first, node.first + count):
        tree[place].prior /= whole
    node.count = node.tried = count
    sizes[b] += count


@njit(cache=True, nogil=True)
def stir(nodes: NDArray[Any], noise: NDArray[np.float64], share: float) -> None:
    """Mix noise into the priors at the roots: `noise` [B, A] above 0, of which each takes its part among the legal."""
    for b in range(nodes.shape[0]):
        root = nodes[b, 0]
        whole = 0.0
        for place in range(root.first, root.first + root.count):
            whole += noise[b, nodes[b, place].action]
        for place in range(root.first, root.first + root.count):
            child = nodes[b, place]
            child.prior = (1 - share) * child.prior + share * noise[b, child.action] / whole


@njit(cache=True, nogil=True)
def found(
    nodes: NDArray[Any], visits: NDArray[np.int64], eligible: NDArray[np.bool_], values: NDArray[np.float64]
) -> None:
    """What the roots know: visits of actions [B, A], zero on entry, and the values of the positions [B].

    `eligible` [B, A], False on entry, leaves out actions that are proven to be worse.
    """
    for b in range(nodes.shape[0]):
        root = nodes[b, 0]
        values[b] = root.own / max(root.visits, 1) if math.isnan(root.worth) else np.float64(root.worth)
        for place in range(root.first, root.first + root.count):
            child = nodes[b, place]
            visits[b, child.action] = child.visits
            eligible[b, child.action] = fits(root, child)


@njit(cache=True, nogil=True)
def improved(
    nodes: NDArray[Any], scales: NDArray[np.float64], probs: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    """Write into `probs` [B, A], zero on entry, the policies that the search has improved; into `values` [B] theirs."""
    for b in range(nodes.shape[0]):
        tree, root = nodes[b], nodes[b, 0]
        weight, mixed = result_weight(tree, root, scales[b]), mixed_value(tree, root)
        highest, whole = -math.inf, 0.0
        for place in range(root.first, root.first + root.count):
            highest = max(highest, improved_logit(tree[place], weight, mixed))
        for place in range(root.first, root.first + root.count):
            p = math.exp(improved_logit(tree[place], weight, mixed) - highest)
            probs[b, tree[place].action] = p
            whole += p
        values[b] = 0.0
        for place in range(root.first, root.first + root.count):
            child = tree[place]
            probs[b, child.action] /= whole
            values[b] += probs[b, child.action] * (child.total / child.visits if child.visits > 0 else mixed)


@njit(cache=True, nogil=True)
def settled(
    nodes: NDArray[Any], scales: NDArray[np.float64], scores: NDArray[np.float32], act: NDArray[np.int64]
) -> None:
    """Write into `act` [B] the action of the highest score and result among those visited most."""
    for b in range(nodes.shape[0]):
        tree, root = nodes[b], nodes[b, 0]
        most = 0
        for place in range(root.first, root.first + root.count):
            most = max(most, tree[place].visits)
        if root.count > 0:
            act[b] = tree[considered(tree, root, most, scores[b], scales[b])].action


@njit(cache=True, nogil=True)
def lines(nodes: NDArray[Any], chosen: NDArray[np.int64], pv: NDArray[np.int32]) -> None:
    """Write into `pv` [B, L] the moves expected: the one chosen, then those visited most, up to a chance; then -1."""
    for b in range(nodes.shape[0]):
        pv[b, :] = -1
        place, action = 0, chosen[b]
        for i in range(pv.shape[1]):
            node = nodes[b, place]
            place = -1
            for child in range(node.first, node.first + node.count):
                visits = nodes[b, child].visits
                if (visits > 0 and (nodes[b, child].action == action if i == 0 else place < 0)) or (
                    i > 0 and visits > nodes[b, place].visits
                ):
                    place = child
            if place < 0:
                break
            pv[b, i] = nodes[b, place].action
            if nodes[b, place].seat < 0:
                break
