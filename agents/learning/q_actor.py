"""Shared parts of actors trained on learned action values: critics, slow targets, n-step returns, exploration."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import QActorConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.exploration import BaseNoise, GaussianNoise, OUNoise
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.targets import Network, frozen_copy, polyak
from agents.learning.value_learning import weighted_mean
from agents.networks.pixels import is_picture
from arena.base.errors import UsageError
from arena.base.seeding import make_rng, spawn_seeds
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs

Critics = Sequence[tuple[nn.Module, torch.optim.Optimizer | None]]


class SoftTargets(Protocol):
    """A config with the options of the targets of action values."""

    @property
    def tau(self) -> float:
        """Share by which target networks move towards their networks per update."""

    @property
    def gamma(self) -> float:
        """Discount per own step."""

    @property
    def estimation_step(self) -> int:
        """Rewards in a target before the estimate (n)."""


class QActor(nn.Module):
    """Abstract mix-in for `BasePolicy`: the common part of actors trained on action values.

    It has an actor and critics of action values with slowly following targets. An algorithm is
    `class SACPolicy(QActor, BasePolicy)`. It defines `_target_q`, the value of a next observation, and `learn`, the
    update of the actor.

    Args:
        actor: maps observations to parameters of actions, and a hidden state.
        actor_optim: optimizer of the actor; None for a policy that only plays.
        critics: map observations and actions to values [n, 1]; each with its optimizer.
        config: the options of the algorithm.
        exploration_noise: added to actions while collecting; a number is the standard deviation of normal noise.
        mapping: spaces, and how actions are mapped to theirs.

    """

    action_space: gym.Space[Any] | None

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critics: Critics,
        config: SoftTargets,
        exploration_noise: BaseNoise | float | None,
        mapping: ActionMapping,
    ):
        super().__init__(*mapping.of_policy)  # of BasePolicy, which comes next
        self._followed: list[tuple[nn.Module, nn.Module]] = []
        self.actor, self.actor_optim = actor, actor_optim
        self.critics, self.critic_optims = nn.ModuleList(c for c, _ in critics), [optim for _, optim in critics]
        self.critics_old = self.follow(self.critics)
        self.config = config
        self.generator = torch.Generator()
        self.set_exp_noise(exploration_noise)
        self.reset(int(make_rng().integers(2**62)))

    # --- state --------------------------------------------------------------------------------------------------

    def set_exp_noise(self, noise: BaseNoise | float | None) -> None:
        """Set the exploration noise; a number is the standard deviation of normal noise."""
        self.noise = GaussianNoise(sigma=noise) if isinstance(noise, int | float) else noise

    def reset(self, seed: int | None = None) -> None:
        """Reset the noise; restart the random streams if a seed is given."""
        if self.noise is not None:
            self.noise.reset()
        if seed is not None:
            own, noise = spawn_seeds(seed, count=2)
            self.generator.manual_seed(own)
            if isinstance(self.noise, GaussianNoise | OUNoise):
                self.noise.rng = make_rng(noise)

    def follow(self, network: Network) -> Network:
        """Return a target network of a model, which `sync_weight` moves towards it."""
        target = frozen_copy(network)
        self._followed.append((target, network))
        return target

    def sync_weight(self) -> None:
        """Move the targets towards their networks by the share `tau`."""
        for target, network in self._followed:
            polyak(target, network, self.config.tau)

    def train(self, mode: bool = True) -> Self:
        """Set training or testing mode; the targets always stay in testing mode."""
        super().train(mode)
        for target, _ in self._followed:
            target.eval()
        return self

    # --- acting -------------------------------------------------------------------------------------------------

    def require_fit(self, act: torch.Tensor) -> None:
        """Raise `UsageError` unless actions [n, k] have as many entries as the action space."""
        if isinstance(self.action_space, gym.spaces.Box) and act.shape[1:] != self.action_space.shape:
            raise UsageError(
                f"the actor gives {act.shape[1]} numbers, which do not fit action_space={self.action_space}"
            )

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Return actions with noise added."""
        return act if self.noise is None else (act + self.noise(act.shape)).astype(act.dtype)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add n-step `returns` [n, 1]."""
        config = self.config
        return BasePolicy.compute_nstep_return(
            batch, buffer, indices, self._target_q, config.gamma, config.estimation_step
        )

    @abstractmethod
    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return the values of the next observations at these indices, [n]."""

    def fit_critics(self, obs: torch.Tensor, batch: Batch) -> dict[str, float]:
        """Take one step of each critic towards the returns; return the losses. Writes new priorities into the batch."""
        returns = torch.as_tensor(batch.returns, device=obs.device).flatten()
        figures, errors = {}, []
        for number, (critic, optim) in enumerate(zip(self.critics, self.critic_optims, strict=True), start=1):
            error = returns - self._taken_q(critic, obs, batch.act)
            loss = weighted_mean(error.square(), batch)
            descend(loss, optim)
            figures["loss/critic" if len(self.critics) == 1 else f"loss/critic{number}"] = loss.item()
            errors.append(as_array(error))
        batch.weight = np.mean(errors, axis=0)
        return figures

    def _taken_q(self, critic: nn.Module, obs: torch.Tensor, act: Any) -> torch.Tensor:
        """Return a critic's values of the actions taken, [n]."""
        return critic(obs, act).flatten()


class DeterministicActor(QActor):
    """A `QActor` for continuous actions whose actor is deterministic and has a target; abstract."""

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critics: Critics,
        config: SoftTargets,
        exploration_noise: BaseNoise | float | None,
        mapping: ActionMapping,
    ):
        super().__init__(actor, actor_optim, critics, config, exploration_noise, mapping)
        checks.require_continuous(self, self.action_space)
        self.actor_old = self.follow(actor)

    def forward(
        self,
        batch: Batch,
        state: Any = None,
        model: Literal["actor", "actor_old"] = "actor",
        input: Literal["obs", "obs_next"] = "obs",
    ) -> Batch:
        """Return actions [n, k] of the actor or its target, for current or next observations."""
        actor = self.actor_old if model == "actor_old" else self.actor
        act, hidden = actor(bare_obs(batch[input]), state)
        self.require_fit(act)
        return Batch(act=act.numpy(force=True), state=hidden)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the action [n, k]."""
        act: torch.Tensor = self.actor(obs)[0]
        return act


def obs_tensor(obs: Any, device: torch.device) -> torch.Tensor:
    """Return bare observations as a tensor, converted once for all networks; pixels stay the bytes that they are."""
    bare = bare_obs(obs)
    pixels = getattr(bare, "dtype", None) == np.uint8 and is_picture(bare.shape[1:])
    return torch.as_tensor(bare, dtype=None if pixels else torch.float32, device=device)


def smallest_q(critics: Iterable[nn.Module], *inputs: torch.Tensor) -> torch.Tensor:
    """Return the smallest of the critics' values: [n], or [n, A] from critics of all actions."""
    values = torch.stack([critic(*inputs) for critic in critics])
    return values.amin(dim=0).squeeze(-1)


def optimizer_of(config: QActorConfig, network: nn.Module, training: bool) -> torch.optim.Optimizer | None:
    """Return Adam for a network, or None for a policy that only plays."""
    return Adam(network.parameters(), config.learning_rate) if training else None
