"""Descent of guided searches in their trees: by compiled rules, or by copies of positions."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.guided.copied_tree import CopiedPositions, find_leaves
from agents.guided.guided_nodes import Leaves, Plan, SearchTrees
from agents.guided.guided_tree import Positions
from games.engine.compiled import CompiledGame
from games.engine.compiler import instantiate
from games.engine.game import Game
from games.engine.jit import Unchecked


class Descent(Protocol):
    """Goes down the trees of one search."""

    obs: NDArray[Any]
    """What the seats to move see at the leaves, [B, *O]."""

    def descend(self, trees: SearchTrees, leaves: Leaves, plan: Plan, simulation: int) -> int:
        """Descend in every tree to a leaf, and write into `leaves` where that is and what has to be evaluated.

        Returns the number of trees that were not skipped, or -1, with nothing done, if a tree needs more nodes.
        `simulation` is the number of this descent, with which chance is drawn.
        """


def descents(game: Game) -> Callable[[NDArray[Any]], Descent]:
    """Return a function that makes the descent below positions [B] of a game."""
    if isinstance(game, CompiledGame):
        return partial(_CompiledRules, game, Unchecked(instantiate("agents.guided.guided_tree", game).descend))
    return partial(CopiedPositions, game, Unchecked(find_leaves))


class _CompiledRules:
    """Descends below the positions `states` [B] by the rules of the game."""

    def __init__(self, game: Game, kernel: Unchecked, states: NDArray[Any]):
        self._kernel, self._chances = kernel, game.chance_scratch()
        self.obs = np.zeros((len(states), *game.observation_shape), game.observation_dtype)
        self._positions = Positions(np.ascontiguousarray(states), np.empty(len(states), game.state_dtype), self.obs)

    def descend(self, trees: SearchTrees, leaves: Leaves, plan: Plan, simulation: int) -> int:
        """Run the kernel."""
        active: int = self._kernel.call(trees, leaves, self._positions, plan, self._chances, simulation)
        return active
