"""One-ply lookahead: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: n positions, A actions. A move is played by copying `stack[ply]` to `stack[ply + 1]` and changing the copy.
`masks` (bool [2, A]) and `payoff` (float32 [2]) are scratch as well.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.game import TERMINAL
from games.engine.jit import njit
from games.engine.rules import apply, legal_actions, returns


@njit(cache=True, nogil=True)
def one_ply(
    states: NDArray[Any],
    candidates: NDArray[np.bool_],
    stack: NDArray[Any],
    masks: NDArray[np.bool_],
    payoff: NDArray[np.float32],
) -> None:
    """Write into `candidates` [n, A] the winning actions, else those that block a threat, else the legal ones.

    `stack` [3], `masks` [2, A]. In a finished game all actions are candidates.
    """
    for i in range(states.shape[0]):
        stack[0] = states[i]
        if stack[0].current_player == TERMINAL:
            candidates[i] = True
            continue
        masks[0] = False
        legal_actions(stack[0], masks[0])
        if not (find_wins(stack, masks[0], payoff, candidates[i]) or find_threats(stack, masks, payoff, candidates[i])):
            candidates[i] = masks[0]


@njit(cache=True, nogil=True)
def find_wins(
    stack: NDArray[Any], legal: NDArray[np.bool_], payoff: NDArray[np.float32], winning: NDArray[np.bool_]
) -> bool:
    """Mark in `winning` [A] the actions that win at once; return whether there is one."""
    some = False  # `winning.any()` would load all of NumPy for kernels: a fifth of a second a process
    for action in range(winning.shape[0]):
        winning[action] = legal[action] and wins(stack, 0, action, payoff)
        some |= winning[action]
    return some


@njit(cache=True, nogil=True)
def find_threats(
    stack: NDArray[Any], masks: NDArray[np.bool_], payoff: NDArray[np.float32], threats: NDArray[np.bool_]
) -> bool:
    """Mark in `threats` [A] the actions that block an immediate win of the other seat; return whether there is one.

    A threat wins for the other seat after every action of this seat but itself. Most candidates fail against the first
    action tried.
    """
    threats[:] = masks[0]
    seat = stack[0].current_player
    for action in range(threats.shape[0]):
        if not masks[0, action]:
            continue
        stack[1] = stack[0]
        apply(stack[1], action)
        masks[1] = False
        if stack[1].current_player == 1 - seat:
            legal_actions(stack[1], masks[1])
        some = False
        for reply in range(threats.shape[0]):
            if threats[reply] and reply != action:
                threats[reply] = masks[1, reply] and wins(stack, 1, reply, payoff)
            some |= threats[reply]
        if not some:
            return False
    return True


@njit(cache=True, nogil=True)
def wins(stack: NDArray[Any], ply: int, action: int, payoff: NDArray[np.float32]) -> bool:
    """Return whether `action` ends the game of `stack[ply]` with a win for the seat that plays it."""
    stack[ply + 1] = stack[ply]
    after = stack[ply + 1]
    apply(after, action)
    if after.current_player != TERMINAL:
        return False
    payoff[:] = 0
    returns(after, payoff)
    return payoff[stack[ply].current_player] > 0
