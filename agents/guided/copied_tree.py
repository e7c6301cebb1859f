"""Descending in guided trees by copies of positions, for games that are not compiled.

In games without chance the nodes alone say where a simulation goes. So the way is found in compiled code, and one step
from a copy of the last known position on it leads to the leaf.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.guided.guided_nodes import Leaves, Plan, SearchTrees, is_finished, select_child
from games.engine.entries import unowned
from games.engine.game import TERMINAL, Game, Playable
from games.engine.jit import Unchecked, njit

POSITIONS_KEPT = 10_000
"""Positions that are kept for one tree; those of later nodes are played again from the last one kept."""


@njit(cache=True, nogil=True)
def find_leaves(trees: SearchTrees, leaves: Leaves, plan: Plan) -> int:
    """Descend in every tree to a proven node or one without children.

    Returns the number of trees that were not skipped, or -1, with nothing done, if a tree needs more nodes.
    """
    trees, leaves, plan = unowned(trees), unowned(leaves), unowned(plan)
    nodes, sizes, depths, paths = trees.nodes, trees.sizes, leaves.depths, leaves.paths
    for b in range(nodes.shape[0]):
        if sizes[b] + leaves.mask.shape[1] > nodes.shape[1]:
            return -1
    active = 0
    for b in range(nodes.shape[0]):
        tree, path = nodes[b], paths[b]
        leaves.waiting[b] = False
        depths[b] = -1
        if is_finished(tree[0], plan.limits[b]):
            continue
        active += 1
        place, depth = 0, 0
        path[0] = 0
        while tree[place].num_children > 0 and depth < path.shape[0] - 1:
            if depth > 0 and not math.isnan(tree[place].proven_value):
                break
            place = select_child(tree, tree[place], depth, plan.considered_visits[b], plan.scores[b], trees.scales[b])
            depth += 1
            path[depth] = place
        depths[b] = depth
    return active


class CopiedPositions:
    """Descends in trees below the positions `states` [B] of a game without chance."""

    def __init__(self, game: Game, find: Unchecked, states: NDArray[Any]):
        self._game, self._states, self._find = game, states, find
        self._known: list[dict[int, tuple[Playable, NDArray[np.float32]]]] = [{} for _ in states]
        self.obs = np.zeros((len(states), *game.observation_shape), game.observation_dtype)
        """What the seats to move see at the leaves, [B, O]."""

    def descend(self, trees: SearchTrees, leaves: Leaves, plan: Plan, simulation: int) -> int:
        """Descend in every tree to a leaf; see `find_leaves`."""
        active: int = self._find.call(trees, leaves, plan)
        for b in np.flatnonzero(leaves.depths >= 0).tolist() if active > 0 else ():
            path = leaves.paths[b, : leaves.depths[b] + 1].tolist()
            leaf = trees.nodes[b, path[-1]]
            if not math.isnan(leaf["proven_value"]):
                continue
            position, leaves.payoffs[b] = self._position(b, trees.nodes[b], path)
            leaf["seat"] = TERMINAL if position.over else position.seat
            leaves.waiting[b] = not position.over
            if not position.over:
                self.obs[b], leaves.mask[b] = position.observe(position.seat), position.mask
        return active

    def _position(self, b: int, tree: NDArray[Any], path: list[int]) -> tuple[Playable, NDArray[np.float32]]:
        """Return the position at the end of a path in tree `b`, and what the seats have earned on the way, [P]."""
        known = self._known[b]
        if not known:
            known[0] = self._game.playable(self._states[b], 0), np.zeros(self._game.num_players, np.float32)
        depth = len(path) - 1
        while path[depth] not in known:
            depth -= 1
        position, payoff = known[path[depth]]
        for place in path[depth + 1 :]:
            position = position.copy()
            payoff = payoff + position.step(int(tree[place]["action"]))
            if len(known) < POSITIONS_KEPT:
                known[place] = position, payoff
        return position, payoff
