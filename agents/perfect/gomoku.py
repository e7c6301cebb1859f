"""Forced wins in gomoku: by fours alone, and by fours and threes, as far as a search of them gets."""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.perfect.gomoku_threats import (
    FAILED_PLACES,
    FIVE,
    NONE,
    THROUGH,
    Stones,
    ThreatSearch,
    Windows,
    fives_through,
    list_stops,
    put,
    take,
    win_by_fours,
    win_by_threes,
)
from games.engine.game import Game, State

DEEPEST = 8
"""Number of moves of one's choice, at most, before a win by fours."""
FOURS = 3
"""Number of fours with which a defence may begin."""
LONGEST = 64
"""Plies of a win, at most, before it goes on by fours alone."""
BUDGET = 50_000
"""Number of positions that are searched for wins by fours in each search for a forced win."""
SECONDS = 0.5
"""Time for a move, at most, about: usually one search is enough."""


class GomokuSolver:
    """Finds forced wins, and the moves that prevent one of the opponent's."""

    def __init__(self, game: Game):
        size = int(game.options["size"])
        self._num_actions = game.num_actions
        windows = windows_of(size)
        rng = np.random.default_rng(size)
        self._search = ThreatSearch(
            windows,
            bool(game.options["overline"]),
            np.zeros(FAILED_PLACES, np.uint64),
            np.zeros(1, np.int64),
            np.zeros(size * size, np.bool_),
            np.zeros(size * size, np.bool_),
            np.zeros((LONGEST, size * size), np.int16),
            np.zeros(1, np.int64),
        )
        self._hashes = rng.integers(2**64, size=(2, size * size), dtype=np.uint64)

    def seconds(self, state: State) -> float:
        """Return about how many seconds `best` takes, at most."""
        return SECONDS

    def best(self, state: State) -> tuple[NDArray[np.bool_], float] | None:
        """Return a move [A] of a forced win and 1; or the moves that prevent the opponent's, and nan; or None."""
        seat, stones = int(state["current_player"]), self._stones(state)
        best = np.zeros(self._num_actions, np.bool_)
        if (move := self.winning_move(stones, seat)) is not None:
            best[move] = True
            return best, 1.0
        self._search.budget[0] = BUDGET
        best[self._defences(stones, seat, FOURS)] = True
        return (best, math.nan) if best.any() else None

    def refutation(self, state: State, action: int) -> int | None:
        """Return the first move of a forced win that an action leaves to the opponent; None if none is found."""
        seat, stones = int(state["current_player"]), self._stones(state)
        put(stones, action, seat, self._search.windows)
        return self.winning_move(stones, 1 - seat)

    def winning_move(self, stones: Stones, seat: int) -> int | None:
        """Return the first move of a forced win of the seat to move; None if none is found."""
        self._search.failed[:] = 0  # what is found within the budget must not depend on earlier moves
        self._search.budget[0] = BUDGET
        for depth in range(DEEPEST + 1):
            if win_by_threes(stones, seat, True, depth, 0, NONE, self._search):
                return int(self._search.chosen[0])
            if self._search.budget[0] < 0:
                break
        return None

    def _defences(self, stones: Stones, seat: int, fours: int) -> list[int]:
        """Return the moves that prevent a win by fours that the opponent threatens; none if it threatens none.

        They may begin with up to so many fours of their own.
        """
        search = self._search
        search.line[:] = search.answers[:] = False
        if win_by_fours(stones, 1 - seat, search) < 0:
            return []
        moves = search.moves[0]
        count = list_stops(stones, seat, moves, search)
        return [move for move in moves[:count].tolist() if self._stops(stones, seat, move, fours)]

    def _stops(self, stones: Stones, seat: int, move: int, fours: int) -> bool:
        """Return whether the opponent has no win by fours after a move, or after the answer that it forces.

        After such an answer it may have one that other moves prevent.
        """
        search = self._search
        put(stones, move, seat, search.windows)
        answer, _ = fives_through(stones, move, seat, search)
        if answer >= 0:
            put(stones, answer, 1 - seat, search.windows)
        stopped = win_by_fours(stones, 1 - seat, search) < 0
        if answer >= 0:
            stopped = stopped or (fours > 0 and bool(self._defences(stones, seat, fours - 1)))
            take(stones, answer, search.windows)
        take(stones, move, search.windows)
        return stopped and search.budget[0] >= 0

    def _stones(self, state: State) -> Stones:
        """Return the stones of a position."""
        board = state["board"].reshape(-1).astype(np.int8)
        windows = self._search.windows
        counts = np.stack([(board[windows.cells] == seat).sum(axis=1, dtype=np.int8) for seat in range(2)])
        own = [np.bitwise_xor.reduce(self._hashes[seat, board == seat]) for seat in range(2)]
        return Stones(board, counts, np.array([own[0] ^ own[1]], np.uint64), self._hashes)


def windows_of(size: int) -> Windows:
    """Return the windows of a board of `size` x `size` cells."""
    cells, beyond = [], []
    for row, column, (down, right) in product(range(size), range(size), ((0, 1), (1, 0), (1, 1), (1, -1))):
        line = [(row + i * down, column + i * right) for i in range(-1, FIVE + 1)]
        inside = [0 <= r < size and 0 <= c < size for r, c in line]
        if all(inside[1:-1]):
            numbers = [r * size + c if on else NONE for (r, c), on in zip(line, inside, strict=True)]
            cells.append(numbers[1:-1])
            beyond.append([numbers[0], numbers[-1]])
    of_cell = np.full((size * size, THROUGH), NONE, np.int16)
    filled = [0] * (size * size)
    for window, members in enumerate(cells):
        for cell in members:
            of_cell[cell, filled[cell]] = window
            filled[cell] += 1
    return Windows(np.array(cells, np.int16), np.array(beyond, np.int16), of_cell)
