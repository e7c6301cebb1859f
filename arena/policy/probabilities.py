"""Action probabilities of a policy in given positions of a game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.protocol import Policy
from arena.policy.torch_modes import without_gradient
from games.engine.compiler import instantiate, kernels
from games.engine.game import Game


def observations(game: Game, states: NDArray[Any], seats: NDArray[Any], seeds: NDArray[np.uint64] | None) -> Batch:
    """Return the observations of `seats` [n] in positions [n].

    With `seeds` [n] they include states to search in, determinized where the game hides information or has chance.
    """
    size = len(states)
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


def action_probabilities(policy: Policy, obs: Batch, name: str, chosen: bool) -> NDArray[np.float64]:
    """Return the probabilities [n, A] of `policy` or, with `chosen`, its chosen actions as probabilities.

    Raises `UsageError`, which calls the policy `name`, if it returns no probabilities or keeps a hidden state.
    """
    with without_gradient():
        answer = policy.forward(Batch(obs=obs, info=Batch()), None)
    hidden = answer.get("state")
    remembers = hidden is not None and not (isinstance(hidden, Batch) and hidden.is_empty())
    if remembers and not policy.needs_state:
        raise UsageError(f"{name} keeps a hidden state: its play depends on more than its observation")
    if chosen:
        return _pure(as_array(answer.act), obs.mask, name)
    if answer.get("probs") is None:
        raise UsageError(f"{name} returns no probabilities of moves (probs); measure the moves that it chooses instead")
    probs = np.asarray(as_array(answer.probs), np.float64)
    legal = probs.shape == obs.mask.shape and bool(
        (np.isfinite(probs) & (probs >= 0) & (obs.mask | (probs == 0))).all()
    )
    if not legal or not np.allclose(probs.sum(axis=1), 1.0, atol=1e-4):
        raise UsageError(f"{name} returns probs that are not probabilities of the legal moves")
    return probs


def _pure(actions: NDArray[Any], mask: NDArray[np.bool_], name: str) -> NDArray[np.float64]:
    """Return actions [n] as one-hot probabilities [n, A]; `UsageError` if one is illegal."""
    rows = np.arange(len(mask))
    inside = actions.shape == rows.shape and bool(((actions >= 0) & (actions < mask.shape[1])).all())
    if not inside or not mask[rows, actions].all():
        raise UsageError(f"{name} chooses moves that are not legal")
    return np.eye(mask.shape[1])[actions]
