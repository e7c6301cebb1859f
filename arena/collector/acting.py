"""Actions for the environments: those of a policy, or random ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.collector.environments import VectorEnv
from arena.data.batch import Batch
from arena.data.rows import as_array, write_rows
from arena.env.games import VectorGames
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy

Ints = NDArray[np.int64]
Choice = tuple[Any, Batch]
"""Actions [n] for the environments, and for storage: `act`, with `policy`, the data needed for learning."""


class Acting:
    """Chooses actions, and keeps a hidden state for each pair of environment and seat."""

    def __init__(self, env: VectorEnv):
        self._env = env
        self.hidden = Batch()
        """Hidden states of all pairs, [B * P, ...]; empty if there are none."""
        self._legal = RandomPolicy()
        self._rng = make_rng()
        self._spaces: list[Any] = []
        self._plain = False

    def forget(self, env_ids: Ints) -> None:
        """Set the hidden states in these environments to zero."""
        if not self.hidden.is_empty():
            seats = np.arange(self._env.num_agents)
            self.hidden.empty_((env_ids[:, None] * len(seats) + seats).reshape(-1))

    def by(self, policy: Policy, seats: Ints, batch: Batch, explore: bool) -> Choice:
        """Return a policy's answer for these seats, from a `batch` of n rows: `obs`, `info` and `env_id`."""
        env_ids = batch.env_id
        if policy.needs_state:
            if not isinstance(self._env, VectorGames):
                raise UsageError("a policy that searches needs a native game, whose positions can be copied")
            batch.obs = Batch(batch.obs)  # a new batch around the same arrays: what is stored keeps no states
            batch.obs.state = self._env.positions(env_ids)
        places = env_ids * self._env.num_agents + seats
        result = policy.forward(batch, None if self.hidden.is_empty() else self.hidden.state[places])
        after = result.get("state")
        if isinstance(after, Batch) and not after.is_empty(recurse=True):
            write_rows(self.hidden, Batch(state=after), places, len(self._env) * self._env.num_agents)
        act = as_array(result.act)
        if explore:
            act = policy.exploration_noise(act, batch)
        return _mapped(policy.map_action, policy, act, batch), Batch(act=act, policy=result.get("policy", Batch()))

    def at_random(self, policy: Policy, batch: Batch) -> Choice:
        """Return random legal actions, stored in the form in which the policy would have chosen them."""
        sent = self._drawn(batch.env_id, batch.obs)
        return sent, Batch(act=_mapped(policy.map_action_inverse, policy, sent, batch), policy=Batch())

    def _drawn(self, env_ids: Ints, obs: Any) -> NDArray[Any]:
        """Draw from the legal actions of a mask or, without one, from the action space of each environment."""
        if isinstance(self._env, VectorGames):
            if self._env.game.action_box is None:
                return as_array(self._legal.forward(Batch(obs=obs)).act)
            return self._env.game.draw_actions(obs.agent_id, obs.mask, self._rng)
        if isinstance(obs, Batch) and "mask" in obs and obs.mask.shape[1]:
            return as_array(self._legal.forward(Batch(obs=obs)).act)
        if not self._spaces:  # once: processes hand over copies, each of which restarts its random stream
            self._spaces = list(self._env.action_space)
            self._plain = all(_is_plain(space) for space in self._spaces)
        spaces = self._spaces if len(env_ids) == len(self._spaces) else [self._spaces[row] for row in env_ids.tolist()]
        if self._plain:  # what `sample` of each would give, in four fifths of the time
            return np.array([space.np_random.integers(space.n) for space in spaces])
        return np.array([space.sample() for space in spaces])


def _is_plain(space: Any) -> bool:
    """Return whether a space is Discrete from 0, with Gymnasium's own sampling."""
    return type(space) is Discrete and space.start == 0 and space.dtype == np.int64


def _mapped(mapping: Callable[..., Any], policy: Policy, act: NDArray[Any], batch: Batch) -> Any:
    """Map actions of the policy; one that holds others also gets the batch, which says whose rows they are."""
    alone = isinstance(policy, BasePolicy) and not isinstance(policy, MultiAgentPolicyManager)
    return mapping(act) if alone else mapping(act, batch)
