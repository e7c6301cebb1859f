"""Minimax that tries every line to a depth: a template for tests. It gives up on positions that have too many."""

import numpy as np
from numba import njit

from games.engine.chance import GAMMA, below, mix
from games.engine.game import TERMINAL
from games.engine.moves import choose
from games.engine.rules import NUM_ACTIONS, apply, heuristic, legal_actions, returns

DECAY = 0.999


@njit(cache=True)
def small_positions(initial, found, values, depth, most, seed, stack, masks, best, cursors, payoff):
    """Fill `found` [n] with late positions of random games of at most `most` lines, and `values` with their value.

    `stack` [D + 1], `masks` [D + 1, A], `best`, `cursors` [D + 1] are scratch. Returns how many games were played.
    """
    bits, count, games = np.uint64(seed), 0, 0
    played = np.empty(20_000, found.dtype)
    while count < found.shape[0]:
        played[0] = initial[0]
        length = 0
        while played[length].current_player != TERMINAL and length < 19_999:
            bits = mix(bits + GAMMA)
            played[length + 1] = played[length]
            apply(played[length + 1], choose(played[length + 1], masks[0], bits))
            length += 1
        games += 1
        for back in range(1, 5):
            bits = mix(bits + GAMMA)
            at = length - 1 - below(bits, 3 * back)
            if at >= 0 and count < found.shape[0] and played[at].current_player != TERMINAL:
                stack[0] = played[at]
                value = minimax(stack, masks, best, cursors, payoff, depth, most)
                if not np.isnan(value):
                    found[count] = played[at]
                    values[count] = value
                    count += 1
    return games


@njit(cache=True)
def minimax(stack, masks, best, cursors, payoff, depth, most):
    """The value of `stack[0]` for the seat to move, nan if it takes more than `most` lines to know."""
    ply, lines = 0, 0
    enter(stack, masks, best, cursors, 0)
    while True:
        if cursors[ply] == NUM_ACTIONS:
            if ply == 0:
                return best[0]
            value = best[ply] * DECAY
            ply -= 1
            if stack[ply].current_player != stack[ply + 1].current_player:
                value = -value
            best[ply] = max(best[ply], value)
            continue
        action = cursors[ply]
        cursors[ply] += 1
        if not masks[ply, action]:
            continue
        seat = stack[ply].current_player
        stack[ply + 1] = stack[ply]
        apply(stack[ply + 1], action)
        if stack[ply + 1].current_player == TERMINAL:
            payoff[:] = 0
            returns(stack[ply + 1], payoff)
            best[ply] = max(best[ply], payoff[seat])
            lines += 1
        elif ply + 1 == depth:
            best[ply] = max(best[ply], heuristic(stack[ply + 1], seat))
            lines += 1
        else:
            ply += 1
            enter(stack, masks, best, cursors, ply)
        if lines > most:
            return np.nan


@njit
def enter(stack, masks, best, cursors, ply):
    best[ply], cursors[ply] = -np.inf, 0
    masks[ply] = False
    legal_actions(stack[ply], masks[ply])
