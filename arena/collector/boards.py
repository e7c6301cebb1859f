"""Boards of rollouts: games on the learner's device, or on the CPU beside it, where half of them step at a time."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.base.errors import UsageError
from arena.collector.transfers import Fetched, sent, ways_to_step
from arena.data.batch import Batch
from arena.env.device import available_bytes
from arena.env.games import VectorGames
from arena.env.native import GameVectorEnv
from arena.policy.divergence import require_drawn


class Stepped(NamedTuple):
    """Outcome of a step of n boards, on the learner's device but for `rows`."""

    rew: Tensor
    """Rewards of all seats, [n, P]."""
    over: Tensor
    """Seats whose game is over, bool [n, P]."""
    cut: Tensor
    """Those of them whose game was cut off, without an outcome, bool [n, P]."""
    rows: NDArray[np.int64]
    """Boards [k] on which it is over for all seats, counted from the first of all boards."""
    ended: Tensor
    """The same on the device."""
    last: tuple[Tensor, Tensor] | None
    """Boards [m] where a seat was cut off, and what all seats saw last on them, [m, P, *O]; None if there are none."""


class RolloutBoards(Protocol):
    """Games side by side, stepped group by group; what is seen on them are tensors on the learner's device."""

    seat: Tensor
    """Who is to move, int64 [B]."""
    obs: Tensor
    """What that seat sees, [B, *O]."""
    mask: Tensor
    """Its legal actions, bool [B, A]."""

    @property
    def env(self) -> VectorGames:
        """The games."""

    @property
    def device(self) -> torch.device:
        """The learner's device."""

    @property
    def ways(self) -> Sequence[Sequence[slice]]:
        """Ways to step: groups of boards that step together, in the order in which they do."""

    def free_bytes(self) -> int | None:
        """Return how much memory is free on the device; None if that is the CPU."""

    def see(self, observation: Batch) -> None:
        """Note what is seen on all boards."""

    def send(self, group: slice, act: Tensor) -> None:
        """Take the next actions [n] of a group; they need not be computed yet."""

    def step(self, group: slice) -> Stepped:
        """Play them, as soon as they are."""

    def begin(self, stepped: Stepped) -> None:
        """Begin new games where they are over."""

    def show(self, group: slice) -> None:
        """Show what is seen on the boards of a group now."""


class OwnBoards:
    """`RolloutBoards` whose games are on the learner's device: all of them step at once.

    Args:
        env: the games, on a CUDA device or on the CPU.

    """

    def __init__(self, env: GameVectorEnv):
        self.env = env
        self.device = torch.as_tensor(env.seats).device
        self.ways = ((slice(0, len(env)),),)

    def free_bytes(self) -> int | None:
        """Return how much memory is free on the device; None if that is the CPU."""
        return available_bytes() if self.env.device == "cuda" else None

    def see(self, observation: Batch) -> None:
        """Note what is seen on all boards."""
        self.seat, self.obs, self.mask = (torch.as_tensor(observation[name]) for name in ("agent_id", "obs", "mask"))

    def send(self, group: slice, act: Tensor) -> None:
        """Take the next actions."""
        self._act = act

    def step(self, group: slice) -> Stepped:
        """Play them."""
        try:
            observation, rew, terminated, truncated, _ = self.env.step(self._act)
        except UsageError:
            require_drawn(self._act)
            raise
        truncates = self.env.game.truncates
        over, cut = torch.as_tensor(truncated if truncates else terminated), torch.as_tensor(truncated)
        ended = over[:, 0].nonzero()[:, 0]
        rows = ended.numpy(force=True)
        self.see(observation)
        last = (ended, torch.as_tensor(self.env.final_obs(rows).obs)) if truncates and len(rows) else None
        return Stepped(torch.as_tensor(rew), over, cut, rows, ended, last)

    def begin(self, stepped: Stepped) -> None:
        """Begin new games where they are over."""
        first, _ = self.env.reset(stepped.rows)
        for now, new in ((self.seat, first.agent_id), (self.obs, first.obs), (self.mask, first.mask)):
            now[stepped.ended] = torch.as_tensor(new)

    def show(self, group: slice) -> None:
        """Do nothing: what is seen is there."""


class HostBoards:
    """`RolloutBoards` of games on the CPU beside a learner on a CUDA device.

    One half steps while the device answers for the other, where that is the faster way: what is seen goes there from
    pinned memory, and actions come back, without either waiting for the other.

    Args:
        env: the games, on the CPU.
        device: where the learner computes.

    """

    def __init__(self, env: VectorGames, device: torch.device):
        self.env, self.device, self.ways = env, device, ways_to_step(len(env))
        self._act: dict[int, Fetched] = {}
        self._observation, self._first = Batch(), 0  # of the group that has stepped last, and its first board

    def free_bytes(self) -> int | None:
        """Return how much memory is free on the device; None if that is the CPU."""
        return available_bytes() if self.device.type == "cuda" else None

    def see(self, observation: Batch) -> None:
        """Note what is seen on all boards."""
        self.seat, self.obs, self.mask = (self._sent(observation[name]) for name in ("agent_id", "obs", "mask"))

    def send(self, group: slice, act: Tensor) -> None:
        """Take the next actions of a group, which are on their way to the CPU from now on."""
        self._act[group.start] = Fetched(act)

    def step(self, group: slice) -> Stepped:
        """Wait for the actions of a group, and play them."""
        (act,), self._first = self._act.pop(group.start).arrays(), group.start
        require_drawn(act)
        observation, rew, terminated, truncated, _ = self.env.step(act, np.arange(group.start, group.stop))
        self._observation = observation
        over, cut = terminated | truncated, truncated & ~terminated
        ended, off = (group.start + np.flatnonzero(where) for where in (over.all(axis=1), cut.any(axis=1)))
        last = (self._sent(off), self._sent(self.env.final_obs(off).obs)) if len(off) else None
        return Stepped(self._sent(rew), self._sent(over), self._sent(cut), ended, self._sent(ended), last)

    def begin(self, stepped: Stepped) -> None:
        """Begin new games where they are over."""
        first, _ = self.env.reset(stepped.rows)
        places = stepped.rows - self._first
        for name in ("agent_id", "obs", "mask"):
            self._observation[name][places] = first[name]

    def show(self, group: slice) -> None:
        """Show what is seen on the boards of a group now."""
        for now, name in ((self.seat, "agent_id"), (self.obs, "obs"), (self.mask, "mask")):
            now[group] = self._sent(self._observation[name])

    def _sent(self, array: NDArray[Any]) -> Tensor:
        return sent(array, self.device)
