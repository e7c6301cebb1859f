"""The strategy that an agent plays: what it says its chances of each move are, in all that one can know."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.equilibrium.tree import Floats, GameTree, Ints
from arena.errors import UsageError
from arena.policy.protocol import Policy
from arena.policy.torch_modes import without_gradient
from arena.seeding import make_rng
from games.engine.compiler import instantiate, kernels

ROWS = 4096
"""Decisions that an agent is asked for at once."""


def ask_strategy(tree: GameTree, policy: Policy, name: str, chosen: bool = False, seed: int = 0) -> Floats:
    """The strategy [Q] by which `policy`, who is called `name`, plays: the `probs` that it tells.

    With `chosen` it is the pure strategy of the moves that it chooses, each asked for once: for agents that always play
    what looks best to them.
    Where nothing is hidden each position is asked for once, however it came about; a searching agent begins anew in
    each, without what it found on the way there. `seed` is that of the agent's own random stream, and of what searching
    agents are shown in place of what they may not know.

    Raises `UsageError` for an agent that tells no probabilities, or plays by more than what it is shown.
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
    """What `seats` [n] see in positions [n]; with `seeds` [n] also positions to search in, imagined where need be."""
    game, size = tree.game, len(states)
    everybody = np.empty((size, game.num_players, *game.observation_shape), game.observation_dtype)
    masks = np.empty((size, game.num_players, game.num_actions), np.bool_)
    kernels(game).observe_all(states, np.arange(size), everybody, masks)
    rows = np.arange(size)
    seen = Batch(agent_id=seats, obs=everybody[rows, seats], mask=masks[rows, seats])
    if seeds is not None:
        seen.state = states.copy()
        if game.has_chance or not game.perfect_information:
            instantiate("games.engine.knowledge", game).determinize_all(seen.state, seats, seeds)
    return seen


def _ask(policy: Policy, obs: Batch, name: str, chosen: bool) -> Floats:
    """How likely `policy` plays each action, [n, A]: what it tells, or the one that it chooses."""
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
    """Actions [n] as probabilities [n, A]; `UsageError` if one is illegal."""
    rows = np.arange(len(mask))
    inside = actions.shape == rows.shape and bool(((actions >= 0) & (actions < mask.shape[1])).all())
    if not inside or not mask[rows, actions].all():
        raise UsageError(f"{name} chooses moves that are not legal")
    return np.eye(mask.shape[1])[actions]
