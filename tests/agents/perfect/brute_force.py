"""Values of positions by plain alpha-beta through the game's own rules: no table, no order, no knowledge."""

from functools import cache

import numpy as np
from numba import njit

from arena.env.native import GameVectorEnv
from games.engine.game import TERMINAL

DECAY = 0.999
"""Factor on a result for every ply between the move that leads there and the last one."""


@cache
def compiled(game):
    """The search for one game of two."""
    rules = game.rules
    apply, legal_actions, returns = rules.apply, rules.legal_actions, rules.returns

    @njit
    def after(stack, masks, payoff, ply, action, alpha, beta):
        """Return the value of `action` for the seat to move in `stack[ply]`: exact between the bounds."""
        seat = stack[ply].current_player
        stack[ply + 1] = stack[ply]
        apply(stack[ply + 1], action)
        if stack[ply + 1].current_player == TERMINAL:
            payoff[:] = 0
            returns(stack[ply + 1], payoff)
            return np.float64(payoff[seat])
        masks[ply + 1] = False
        legal_actions(stack[ply + 1], masks[ply + 1])
        again = stack[ply + 1].current_player == seat
        best, low, high = -2.0, -beta / DECAY, -alpha / DECAY
        if again:
            low, high = alpha / DECAY, beta / DECAY
        for reply in range(masks.shape[1]):
            if masks[ply + 1, reply]:
                best = max(best, after(stack, masks, payoff, ply + 1, reply, max(low, best), high))
                if best >= high:
                    break
        return best * DECAY if again else -best * DECAY

    return after


def values(game, states):
    """Return the value of each action for the seat to move in positions [n]: [n, A], -2 for an illegal one."""
    after = compiled(game)
    stack = np.empty(game.max_length + 1, game.state_dtype)
    masks = np.empty((game.max_length + 1, game.num_actions), np.bool_)
    payoff = np.zeros(2, np.float32)
    env = GameVectorEnv(game, 1)
    env.reset()
    found = np.full((len(states), game.num_actions), -2.0)
    for row, state in enumerate(states):
        env.states[0] = stack[0] = state
        for action in np.flatnonzero(env.final_obs().mask[0, state["current_player"]]):
            found[row, action] = after(stack, masks, payoff, 0, action, -2.0, 2.0)
    return found


def late_positions(game, count, left, seed):
    """Unfinished positions [count] of random games, some `left` of actions before the longest game's end, or fewer."""
    rng = np.random.default_rng(seed)
    env = GameVectorEnv(game, count)
    env.reset(seed=seed)
    found = np.empty(count, game.state_dtype)
    filled = 0
    while filled < count:
        rows = np.arange(count)
        env.reset()
        for _ in range(game.max_length - int(rng.integers(1, left + 1))):
            mask = env.mask[rows]
            env.step((rng.random(mask.shape) * mask).argmax(axis=1), rows)
            rows = rows[~env.over[rows]]
            if not len(rows):
                break
        took = rows[: count - filled]
        found[filled : filled + len(took)] = env.states[took]
        filled += len(took)
    return found
