"""Batched trees guided by a network: a template that `games.engine.compiler` turns into code for one game.

One simulation of all trees is `descend` (to a leaf in each tree), one batched evaluation of the leaves by the network,
and `grow` (expand the leaves with the network's priors and back up its values). Two seats, zero sum. Chance may move;
its outcomes are sampled, each in a node of its own. PUCT proves results on the way, as `agents.search.tree` does.

Shapes: B trees, N nodes of each, A actions, O observation, C outcomes of chance, D the longest path, P = 2 seats.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.nodes import fits, prove
from games.engine.chance import GAMMA, mix
from games.engine.entries import unowned
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
from games.engine.kernels import drawn_outcome
from games.engine.rules import NUM_ACTIONS, NUM_PLAYERS, apply, legal_actions, observe, reseed, returns

NODE = np.dtype(
    [
        ("total", np.float64),  # sum of the results of the seat that chose this node
        ("mover_total", np.float64),  # sum of the results of the seat to move here
        ("prior", np.float32),
        ("logit", np.float32),
        ("value", np.float32),  # return of the seat to move here, as the network predicts it
        ("proven_value", np.float32),  # result for the seat that chose it if both play perfectly; nan if not proven
        ("visits", np.int32),
        ("first_child", np.int32),  # index of the first child
        ("action", np.int16),  # the action, or outcome of chance, that leads here
        ("num_children", np.int16),  # 0 before the node is expanded
        ("num_expanded", np.int16),  # equal to num_children; `prove` reads it
        ("seat", np.int8),  # seat to move here, known from the first visit on
    ],
    align=True,
)
BASE, FIRST = 19652.0, 1.25
"""Exploration weight of PUCT: c(n) = log((1 + n + BASE) / BASE) + FIRST (Silver et al. 2018, Science 362)."""
C_VISIT, C_SCALE = 50.0, 1.0
"""Weight of Q-values beside logits: (C_VISIT + max visits) C_SCALE (Danihelka et al. 2022, ICLR, equation 8)."""


class SearchTrees(NamedTuple):
    """B trees that grow side by side."""

    roots: NDArray[Any]
    """Their positions, records [B]."""
    seeds: NDArray[np.uint64]
    """Seeds of what chance does in simulations, [B]."""
    nodes: NDArray[Any]
    """Records `NODE` [B, N]; the root is the first."""
    sizes: NDArray[np.int64]
    """Nodes in use, [B]."""
    scales: NDArray[np.float64]
    """Largest result so far, in absolute value, [B]: exploration is measured in it."""


class Leaves(NamedTuple):
    """Where a simulation has come to in each of B trees."""

    states: NDArray[Any]
    """The positions, records [B]."""
    paths: NDArray[np.int32]
    """The nodes on the way, [B, D]."""
    depths: NDArray[np.int32]
    """The place of the leaf on its path, [B]; -1 in a tree that was skipped."""
    payoffs: NDArray[np.float32]
    """The payoffs of the seats up to the leaf, [B, P]."""
    waiting: NDArray[np.bool_]
    """Whether the leaf needs an evaluation, [B]."""
    obs: NDArray[Any]
    """What the seat to move sees there, if so, [B, O]."""
    mask: NDArray[np.bool_]
    """Its legal actions, [B, A]."""


@njit(cache=True, nogil=True)
def descend(
    trees: SearchTrees,
    leaves: Leaves,
    chances: Any,
    simulation: int,
    limits: NDArray[np.int64],
    considered_visits: NDArray[np.int32],
    scores: NDArray[np.float32],
) -> int:
    """Descend in every tree to a node without children.

    `considered_visits` [B] is -1 for PUCT. For Gumbel it is the number of visits that the next root child must have; of
    these children, the one of the highest `scores` [B, A] is taken. A tree is skipped if its root is proven or has
    `limits` [B] visits. Returns the number of trees that were not skipped, or -1, with nothing done, if a tree needs
    more nodes.
    """
    trees, leaves = unowned(trees), unowned(leaves)
    roots, nodes, sizes, waiting, depths = trees.roots, trees.nodes, trees.sizes, leaves.waiting, leaves.depths
    obs, mask, payoffs, paths = leaves.obs, leaves.mask, leaves.payoffs, leaves.paths
    widest = NUM_ACTIONS if chances is None else NUM_ACTIONS + 4 * chances.shape[0]
    for b in range(roots.shape[0]):
        if sizes[b] + widest > nodes.shape[1]:
            return -1
    active = 0
    for b in range(roots.shape[0]):
        root = nodes[b, 0]
        waiting[b] = False
        depths[b] = -1
        if root.visits >= limits[b] or not math.isnan(root.proven_value) or roots[b].current_player == TERMINAL:
            continue
        active += 1
        leaves.states[b] = roots[b]
        state = leaves.states[b]
        reseed(state, mix(trees.seeds[b] + np.uint64(simulation) * GAMMA))
        depths[b] = walk(trees, b, state, paths[b], chances, considered_visits[b], scores[b])
        payoffs[b, :] = 0
        returns(state, payoffs[b])
        waiting[b] = state.current_player != TERMINAL and math.isnan(nodes[b, paths[b, depths[b]]].proven_value)
        if waiting[b]:
            observe(state, state.current_player, obs[b])
            mask[b, :] = False
            legal_actions(state, mask[b])
    return active


@njit(inline="always")
def walk(
    trees: SearchTrees,
    b: int,
    state: Any,
    path: NDArray[np.int32],
    chances: Any,
    considered_visits: int,
    scores: NDArray[np.float32],
) -> int:
    """Play from the root of tree `b` to a proven node or one without children; return its depth.

    Changes `state`, and writes the nodes on the way into `path` [D].
    """
    tree, sizes, scale = trees.nodes[b], trees.sizes, trees.scales[b]
    place, depth = 0, 0
    path[0] = 0
    while True:
        node = tree[place]
        node.seat = state.current_player
        proven = depth > 0 and not math.isnan(node.proven_value)
        if state.current_player == TERMINAL or proven or depth == path.shape[0] - 1:
            return depth
        if chances is not None and state.current_player == CHANCE:
            if node.num_children == 0:
                open_chance(tree, sizes, b, node, chances.shape[0])
            place = node.first_child + drawn_outcome(state, chances)
        elif node.num_children == 0:
            return depth
        elif depth == 0 and considered_visits >= 0:
            place = select_considered(tree, node, considered_visits, scores, scale)
        elif considered_visits >= 0:
            place = select_improved(tree, node, scale)
        else:
            place = select_puct(tree, node, scale)
        apply(state, int(tree[place].action))
        depth += 1
        path[depth] = place


@njit(inline="always")
def open_chance(tree: NDArray[Any], sizes: NDArray[np.int64], b: int, node: Any, outcomes: int) -> None:
    """Allocate the children of a chance node, one per outcome."""
    node.first_child = sizes[b]
    node.num_children = node.num_expanded = outcomes
    for outcome in range(outcomes):
        init_node(tree[sizes[b] + outcome], outcome, 0.0, 0.0)
    sizes[b] += outcomes


@njit(inline="always")
def init_node(node: Any, action: int, prior: float, logit: float) -> None:
    """Initialise a node."""
    node.total = node.mover_total = 0.0
    node.prior, node.logit, node.value, node.proven_value = prior, logit, 0.0, np.nan
    node.visits = node.first_child = node.num_children = node.num_expanded = 0
    node.action = action
    node.seat = TERMINAL


@njit(inline="always")
def select_puct(tree: NDArray[Any], node: Any, scale: float) -> int:
    """Return the child of the highest PUCT score: its mean result plus exploration in proportion to its prior.

    An unvisited child has the mean of its parent so far. A proven child has no exploration term.
    """
    visits = node.visits
    weight = scale * (math.log((1.0 + visits + BASE) / BASE) + FIRST) * math.sqrt(visits)
    unknown = node.mover_total / visits
    best, highest = node.first_child, -math.inf
    for place in range(node.first_child, node.first_child + node.num_children):
        child = tree[place]
        if math.isnan(child.proven_value):
            mean = child.total / child.visits if child.visits > 0 else unknown
            bound = mean + weight * child.prior / (1.0 + child.visits)
        else:
            bound = np.float64(child.proven_value)
        if bound > highest:
            best, highest = place, bound
    return best


@njit(inline="always")
def mixed_value(tree: NDArray[Any], node: Any) -> float:
    """Return the value assumed for unvisited children (Danihelka et al. 2022, equation 33).

    It mixes the network's value with the mean results of the visited children, weighted by their priors.
    """
    visits, priors, results = 0, 0.0, 0.0
    for place in range(node.first_child, node.first_child + node.num_children):
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
    """Return the factor of Q-values beside logits, with results in [-`scale`, `scale`] mapped to [0, 1]."""
    most = 0
    for place in range(node.first_child, node.first_child + node.num_children):
        most = max(most, tree[place].visits)
    return (C_VISIT + most) * C_SCALE * 0.5 / scale


@njit(inline="always")
def improved_logit(child: Any, weight: float, mixed: float) -> float:
    """Return a child's logit plus its weighted Q-value (equation 11)."""
    return child.logit + weight * (child.total / child.visits if child.visits > 0 else mixed)


@njit(inline="always")
def select_considered(
    tree: NDArray[Any], node: Any, considered_visits: int, scores: NDArray[np.float32], scale: float
) -> int:
    """Return the child with `considered_visits` visits of the highest score plus weighted Q-value (equation 8)."""
    weight, mixed = result_weight(tree, node, scale), mixed_value(tree, node)
    best, highest = -1, -math.inf
    for place in range(node.first_child, node.first_child + node.num_children):
        child = tree[place]
        if child.visits == considered_visits:
            score = scores[child.action] + weight * (child.total / child.visits if child.visits > 0 else mixed)
            if best < 0 or score > highest:
                best, highest = place, score
    return best if best >= 0 else select_puct(tree, node, scale)


@njit(inline="always")
def select_improved(tree: NDArray[Any], node: Any, scale: float) -> int:
    """Return the child whose share of visits lies furthest below its improved probability (equation 14)."""
    weight, mixed = result_weight(tree, node, scale), mixed_value(tree, node)
    highest, visits = -math.inf, 0
    for place in range(node.first_child, node.first_child + node.num_children):
        highest = max(highest, improved_logit(tree[place], weight, mixed))
        visits += tree[place].visits
    whole = 0.0
    for place in range(node.first_child, node.first_child + node.num_children):
        whole += math.exp(improved_logit(tree[place], weight, mixed) - highest)
    best, most = node.first_child, -math.inf
    for place in range(node.first_child, node.first_child + node.num_children):
        lag = math.exp(improved_logit(tree[place], weight, mixed) - highest) / whole
        lag -= tree[place].visits / (1.0 + visits)
        if lag > most:
            best, most = place, lag
    return best


@njit(cache=True, nogil=True)
def grow(
    trees: SearchTrees, leaves: Leaves, logits: NDArray[np.float32], values: NDArray[np.float32], proves: bool
) -> None:
    """Expand every evaluated leaf and back up the results of every path.

    `logits` [W, A] and `values` [W], the expected further return of the seat to move, belong to the W waiting trees.
    `proves` requires a two-player zero-sum game without chance.
    """
    trees, leaves = unowned(trees), unowned(leaves)
    nodes, sizes, scales = trees.nodes, trees.sizes, trees.scales
    paths, depths, payoffs, mask = leaves.paths, leaves.depths, leaves.payoffs, leaves.mask
    row = 0
    for b in range(nodes.shape[0]):
        if depths[b] < 0:
            continue
        tree, path, payoff = nodes[b], paths[b], payoffs[b]
        leaf = tree[path[depths[b]]]
        if leaves.waiting[b]:
            payoff[leaf.seat] += values[row]
            payoff[1 - leaf.seat] -= values[row]
            leaf.value = payoff[leaf.seat]
            open_decision(tree, sizes, b, leaf, mask[b], logits[row])
            row += 1
        elif proves and depths[b] > 0:
            chooser = tree[path[depths[b] - 1]].seat
            if math.isnan(leaf.proven_value):
                leaf.proven_value = payoff[chooser]
            payoff[chooser] = leaf.proven_value
            payoff[1 - chooser] = -leaf.proven_value
        for seat in range(NUM_PLAYERS):
            scales[b] = max(scales[b], abs(payoff[seat]))
        back_up(tree, path, depths[b], payoff)


@njit(inline="always")
def back_up(tree: NDArray[Any], path: NDArray[np.int32], depth: int, payoff: NDArray[np.float32]) -> None:
    """Add a result to the nodes of a path; a node that its children prove backs up its proven value instead."""
    settled = not math.isnan(tree[path[depth]].proven_value)
    for step in range(depth, -1, -1):
        node = tree[path[step]]
        chooser = tree[path[step - 1]].seat if step > 0 else node.seat
        if settled and step < depth:
            settled = prove(tree, node, chooser)
            if settled:
                payoff[chooser] = node.proven_value
                payoff[1 - chooser] = -node.proven_value
        node.visits += 1
        if node.seat >= 0:
            node.mover_total += payoff[node.seat]
        if step > 0 and chooser >= 0:
            node.total += payoff[chooser]


@njit(inline="always")
def open_decision(
    tree: NDArray[Any], sizes: NDArray[np.int64], b: int, node: Any, mask: NDArray[np.bool_], logits: NDArray[Any]
) -> None:
    """Allocate the children of a node, one per legal action, with the softmax of the logits as priors."""
    highest = -math.inf
    for action in range(NUM_ACTIONS):
        if mask[action]:
            highest = max(highest, np.float64(logits[action]))
    whole = 0.0
    node.first_child = sizes[b]
    count = 0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            weight = math.exp(logits[action] - highest)
            init_node(tree[node.first_child + count], action, weight, logits[action])
            whole += weight
            count += 1
    for place in range(node.first_child, node.first_child + count):
        tree[place].prior /= whole
    node.num_children = node.num_expanded = count
    sizes[b] += count


@njit(cache=True, nogil=True)
def add_noise(nodes: NDArray[Any], noise: NDArray[np.float64], share: float) -> None:
    """Mix noise into the priors at the roots: `noise` [B, A] above 0, normalised over the legal actions."""
    for b in range(nodes.shape[0]):
        root = nodes[b, 0]
        whole = 0.0
        for place in range(root.first_child, root.first_child + root.num_children):
            whole += noise[b, nodes[b, place].action]
        for place in range(root.first_child, root.first_child + root.num_children):
            child = nodes[b, place]
            child.prior = (1 - share) * child.prior + share * noise[b, child.action] / whole


@njit(cache=True, nogil=True)
def read_roots(
    nodes: NDArray[Any], visits: NDArray[np.int64], eligible: NDArray[np.bool_], values: NDArray[np.float64]
) -> None:
    """Read off the roots the visits of actions [B, A] and the values of the positions [B].

    `visits` and `eligible` [B, A] are zero on entry. Eligible are the actions not proven worse.
    """
    for b in range(nodes.shape[0]):
        root = nodes[b, 0]
        values[b] = (
            root.mover_total / max(root.visits, 1) if math.isnan(root.proven_value) else np.float64(root.proven_value)
        )
        for place in range(root.first_child, root.first_child + root.num_children):
            child = nodes[b, place]
            visits[b, child.action] = child.visits
            eligible[b, child.action] = fits(root, child)


@njit(cache=True, nogil=True)
def improved_policies(
    nodes: NDArray[Any], scales: NDArray[np.float64], probs: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    """Write the improved policies into `probs` [B, A], zero on entry, and their values into `values` [B]."""
    for b in range(nodes.shape[0]):
        tree, root = nodes[b], nodes[b, 0]
        weight, mixed = result_weight(tree, root, scales[b]), mixed_value(tree, root)
        highest, whole = -math.inf, 0.0
        for place in range(root.first_child, root.first_child + root.num_children):
            highest = max(highest, improved_logit(tree[place], weight, mixed))
        for place in range(root.first_child, root.first_child + root.num_children):
            p = math.exp(improved_logit(tree[place], weight, mixed) - highest)
            probs[b, tree[place].action] = p
            whole += p
        values[b] = 0.0
        for place in range(root.first_child, root.first_child + root.num_children):
            child = tree[place]
            probs[b, child.action] /= whole
            values[b] += probs[b, child.action] * (child.total / child.visits if child.visits > 0 else mixed)


@njit(cache=True, nogil=True)
def final_actions(
    nodes: NDArray[Any], scales: NDArray[np.float64], scores: NDArray[np.float32], act: NDArray[np.int64]
) -> None:
    """Write into `act` [B] the most visited action of the highest score plus weighted Q-value."""
    for b in range(nodes.shape[0]):
        tree, root = nodes[b], nodes[b, 0]
        most = 0
        for place in range(root.first_child, root.first_child + root.num_children):
            most = max(most, tree[place].visits)
        if root.num_children > 0:
            act[b] = tree[select_considered(tree, root, most, scores[b], scales[b])].action


@njit(cache=True, nogil=True)
def write_pvs(nodes: NDArray[Any], chosen: NDArray[np.int64], pv: NDArray[np.int32]) -> None:
    """Write the principal variations into `pv` [B, L]: `chosen`, then the most visited, up to chance; -1 after."""
    for b in range(nodes.shape[0]):
        pv[b, :] = -1
        place, action = 0, chosen[b]
        for i in range(pv.shape[1]):
            node = nodes[b, place]
            place = -1
            for child in range(node.first_child, node.first_child + node.num_children):
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
