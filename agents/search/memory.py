"""Search trees kept from one move of a game to the next."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.search.nodes import child_by, keep
from games.engine.compiled import CompiledGame
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game

TREES_KEPT = 64
"""Smallest capacity in trees; when it is exceeded, the oldest tree is dropped."""
TREES_PER_POSITION = 4
"""Capacity per position of a call, if that is more: two seats, and games that ended early."""
MOST_MOVES_BETWEEN = 64
"""Largest number of moves of other seats and of chance between two moves of the same seat."""


class Recall(Protocol):
    """Tells where in a kept tree a later position of its game stands."""

    def mark(self, root: NDArray[Any], action: int) -> Any:
        """Return what is to be remembered of the position after `action` in the position `root` [1]."""

    def find(self, nodes: NDArray[Any], seat: int, mark: Any, root: NDArray[Any]) -> int:
        """Return the node of the position `root` [1], a decision of `seat`, in the tree of a mark; -1 if none is."""


class Trees:
    """Trees below the moves played, each with a number from 1; policies pass the numbers on as hidden states."""

    def __init__(self, game: Game):
        self._recall: Recall = _ByRules(game) if isinstance(game, CompiledGame) else _ByActions(game)
        self._kept: dict[int, tuple[NDArray[Any], Any, int]] = {}
        self._last, self._capacity = 0, TREES_KEPT
        self._scratch = np.empty(0)

    def put(self, nodes: NDArray[Any], root: NDArray[Any], action: int) -> int:
        """Keep the subtree below `action` in the position `root` [1]; return its number, 0 if it has no visits."""
        place = child_by(nodes, 0, action)
        if place < 0:
            return 0
        if len(self._scratch) < len(nodes):
            self._scratch = np.empty_like(nodes)
        kept = self._scratch[: keep(nodes, place, self._scratch)].copy()
        mark, seat = self._recall.mark(root, action), int(root["current_player"][0])
        if not self._last:  # load now, before any clock runs, what the next move will need
            self._recall.find(kept, seat, mark, root)
        self._last += 1
        self._kept[self._last] = kept, mark, seat
        if len(self._kept) > self._capacity:
            del self._kept[next(iter(self._kept))]
        return self._last

    def put_all(self, trees: Sequence[NDArray[Any]], roots: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[Any]:
        """Call `put` for each position [n] that is not finished; return the numbers [n], 0 elsewhere."""
        self._capacity = max(self._capacity, TREES_PER_POSITION * len(roots))
        numbers = np.zeros(len(roots), np.int64)
        for row in np.flatnonzero(roots["current_player"] != TERMINAL).tolist():
            numbers[row] = self.put(trees[row], roots[row : row + 1], int(actions[row]))
        return numbers

    def pop_all(self, numbers: NDArray[np.int64], roots: NDArray[Any]) -> list[NDArray[Any] | None]:
        """Call `pop` for each position [n]."""
        return [self.pop(number, roots[row : row + 1]) for row, number in enumerate(numbers.tolist())]

    def pop(self, number: int, root: NDArray[Any]) -> NDArray[Any] | None:
        """Remove the tree of a number and return its part below the position `root` [1]; None if there is none."""
        if number not in self._kept:
            return None
        nodes, mark, seat = self._kept.pop(number)
        place = self._recall.find(nodes, seat, mark, root)
        if place < 0:
            return None
        kept = np.empty_like(nodes)
        return kept[: keep(nodes, place, kept)]


class _ByRules:
    """Recalls positions of compiled games: it plays on from the one remembered and compares."""

    def __init__(self, game: Game):
        self._kernels = instantiate("agents.search.recall", game)
        self._stack = np.empty(MOST_MOVES_BETWEEN, game.state_dtype)
        self._bytes = bytes_of(self._stack)
        self._cursors = np.empty(MOST_MOVES_BETWEEN, np.int32), np.empty(MOST_MOVES_BETWEEN, np.int32)

    def mark(self, root: NDArray[Any], action: int) -> NDArray[Any]:
        after = root.copy()
        self._kernels.play(after, action)
        return after

    def find(self, nodes: NDArray[Any], seat: int, mark: NDArray[Any], root: NDArray[Any]) -> int:
        target = root.copy()
        self._kernels.still(target)
        self._stack[0] = mark[0]
        place: int = self._kernels.find(nodes, seat, bytes_of(target)[0], self._stack, self._bytes, *self._cursors)
        return place


class _ByActions:
    """Recalls positions that tell the actions that led to them."""

    def __init__(self, game: Game):
        self._game = game

    def mark(self, root: NDArray[Any], action: int) -> tuple[NDArray[Any], int]:
        return root.copy(), action

    def find(self, nodes: NDArray[Any], seat: int, mark: tuple[NDArray[Any], int], root: NDArray[Any]) -> int:
        before, action = mark
        actions = self._game.actions_between(before[0], root[0])
        if not actions or actions[0] != action:
            return -1
        place = 0
        for later in actions[1:]:
            if place >= 0:
                place = child_by(nodes, place, later)
        return place


def bytes_of(states: NDArray[Any]) -> NDArray[np.uint8]:
    """Return records [n] as bytes [n, S], sharing their memory."""
    return states.view(np.uint8).reshape(len(states), -1)
