"""What a search remembers from one move of a game to the next."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.nodes import child_by, keep
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game

MOST_TREES = 64
"""Of games side by side; the oldest are forgotten."""
FOR_EACH = 4
"""Trees that are held for each position of a call, if that is more: of both seats, and of games that ended early."""
REACH = 64
"""Moves of others, and of chance, between two of one's own that are followed."""


class Trees:
    """Trees below the moves played, by numbers from 1 that are handed out; policies pass them on as hidden states."""

    def __init__(self, game: Game):
        self._kernels = instantiate("agents.search.recall", game)
        self._held: dict[int, tuple[NDArray[Any], NDArray[Any], int]] = {}
        self._last, self._most = 0, MOST_TREES
        self._stack = np.empty(REACH, game.state_dtype)
        self._bytes = bytes_of(self._stack)
        self._marks = np.empty(REACH, np.int32), np.empty(REACH, np.int32)

    def put(self, nodes: NDArray[Any], root: NDArray[Any], action: int) -> int:
        """Keep what was found below `action` in the position `root` [1]; returns its number, 0 if that is nothing."""
        place = child_by(nodes, 0, action)
        if place < 0:
            return 0
        kept = np.empty_like(nodes)
        kept = kept[: keep(nodes, place, kept)].copy()
        after = root.copy()
        self._kernels.play(after, action)
        self._last += 1
        self._held[self._last] = (kept, after, int(root["current_player"][0]))
        if len(self._held) > self._most:
            del self._held[next(iter(self._held))]
        return self._last

    def put_all(self, trees: Sequence[NDArray[Any]], roots: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[Any]:
        """`put` for each of the positions [n], 0 where one is over; returns the numbers [n]."""
        self._most = max(self._most, FOR_EACH * len(roots))
        numbers = np.zeros(len(roots), np.int64)
        for row in np.flatnonzero(roots["current_player"] != TERMINAL).tolist():
            numbers[row] = self.put(trees[row], roots[row : row + 1], int(actions[row]))
        return numbers

    def pop_all(self, numbers: NDArray[np.int64], roots: NDArray[Any]) -> list[NDArray[Any] | None]:
        """`pop` for each of the positions [n]."""
        return [self.pop(number, roots[row : row + 1]) for row, number in enumerate(numbers.tolist())]

    def pop(self, number: int, root: NDArray[Any]) -> NDArray[Any] | None:
        """What the tree of that number knows below the position `root` [1]; None if there is nothing."""
        if number not in self._held:
            return None
        nodes, after, seat = self._held.pop(number)
        target = root.copy()
        self._kernels.still(target)
        self._stack[0] = after[0]
        place = self._kernels.find(nodes, seat, bytes_of(target)[0], self._stack, self._bytes, *self._marks)
        if place < 0:
            return None
        kept = np.empty_like(nodes)
        return kept[: keep(nodes, place, kept)]


def bytes_of(states: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of records, [n, S], in the same memory."""
    return states.view(np.uint8).reshape(len(states), -1)
