"""Nodes of trees guided by a network: how they are chosen among, opened and backed up.

A node's results are those of the seat that chose it, so that any number of seats is backed up alike (max^n: Luckhardt
and Irani 1986, "An algorithmic solution of N-person games").

`agents.guided.guided_tree` descends in them by compiled rules, `agents.guided.copied_tree` by copies of positions. PUCT
proves results on the way, as `agents.search.tree` does.

Shapes: B trees, N nodes of each, A actions, O observation, D the longest path, P seats.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.nodes import fits, prove
from games.engine.entries import unowned
from games.engine.game import TERMINAL
from games.engine.jit import njit

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

    seeds: NDArray[np.uint64]
    """Seeds of what chance does in simulations, [B]."""
    nodes: NDArray[Any]
    """Records `NODE` [B, N]; the root is the first."""
    sizes: NDArray[np.int64]
    """Nodes in use, [B]."""
    scales: NDArray[np.float64]
    """Largest result so far, in absolute value, [B]: exploration is measured in it."""


class Leaves(NamedTuple):
    """Paths of one simulation in each of B trees."""

    paths: NDArray[np.int32]
    """The nodes on the way, [B, D]."""
    depths: NDArray[np.int32]
    """The place of the leaf on its path, [B]; -1 in a tree that was skipped."""
    payoffs: NDArray[np.float32]
    """The payoffs of the seats up to the leaf, [B, P]."""
    waiting: NDArray[np.bool_]
    """Whether the leaf needs an evaluation, [B]."""
    mask: NDArray[np.bool_]
    """The legal actions of the seat to move there, if so, [B, A]."""


class Plan(NamedTuple):
    """Rules by which simulations descend in B trees."""

    limits: NDArray[np.int64]
    """Visits of the root after which a tree is skipped, [B]."""
    considered_visits: NDArray[np.int32]
    """-1 for PUCT, [B]; for Gumbel the number of visits that the next child of the root must have."""
    scores: NDArray[np.float32]
    """Of the children with so many visits, the one of the highest score is taken, [B, A]."""


@njit(inline="always")
def init_node(node: Any, action: int, prior: float, logit: float) -> None:
    """Initialise a node."""
    node.total = node.mover_total = 0.0
    node.prior, node.logit, node.value, node.proven_value = prior, logit, 0.0, np.nan
    node.visits = node.first_child = node.num_children = node.num_expanded = 0
    node.action = action
    node.seat = TERMINAL


@njit(inline="always")
def is_finished(root: Any, limit: int) -> bool:
    """Return whether a tree is skipped: its game is over, its result proven, or its root has `limit` visits."""
    return root.seat == TERMINAL or root.visits >= limit or not math.isnan(root.proven_value)


@njit(inline="always")
def select_child(
    tree: NDArray[Any], node: Any, depth: int, considered_visits: int, scores: NDArray[np.float32], scale: float
) -> int:
    """Return the child that a simulation goes on to from a node at this depth."""
    if considered_visits < 0:
        return select_puct(tree, node, scale)
    if depth == 0:
        return select_considered(tree, node, considered_visits, scores, scale)
    return select_improved(tree, node, scale)


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

    `logits` [W, A] and `values` [W, P], the expected further returns of the seat to move and those that follow it,
    belong to the W waiting trees.
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
            for place in range(values.shape[1]):
                payoff[(leaf.seat + place) % values.shape[1]] += values[row, place]
            leaf.value = payoff[leaf.seat]
            open_decision(tree, sizes, b, leaf, mask[b], logits[row])
            row += 1
        elif proves and depths[b] > 0:
            chooser = tree[path[depths[b] - 1]].seat
            if math.isnan(leaf.proven_value):
                leaf.proven_value = payoff[chooser]
            payoff[chooser] = leaf.proven_value
            payoff[1 - chooser] = -leaf.proven_value
        for seat in range(payoff.shape[0]):
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
    for action in range(mask.shape[0]):
        if mask[action]:
            highest = max(highest, np.float64(logits[action]))
    whole = 0.0
    node.first_child = sizes[b]
    count = 0
    for action in range(mask.shape[0]):
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
