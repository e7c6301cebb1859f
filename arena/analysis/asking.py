"""Extract an agent's strategy: its action probabilities in every information state of a game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.tree import Floats, GameTree, Ints
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.protocol import Policy
from arena.policy.torch_modes import without_gradient
from games.engine.compiler import instantiate, kernels

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
        raise UsageError(
            f"{name} plays by the moves of a game, not by what it sees: its strategy cannot be written out"
        )
    states = tree.positions(tree.example)
    first, again = np.arange(len(states)), np.arange(len(states))
    if tree.game.information_shape is None:
        _, first, again = np.unique(states.view(f"V{states.itemsize}"), return_index=True, return_inverse=True)
    policy.reset(seed)
    seeds = make_rng(seed).integers(2**64, size=len(first), dtype=np.uint64)
    probs = np.empty((len(first), tree.game.num_actions))
    for begin in range(0, len(first), ROWS):
        part = slice(begin, begin + ROWS)
        obs = view(tree, states[first[part]], tree.seats[first[part]], seeds[part] if policy.needs_state else None)
        probs[part] = _ask(policy, obs, name, chosen)
    return tree.from_table(probs[again])


def view(tree: GameTree, states: NDArray[Any], seats: Ints, seeds: NDArray[np.uint64] | None) -> Batch:
    """Return the observations of `seats` [n] in positions [n].

    With `seeds` [n] they include states to search in, determinized where the game hides information or has chance.
    """
    game, size = tree.game, len(states)
    everybody = np.empty((size, game.num_players, *game.observation_shape), game.observation_dtype)
    masks = np.empty((size, game.num_players, game.num_actions), np.bool_)
    kernels(game).observe_all(states, np.arange(size), everybody, masks)
    rows = np.arange(size)
    obs = Batch(agent_id=seats, obs=everybody[rows, seats], mask=masks[rows, seats])
    if seeds is not None:
        obs.state = states.copy()
        if game.has_chance or not game.perfect_information:
            instantiate("games.engine.knowledge", game).determinize_all(obs.state, seats, seeds)
    return obs


def _ask(policy: Policy, obs: Batch, name: str, chosen: bool) -> Floats:
    """Return the probabilities [n, A] of `policy`, or its chosen actions as probabilities."""
    with without_gradient():
        answer = policy.forward(Batch(obs=obs, info=Batch()), None)
    hidden = answer.get("state")
    remembers = hidden is not None and not (isinstance(hidden, Batch) and hidden.is_empty())
    if remembers and not policy.needs_state:
        raise UsageError(f"{name} keeps a memory of its game: what it plays does not depend on what it sees alone")
    if chosen:
        return _pure(as_array(answer.act), obs.mask, name)
    if answer.get("probs") is None:
        raise UsageError(f"{name} does not tell its chances of each move (probs); measure the moves it chooses instead")
    probs = np.asarray(as_array(answer.probs), np.float64)
    legal = probs.shape == obs.mask.shape and bool(
        (np.isfinite(probs) & (probs >= 0) & (obs.mask | (probs == 0))).all()
    )
    if not legal or not np.allclose(probs.sum(axis=1), 1.0, atol=1e-4):
        raise UsageError(f"{name} tells chances (probs) that are no probabilities of the legal moves")
    return probs


def _pure(actions: NDArray[Any], mask: NDArray[np.bool_], name: str) -> Floats:
    """Return actions [n] as one-hot probabilities [n, A]; `UsageError` if one is illegal."""
    rows = np.arange(len(mask))
    inside = actions.shape == rows.shape and bool(((actions >= 0) & (actions < mask.shape[1])).all())
    if not inside or not mask[rows, actions].all():
        raise UsageError(f"{name} chooses moves that are not legal")
    return np.eye(mask.shape[1])[actions]
