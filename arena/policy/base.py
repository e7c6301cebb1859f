"""`BasePolicy`: the base class of learners: act, process, learn, post-process."""

from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, Self, cast, runtime_checkable

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy import returns
from arena.policy.protocol import Policy


@runtime_checkable
class HasPriorities(Protocol):
    """A buffer that draws transitions by their weights."""

    def update_weight(self, index: NDArray[np.int64], new_weight: Any) -> None:
        """Set the weights of these transitions."""


class BasePolicy(nn.Module, Policy):
    """A policy that learns; a torch module that needs no optimizer to act.

    An update samples from a buffer, then `process_fn` (targets), `learn` (gradient steps), `post_process_fn`.
    `training` and `updating` distinguish the states: collecting (True, False), updating (True, True), testing (False,
    False).

    Args:
        observation_space: what it sees; kept for reference.
        action_space: what it may do; needed by `action_scaling`.
        action_scaling: map continuous actions from [-1, 1] to the bounds of `action_space`.
        action_bound_method: how continuous actions are brought into [-1, 1]: "clip", "tanh", or "" for not at all.

    """

    learns: ClassVar[bool] = True
    keeps_policies: ClassVar[bool] = False
    """True if each of its transitions has a number for every action, in float32."""
    needs_obs_next: ClassVar[bool] = True
    """False if it learns without what it sees after its moves, which its replay buffer then does not keep."""

    def __init__(
        self,
        observation_space: gym.Space[Any] | None = None,
        action_space: gym.Space[Any] | None = None,
        action_scaling: bool = False,
        action_bound_method: Literal["clip", "tanh", ""] = "",
    ):
        super().__init__()
        if action_bound_method not in ("clip", "tanh", ""):
            raise UsageError(f"action_bound_method={action_bound_method!r} is not 'clip', 'tanh' or ''")
        if action_scaling and not isinstance(action_space, gym.spaces.Box):
            raise UsageError("action_scaling needs an action_space of type Box")
        self.observation_space = observation_space
        self.action_space = action_space
        self.agent_id = 0
        self.updating = False
        self.action_scaling = action_scaling
        self.action_bound_method = action_bound_method
        self.lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None

    def set_agent_id(self, agent_id: int) -> None:
        """Set the id of this policy's agent."""
        self.agent_id = agent_id

    @property
    def searched(self) -> int:
        """Number of search simulations so far; 0 if it does not search."""
        return 0

    @property
    def device(self) -> torch.device:
        """Device of the parameters."""
        parameter = next(self.parameters(), None)
        return torch.device("cpu") if parameter is None else parameter.device

    @abstractmethod
    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Choose actions; see `Policy.forward`."""

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the scores of actions for bare observations [n, ...], by tensor operations (for export).

        Scores of numbered actions [n, A], of which it takes the greatest legal one in testing state, or the continuous
        action [n, k] as `map_action` takes it. `UsageError` if no network decides alone.
        """
        raise UsageError(f"{type(self).__name__} does not choose actions by a single network")

    @property
    def maps_actions(self) -> bool:
        """Return whether actions are mapped for environments: continuous ones, or by an overridden `map_action`."""
        return isinstance(self.action_space, gym.spaces.Box) or type(self).map_action is not BasePolicy.map_action

    def map_action(self, act: Any, batch: Batch | None = None) -> Any:
        """Map actions of the policy to those of the environment: continuous ones are bounded and scaled.

        Only a manager of several policies uses `batch`, for which the actions were chosen.
        """
        if not isinstance(self.action_space, gym.spaces.Box) or not isinstance(act, np.ndarray):
            return act
        if self.action_bound_method == "clip":
            act = np.clip(act, -1.0, 1.0)
        elif self.action_bound_method == "tanh":
            act = np.tanh(act)
        if self.action_scaling:
            low, high = self.action_space.low, self.action_space.high
            act = low + (high - low) * (act + 1.0) / 2.0
            if self.action_bound_method:
                act = np.clip(act, low, high)  # from which rounding may lead away
        return act

    def map_action_inverse(self, act: Any, batch: Batch | None = None) -> Any:
        """Return the actions of the policy that `map_action` turns into these, for storing random actions."""
        if not isinstance(self.action_space, gym.spaces.Box) or not isinstance(act, np.ndarray):
            return act
        if self.action_scaling:
            low, high = self.action_space.low, self.action_space.high
            act = (act - low) * 2.0 / np.maximum(high - low, np.finfo(np.float32).eps) - 1.0
        if self.action_bound_method == "tanh":
            inside = 1.0 - np.finfo(np.float32).eps  # the bounds themselves lie at infinity
            act = np.arctanh(np.clip(act, -inside, inside))
        return act

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add values that depend on the order of transitions, such as returns, to a sampled batch."""
        return batch

    @abstractmethod
    def learn(self, batch: Batch, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Take gradient steps on processed transitions; return figures of the loss.

        Policies may take further keywords, on-policy ones `batch_size` and `repeat`.
        """

    def post_process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> None:
        """Write new priorities into a prioritized buffer after learning."""
        kind: Any = type(buffer)  # which mypy takes for what has no hash
        if "weight" in batch and _draws_by_weight(kind):
            cast(HasPriorities, buffer).update_weight(indices, batch.weight)

    def update(self, sample_size: int, buffer: ReplayBuffer | None, **kwargs: Any) -> dict[str, Any]:
        """Update once on `sample_size` transitions of `buffer` (0: all of them); keywords are passed to `learn`."""
        if buffer is None:
            return {}
        batch, indices = buffer.sample(sample_size)
        self.updating = True
        try:
            batch = self.process_fn(batch, buffer, indices)
            result: dict[str, Any] = self.learn(batch, **kwargs)
            self.post_process_fn(batch, buffer, indices)
        finally:
            self.updating = False
        if self.lr_scheduler is not None:
            self.lr_scheduler.step()
        return result

    def extra_state_dict(self) -> Batch:
        """Return the state needed to resume training besides weights, optimizers and the buffer; empty for most."""
        return Batch()

    def load_extra_state_dict(self, memory: Batch) -> None:
        """Load what `extra_state_dict` returned."""

    def train(self, mode: bool = True) -> Self:
        """Set training or testing state."""
        super().train(mode)
        return self

    @staticmethod
    def value_mask(buffer: ReplayBuffer, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which transitions' next observations have a value, [n]: those that did not terminate the episode."""
        mask: NDArray[np.bool_] = ~buffer.terminated[indices]
        return mask

    @staticmethod
    def compute_episodic_return(
        batch: Batch,
        buffer: ReplayBuffer,
        indices: NDArray[np.int64],
        v_s_: NDArray[Any] | torch.Tensor | None = None,
        v_s: NDArray[Any] | torch.Tensor | None = None,
        gamma: float = 0.99,
        gae_lambda: float = 0.95,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return returns [T] and generalised advantage estimates [T] of transitions in order of time.

        `v_s_` and `v_s` are the values of next and own observations; without `v_s_` (only with `gae_lambda` = 1)
        there is no bootstrapping, without `v_s` the value is taken to be the previous `v_s_`.
        """
        rew = np.asarray(batch.rew, np.float64)
        require_numbers(rew)
        if v_s_ is None:
            if not np.isclose(gae_lambda, 1.0):
                raise UsageError(f"gae_lambda={gae_lambda} needs the values v_s_ of next observations")
            next_value = np.zeros_like(rew)
        else:
            next_value = _flat(v_s_)
        value = np.roll(next_value, 1) if v_s is None else _flat(v_s)
        under_way = np.zeros(buffer.maxsize, np.bool_)
        under_way[buffer.unfinished_index()] = True
        done, places = np.asarray(batch.done, np.bool_), np.asarray(indices, np.int64)
        return returns.gae(
            rew, value, next_value, done, places, buffer.terminated, under_way, (float(gamma), float(gae_lambda))
        )

    @staticmethod
    def compute_nstep_return(
        batch: Batch,
        buffer: ReplayBuffer,
        indice: NDArray[np.int64],
        target_q_fn: Callable[[ReplayBuffer, NDArray[np.int64]], torch.Tensor],
        gamma: float = 0.99,
        n_step: int = 1,
        rew_norm: bool = False,
        rewards: NDArray[np.float64] | None = None,
    ) -> Batch:
        """Add `returns` [n, k] to the batch: n-step targets within each transition's own episode.

        `target_q_fn(buffer, places)` gives the value ([n] or [n, k]) of the next observation of each place; it is not
        counted where the episode terminated. `rewards` [size of the buffer, k] stand for those of the buffer.
        """
        if rew_norm:
            raise UsageError("reward normalisation is not defined for n-step returns; leave rew_norm at False")
        rings = buffer.rings.counters
        columns = [buffer.rew] if rewards is None else rewards.T
        totals = np.empty((len(indice), len(columns)))
        for column, rew in enumerate(columns):
            totals[:, column], last, discount = returns.n_step(
                indice, n_step, gamma, rew, rings.ends, rings.edges, rings.fill, rings.newest
            )
        require_numbers(totals)
        with torch.no_grad():
            target_q = target_q_fn(buffer, last)
        target_q = target_q.reshape(len(indice), -1)
        factor = torch.as_tensor((discount * BasePolicy.value_mask(buffer, last))[:, None]).to(target_q)
        batch.returns = torch.addcmul(torch.as_tensor(totals).to(target_q), factor, target_q)
        return batch


def require_numbers(rew: NDArray[np.float64]) -> None:
    """Raise `UsageError` for rewards, or sums of them, that are NaN: [n] or [n, k]."""
    if np.isnan(rew).any():
        transition = int(np.isnan(rew).argmax()) * len(rew) // rew.size
        raise UsageError(f"the reward of transition {transition} is not a number (NaN)")


@cache
def _draws_by_weight(kind: type) -> bool:
    return issubclass(kind, HasPriorities)  # which takes 30 us to find out


def _flat(values: NDArray[Any] | torch.Tensor) -> NDArray[np.float64]:
    array = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values
    return np.asarray(array, np.float64).reshape(-1)
