"""Extract an agent's strategy: its action probabilities in every information state of a game."""

import numpy as np

from arena.analysis.tree import Floats, GameTree
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.policy.probabilities import action_probabilities, observations
from arena.policy.protocol import Policy

ROWS = 4096
"""Decisions in one batch for the agent."""


def ask_strategy(tree: GameTree, policy: Policy, name: str, chosen: bool = False, seed: int = 0) -> Floats:
    """Return the strategy [Q] of `policy`, from the `probs` in its answers; messages call it `name`.

    With `chosen`, return the pure strategy of its actions instead, each asked for once. This suits deterministic
    agents. In a game of perfect information each distinct position is asked for once, whatever moves led to it; a
    searching agent starts each search afresh. `seed` starts the agent's random stream, and the sampling of hidden
    information for agents that search.

    Raises `UsageError` for an agent that returns no probabilities, or whose play depends on more than its observation.
    """
    if policy.needs_moves:
        raise UsageError(f"{name} needs the moves of a game, not only observations: its strategy cannot be extracted")
    states = tree.positions(tree.example)
    first, again = np.arange(len(states)), np.arange(len(states))
    if tree.game.information_shape is None:
        _, first, again = np.unique(states.view(f"V{states.itemsize}"), return_index=True, return_inverse=True)
    policy.reset(seed)
    seeds = make_rng(seed).integers(2**64, size=len(first), dtype=np.uint64)
    probs = np.empty((len(first), tree.game.num_actions))
    for begin in range(0, len(first), ROWS):
        part = slice(begin, begin + ROWS)
        sampled = seeds[part] if policy.needs_state else None
        obs = observations(tree.game, states[first[part]], tree.seats[first[part]], sampled)
        probs[part] = action_probabilities(policy, obs, name, chosen)
    return tree.from_table(probs[again])
