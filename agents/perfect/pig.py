"""Exact play of pig for two: the chance to win from every position, by value iteration.

T. W. Neller and C. Presser, "Optimal play of the dice game Pig", The UMAP Journal 25 (2004). A position is one's own
score, the other's and the total of the turn. Positions with higher scores are solved first; two that lead to each
other, by a turn that earns nothing, are solved together. The horizon, where a game is drawn, is left out of account.
"""

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from games.engine.game import Game, State
from games.engine.jit import njit

HIGHEST_TARGET = 200
"""Largest target that is solved: in some seconds, with 64 MB."""
ACTIONS_A_POINT = 5
"""Actions that a game may take for each point of the target, at least: shorter horizons would matter."""
PRECISION = 1e-10
"""Largest change of a chance to win at which it counts as settled."""
EQUAL = 1e-7
"""Largest difference of chances to win that counts as none."""


class PigSolver:
    """Chances to win of both players, computed when they are first asked for."""

    def __init__(self, game: Game):
        self._target, self._sides, horizon = (int(game.options[name]) for name in ("target", "sides", "horizon"))
        if game.num_players != 2 or self._target > HIGHEST_TARGET or horizon < ACTIONS_A_POINT * self._target:
            raise UsageError(
                f"perfect: pig is solved for two, up to a target of {HIGHEST_TARGET}, with a horizon of "
                f"{ACTIONS_A_POINT} actions a point, not {game.label}"
            )
        self._chances: NDArray[np.float64] | None = None

    def seconds(self, state: State) -> float:
        """Return 0: all positions are solved at once, before the first move."""
        return 0.0

    def value(self, state: State) -> float:
        """Return the return of an unfinished position for the player to move."""
        return float(2 * max(self._after(state)) - 1)

    def best(self, state: State) -> tuple[NDArray[np.bool_], float]:
        """Return the best actions [2] of an unfinished position, and the return that is expected of them."""
        chances = np.array(self._after(state))  # in the order of the actions
        return chances >= chances.max() - EQUAL, float(2 * chances.max() - 1)

    def _after(self, state: State) -> tuple[float, float]:
        """Return the chances to win by rolling and by holding; -1 for rolling where it is not allowed."""
        if self._chances is None:
            self._chances = np.ones((self._target,) * 3)
            solve(self._chances, self._sides)
        seat = int(state["turn"])
        own, other, total = int(state["scores"][seat]), int(state["scores"][1 - seat]), int(state["turn_total"])
        if own + total >= self._target:
            return -1.0, 1.0
        result: tuple[float, float] = chances_of(self._chances, own, other, total, self._sides)
        return result


@njit
def chance(chances: NDArray[np.float64], own: int, other: int, total: int) -> float:
    """Return the chance to win of the player to move."""
    return 1.0 if own + total >= chances.shape[0] else chances[own, other, total]


@njit(cache=True)
def chances_of(chances: NDArray[np.float64], own: int, other: int, total: int, sides: int) -> tuple[float, float]:
    """Return the chances to win by rolling and by holding."""
    roll = 1.0 - chances[other, own, 0]
    for side in range(2, sides + 1):
        roll += chance(chances, own, other, total + side)
    return roll / sides, 1.0 - chance(chances, other, own + total, 0)


@njit(cache=True, nogil=True)
def solve(chances: NDArray[np.float64], sides: int) -> None:
    """Write the chances to win [own score, other's score, total of the turn] of the player to move."""
    target = chances.shape[0]
    for both in range(2 * target - 2, -1, -1):
        for own in range(max(0, both - target + 1), both // 2 + 1):
            settled = False
            while not settled:
                change = improve(chances, own, both - own, sides)
                settled = max(change, improve(chances, both - own, own, sides)) < PRECISION


@njit
def improve(chances: NDArray[np.float64], own: int, other: int, sides: int) -> float:
    """Update the chances of all totals at these scores from the others; return the largest change."""
    change = 0.0
    for total in range(chances.shape[0] - own - 1, -1, -1):
        roll, hold = chances_of(chances, own, other, total, sides)
        change = max(change, abs(max(roll, hold) - chances[own, other, total]))
        chances[own, other, total] = max(roll, hold)
    return change
