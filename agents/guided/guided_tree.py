"""Descending in guided trees by compiled rules: a template that `games.engine.compiler` turns into code for one game.

One simulation of all trees is `descend` (to a leaf in each tree), one batched evaluation of the leaves by the network,
and `agents.guided.guided_nodes.grow`. Chance may move; its outcomes are sampled, each in a node of its own.

Shapes: B trees, A actions, C outcomes of chance, D the longest path.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.guided.guided_nodes import Leaves, Plan, SearchTrees, init_node, is_finished, select_child
from games.engine.chance import GAMMA, mix
from games.engine.entries import unowned
from games.engine.game import CHANCE, TERMINAL
from games.engine.jit import njit
from games.engine.moves import drawn_outcome
from games.engine.rules import NUM_ACTIONS, apply, legal_actions, observe, reseed, returns


class Positions(NamedTuple):
    """The positions of B trees."""

    roots: NDArray[Any]
    """Records [B]."""
    leaves: NDArray[Any]
    """Records [B]: where the last simulation has come to."""
    obs: NDArray[Any]
    """What the seat to move sees there, [B, O]."""


@njit(cache=True, nogil=True)
def descend(trees: SearchTrees, leaves: Leaves, positions: Positions, plan: Plan, chances: Any, simulation: int) -> int:
    """Descend in every tree to a node without children.

    Returns the number of trees that were not skipped, or -1, with nothing done, if a tree needs more nodes. `chances`
    is scratch, [C] or None.
    """
    trees, leaves, positions, plan = unowned(trees), unowned(leaves), unowned(positions), unowned(plan)
    roots, obs, nodes, sizes, waiting = positions.roots, positions.obs, trees.nodes, trees.sizes, leaves.waiting
    mask, payoffs, paths, depths = leaves.mask, leaves.payoffs, leaves.paths, leaves.depths
    widest = NUM_ACTIONS if chances is None else NUM_ACTIONS + 4 * chances.shape[0]
    for b in range(roots.shape[0]):
        if sizes[b] + widest > nodes.shape[1]:
            return -1
    active = 0
    for b in range(roots.shape[0]):
        waiting[b] = False
        depths[b] = -1
        if is_finished(nodes[b, 0], plan.limits[b]):
            continue
        active += 1
        positions.leaves[b] = roots[b]
        state = positions.leaves[b]
        reseed(state, mix(trees.seeds[b] + np.uint64(simulation) * GAMMA))
        depths[b] = walk(trees, b, state, paths[b], chances, plan)
        payoffs[b, :] = 0
        returns(state, payoffs[b])
        waiting[b] = state.current_player != TERMINAL and math.isnan(nodes[b, paths[b, depths[b]]].proven_value)
        if waiting[b]:
            observe(state, state.current_player, obs[b])
            mask[b, :] = False
            legal_actions(state, mask[b])
    return active


@njit(inline="always")
def walk(trees: SearchTrees, b: int, state: Any, path: NDArray[np.int32], chances: Any, plan: Plan) -> int:
    """Play from the root of tree `b` to a proven node or one without children; return its depth.

    Changes `state`, and writes the nodes on the way into `path` [D].
    """
    tree, sizes, scale = trees.nodes[b], trees.sizes, trees.scales[b]
    considered_visits, scores = plan.considered_visits[b], plan.scores[b]
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
        else:
            place = select_child(tree, node, depth, considered_visits, scores, scale)
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
