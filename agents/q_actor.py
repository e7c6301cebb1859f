"""What actors that climb learned action values share: critics, slow targets, n-step returns, exploration."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, Unpack

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.exploration import BaseNoise, GaussianNoise, OUNoise
from agents.gradients import adam, descend
from agents.targets import Network, frozen_copy, polyak
from agents.value_learning import weighted_mean
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.kinds import Spaces
from arena.policy.masking import bare_obs
from arena.seeding import make_rng, spawn_seeds

Critics = Sequence[tuple[nn.Module, torch.optim.Optimizer | None]]


class QActorOptions(TypedDict, total=False):
    """What every such policy takes besides its networks and their pace; see `QActorPolicy`."""

    reward_normalization: bool
    estimation_step: int
    action_scaling: bool
    action_bound_method: Literal["clip", "tanh", ""]
    lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None
    action_space: gym.Space[Any] | None
    observation_space: gym.Space[Any] | None


class QActorPolicy(BasePolicy):
    """An actor beside critics of action values, which learn from targets that follow them slowly; abstract.

    An algorithm says in `_target_q` what a next observation is worth and in `learn` how the actor climbs.

    Args:
        actor: from observations to what describes actions, and a hidden state.
        actor_optim: its optimizer; None for a policy that only plays.
        critics: from observations and actions to values [n, 1], each with its optimizer.
        tau: how far the targets go towards their models with each update, 0 to 1.
        gamma: discount, 0 to 1, in steps of the agent's own.
        exploration_noise: added to actions while collecting; a number is the deviation of a normal one, None is none.
        reward_normalization: not defined for n-step targets; leave it at False.
        estimation_step: rewards in a target before the estimate, at least 1.
        action_scaling: map actions from [-1, 1] to the bounds of a Box `action_space`.
        action_bound_method: as in `BasePolicy`.
        lr_scheduler: goes a step on with each update.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critics: Critics,
        tau: float,
        gamma: float,
        exploration_noise: BaseNoise | float | None = None,
        reward_normalization: bool = False,
        estimation_step: int = 1,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        scaled = action_scaling and isinstance(action_space, gym.spaces.Box)
        super().__init__(observation_space, action_space, scaled, action_bound_method)
        checks.require_between(0, 1, tau=tau, gamma=gamma)
        checks.require_at_least(1, estimation_step=estimation_step)
        checks.require_raw_rewards(reward_normalization)
        self._followed: list[tuple[nn.Module, nn.Module]] = []
        self.actor, self.actor_optim = actor, actor_optim
        self.critics, self.critic_optims = nn.ModuleList(c for c, _ in critics), [optim for _, optim in critics]
        self.critics_old = self.follow(self.critics)
        self.tau, self.gamma, self.n_step = tau, gamma, estimation_step
        self.lr_scheduler = lr_scheduler
        self.generator = torch.Generator()
        self.set_exp_noise(exploration_noise)
        self.reset(int(make_rng().integers(2**62)))

    # --- state --------------------------------------------------------------------------------------------------

    def set_exp_noise(self, noise: BaseNoise | float | None) -> None:
        """Explore by this noise from now on; a number is the deviation of a normal one."""
        self.noise = GaussianNoise(sigma=noise) if isinstance(noise, int | float) else noise

    def reset(self, seed: int | None = None) -> None:
        """Let the noise begin anew; with a seed, the random streams as well."""
        if self.noise is not None:
            self.noise.reset()
        if seed is not None:
            own, noise = spawn_seeds(seed, count=2)
            self.generator.manual_seed(own)
            if isinstance(self.noise, GaussianNoise | OUNoise):
                self.noise.rng = make_rng(noise)

    def follow(self, network: Network) -> Network:
        """A target network for this one, which `sync_weight` moves towards it."""
        target = frozen_copy(network)
        self._followed.append((target, network))
        return target

    def sync_weight(self) -> None:
        """Move the targets a part `tau` of the way to their models."""
        for target, network in self._followed:
            polyak(target, network, self.tau)

    def train(self, mode: bool = True) -> Self:
        """Set training or testing state; the targets always stay in testing state."""
        super().train(mode)
        for target, _ in self._followed:
            target.eval()
        return self

    # --- acting -------------------------------------------------------------------------------------------------

    def require_fit(self, act: torch.Tensor) -> None:
        """`UsageError` unless actions [n, k] have as many numbers as the action space."""
        if isinstance(self.action_space, gym.spaces.Box) and act.shape[1:] != self.action_space.shape:
            raise UsageError(
                f"the actor gives {act.shape[1]} numbers, which do not fit action_space={self.action_space}"
            )

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Actions with noise upon them."""
        return act if self.noise is None else (act + self.noise(act.shape)).astype(act.dtype)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add n-step `returns` [n, 1]."""
        return self.compute_nstep_return(batch, buffer, indices, self._target_q, self.gamma, self.n_step)

    @abstractmethod
    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """What the next observations of these places are worth, [n]."""

    def seen(self, obs: Any) -> torch.Tensor:
        """Bare observations as a tensor, once for all networks that look at them."""
        return torch.as_tensor(bare_obs(obs), dtype=torch.float32, device=self.device)

    def fit_critics(self, obs: torch.Tensor, batch: Batch) -> dict[str, float]:
        """One step of each critic towards the returns; figures of their losses. New priorities go into the batch."""
        returns = torch.as_tensor(batch.returns, device=self.device).flatten()
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
        """What a critic says of the actions taken, [n]."""
        return critic(obs, act).flatten()


class DeterministicPolicy(QActorPolicy):
    """A policy of this kind whose actor gives one action, and has a slow target too; abstract."""

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critics: Critics,
        tau: float,
        gamma: float,
        exploration_noise: BaseNoise | float | None,
        **options: Unpack[QActorOptions],
    ):
        super().__init__(actor, actor_optim, critics, tau, gamma, exploration_noise, **options)
        checks.require_continuous(self, self.action_space)
        self.actor_old = self.follow(actor)

    def forward(
        self,
        batch: Batch,
        state: Any = None,
        model: Literal["actor", "actor_old"] = "actor",
        input: Literal["obs", "obs_next"] = "obs",
    ) -> Batch:
        """Actions [n, k] of the actor or its target, for these observations or the next."""
        act, hidden = getattr(self, model)(bare_obs(batch[input]), state)
        self.require_fit(act)
        return Batch(act=act.numpy(force=True), state=hidden)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """The action [n, k]."""
        act: torch.Tensor = self.actor(obs)[0]
        return act


@dataclass(frozen=True)
class QActorConfig:
    """What such agents are told."""

    learning_rate: float = 1e-3
    """Step size of Adam, for all networks."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    tau: float = 0.005
    """How far targets go towards their models with each update, 0 to 1."""
    n_step: int = 1
    """Rewards in a target before the estimate."""
    batch_size: int = 256
    """Transitions a gradient step."""
    update_per_step: float = 1.0
    """Gradient steps an environment step."""
    buffer_size: int = 100_000
    """Transitions remembered."""
    hidden: int = 128
    """Units of each of two hidden layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "update_per_step")
        require_at_least(self, 1, "n_step", "batch_size", "buffer_size", "hidden")
        require_between(self, 0, 1, "discount", "tau")

    def options(self, spaces: Spaces) -> QActorOptions:
        """Options of the policy for these spaces."""
        return {
            "estimation_step": self.n_step,
            "action_space": spaces.action,
            "observation_space": spaces.observation,
        }

    def optimizer(self, network: nn.Module, training: bool) -> torch.optim.Optimizer | None:
        """Adam for a network that is to be trained."""
        return adam(network.parameters(), self.learning_rate) if training else None


def smallest_q(critics: Iterable[nn.Module], *seen: torch.Tensor) -> torch.Tensor:
    """The smallest value that some critic sees in observations and actions: [n], or [n, A] where they value all."""
    values = torch.stack([critic(*seen) for critic in critics])
    return values.amin(dim=0).squeeze(-1)
