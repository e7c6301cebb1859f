"""Open transitions: the last action of each agent, until its outcome is known."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.soundness import lengths
from arena.data.leaves import set_rows_at
from arena.data.rows import require_alike, write_rows
from arena.data.widening import widen

Ints = NDArray[np.int64]
Closed = tuple[Ints, Ints, Batch]
"""Environments [n], seats [n] and complete transitions [n] of n pairs."""


@dataclass(frozen=True)
class Outcome:
    """A step of n environments of P seats."""

    env_ids: Ints
    """The environments, [n]."""
    next_seats: Ints
    """The seat that is to act next, [n]; undefined if the episode is over."""
    obs_next: Any
    """Observations of that seat, [n, ...]."""
    info: Batch
    """Infos of that seat, columns [n, ...]."""
    info_replaced: bool
    """True if `info` replaces the environments' own."""
    rew: NDArray[np.float64]
    """Rewards of every seat, [n, P]."""
    terminated: NDArray[np.bool_]
    """Seats whose episode has terminated, [n, P]."""
    truncated: NDArray[np.bool_]
    """Seats whose episode has been truncated, [n, P]."""


class OpenTransitions:
    """At most one open transition for each of B environments and P seats.

    A transition opens when its agent acts. Until it closes, it sums the rewards of its agent. It closes with the
    agent's own next observation and the info that comes with it: when the agent is next asked to act, or when its
    episode ends. If it `keeps_rewards`, it sums those of all agents: `info.rewards` [n, P], its own first.
    """

    def __init__(self, num_envs: int, num_agents: int, keeps_rewards: bool = False):
        self._num_agents, self.keeps_rewards = num_agents, keeps_rewards
        self.is_open = np.zeros((num_envs, num_agents), np.bool_)
        self._rew = np.zeros((num_envs, num_agents))
        self._rewards = np.zeros((num_envs * num_agents, num_agents)) if keeps_rewards else None
        self._rows = Batch()  # what was known when the transition opened, one row a pair of environment and seat

    def open(self, env_ids: Ints, seats: Ints, rows: Batch) -> None:
        """Open a transition for each pair, with `rows` (obs, act, info, policy) [n]."""
        places = env_ids * self._num_agents + seats
        self.is_open.reshape(-1)[places] = True
        self._rew.reshape(-1)[places] = 0.0
        if self._rewards is not None:
            self._rewards[places] = 0.0
        widen(self._rows, rows)
        write_rows(self._rows, rows, places, self.is_open.size)

    def closed_by(self, step: Outcome, last: Callable[[Ints, Ints], tuple[Any, Batch]]) -> Iterator[Closed]:
        """Add rewards, then close the transitions of agents whose episode has ended or that act next.

        `last(rows, seats)` returns the last observations and infos of seats whose episode ends in these rows of the
        step.
        """
        rewards = self._rew.take(step.env_ids, axis=0) + step.rew
        set_rows_at(self._rew, step.env_ids, rewards)
        if self._rewards is not None:
            self._rewards.reshape(-1, self._num_agents, self._num_agents)[step.env_ids] += step.rew[:, None]
        is_open, over = self.is_open.take(step.env_ids, axis=0), step.terminated | step.truncated
        rows, seats = np.divmod(np.flatnonzero(is_open & over), self._num_agents)  # faster than `nonzero` of two axes
        if len(rows):
            ends = step.terminated[rows, seats], step.truncated[rows, seats]
            yield self._closed(step.env_ids[rows], seats, *last(rows, seats), *ends)
        again = (is_open & ~over)[np.arange(len(over)), step.next_seats]
        if again.all():
            yield self._closed(step.env_ids, step.next_seats, step.obs_next, step.info, again & False, again & False)
        elif again.any():
            no = np.zeros(np.count_nonzero(again), np.bool_)
            info = step.info[again] if step.info.__dict__ else step.info
            yield self._closed(step.env_ids[again], step.next_seats[again], step.obs_next[again], info, no, no)

    def _closed(
        self, env_ids: Ints, seats: Ints, obs_next: Any, info: Batch, terminated: Any, truncated: Any
    ) -> Closed:
        """Close the open transition of each pair."""
        places = env_ids * self._num_agents + seats
        rows: Batch = self._rows[places]
        rows.rew = self._rew.reshape(-1)[places]
        rows.terminated, rows.truncated, rows.obs_next = terminated, truncated, obs_next
        rows.info.__dict__.update(info.__dict__)
        if self._rewards is not None:
            in_turn = (seats[:, None] + np.arange(self._num_agents)) % self._num_agents
            rows.info.rewards = np.take_along_axis(self._rewards[places], in_turn, axis=1)
        same_types(rows)
        self.is_open.reshape(-1)[places] = False
        return env_ids, seats, rows

    def state_dict(self) -> Batch:
        """Return all open transitions as arrays."""
        kept = Batch() if self._rewards is None else Batch(rewards=self._rewards)
        return Batch(is_open=self.is_open, rew=self._rew, rows=self._rows, **kept)

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if it belongs to other environments."""
        require_alike(self.is_open, arrays.is_open, "is_open")
        require_alike(self._rew, arrays.rew, "rew")
        if self._rewards is not None:
            require_alike(self._rewards, arrays.rewards, "rewards")
            self._rewards = arrays.rewards
        if lengths(arrays.get("rows", Batch())) - {self.is_open.size}:
            raise UsageError(f"rows are not one for each of {self.is_open.size} pairs of environment and seat")
        self.is_open, self._rew, self._rows = arrays.is_open, arrays.rew, arrays.get("rows", Batch())


def same_types(rows: Batch) -> None:
    """Give `obs` and `obs_next` one dtype: an episode may begin in whole numbers and go on in fractions."""
    if _of_one_dtype(rows.obs, rows.obs_next):
        return  # the common case
    before, after = Batch(obs=rows.obs), Batch(obs=rows.obs_next)
    widen(before, after)
    widen(after, before)
    rows.obs, rows.obs_next = before.obs, after.obs


def _of_one_dtype(obs: Any, obs_next: Any) -> bool:
    """Return whether two arrays, or those of two batches, have the same dtypes."""
    if type(obs) is Batch and type(obs_next) is Batch:
        before, after = obs.__dict__, obs_next.__dict__
        return before.keys() == after.keys() and all(_of_one_dtype(before[key], after[key]) for key in before)
    return type(obs) is type(obs_next) is np.ndarray and obs.dtype is obs_next.dtype
