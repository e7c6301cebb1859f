"""Shared parts of value-based algorithms: networks and targets, masks, epsilon-greedy, n-step targets, losses.

Shapes: n rows, A actions. A distributional network gives N numbers per action (probabilities of atoms, or quantiles);
[n, A(, N)] stands for either kind.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.value_based import ValueConfig
from agents.learning import checks
from agents.learning.exploration import epsilon_greedy
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.targets import frozen_copy
from arena.base.checks import require_between
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask, mask_scores

TargetQ = Callable[[ReplayBuffer, NDArray[np.int64]], torch.Tensor]
"""Gives the values [n(, N)] of the next observations at places of a buffer."""


class NetworkOutput(NamedTuple):
    """Output of a network for observations."""

    logits: torch.Tensor
    """Raw output, [n, A(, N)]."""
    q: torch.Tensor
    """Q-values [n, A]; those of illegal actions are below all others."""
    hidden: Any
    """Hidden state; None for a network without one."""
    extra: dict[str, Any]
    """Further outputs, such as the fractions of quantiles."""


class QLearner(nn.Module):
    """Abstract mix-in for `BasePolicy`: the common part of policies that act by Q-values.

    Acts by the Q-values of legal actions, and learns from n-step targets. An algorithm is
    `class DQNPolicy(QLearner, BasePolicy)`. It defines `compute_q_value`, from network output to Q-values, and `learn`,
    the loss. It may override `evaluate`, the call of the network, and `_target_q`, the value of a next observation.

    Args:
        model: maps observations to outputs [n, A(, N)] and a hidden state.
        optim: its optimizer; None for a policy that only plays.
        config: the options of the algorithm.
        action_space: as in `BasePolicy`; Discrete.
        observation_space: as in `BasePolicy`.

    """

    action_space: gym.Space[Any] | None

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        config: ValueConfig,
        action_space: gym.Space[Any] | None,
        observation_space: gym.Space[Any] | None,
    ):
        super().__init__(observation_space, action_space)  # of BasePolicy, which comes next
        checks.require_discrete(self, action_space)
        self.model, self.optim, self.config = model, optim, config
        self.model_old = frozen_copy(model) if config.target_update_freq > 0 else None
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights
        self.eps = 0.0
        self.max_action_num: int | None = None
        """Number of actions of the model's output; None before the first call."""
        self.rng = make_rng()
        self.generator = torch.Generator()
        self.generator.manual_seed(int(self.rng.integers(2**62)))

    # --- state --------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> None:
        """Restart the random streams of exploration and of networks if a seed is given."""
        if seed is not None:
            self.rng = make_rng(seed)
            self.generator.manual_seed(seed)

    def set_eps(self, eps: float) -> None:
        """Set the probability of a random action; raise `UsageError` unless it is from 0 to 1."""
        require_between(0, 1, eps=eps)
        self.eps = eps

    def train(self, mode: bool = True) -> Self:
        """Set training or testing mode; the target network always stays in testing mode."""
        super().train(mode)
        if self.model_old is not None:
            self.model_old.eval()
        return self

    def sync_weight(self) -> None:
        """Copy the model's weights into the target network."""
        if self.model_old is not None:
            self.model_old.load_state_dict(self.model.state_dict())

    # --- acting -------------------------------------------------------------------------------------------------

    @abstractmethod
    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A] for the model's output [n, A(, N)]; those of illegal actions are below all others."""

    def network(self, name: str) -> nn.Module:
        """Return the network "model" or "model_old"; raise `UsageError` for another name, or one that is not there."""
        network = {"model": self.model, "model_old": self.model_old}.get(name)
        if network is None:
            raise UsageError(f"model={name!r} is neither 'model' nor, with a target network, 'model_old'")
        return network

    def evaluate(self, obs: Any, state: Any = None, model: str = "model") -> NetworkOutput:
        """Return the output of a network ("model" or "model_old") for observations, with or without masks."""
        logits, hidden = self.network(model)(bare_obs(obs), state)
        return NetworkOutput(logits, self.compute_q_value(logits, legal_mask(obs)), hidden, {})

    def forward(self, batch: Batch, state: Any = None, model: str = "model", input: str = "obs") -> Batch:
        """Choose the best legal action.

        `model` ("model" or "model_old") is the network, and `input` ("obs" or "obs_next") its input. Adds `logits` (the
        network's output), `probs` [n, A] and `value` [n] of the best action.
        """
        return self._answer(self.evaluate(batch[input], state, model))

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return Q-values [n, A]."""
        return self.evaluate(obs).q

    def _answer(self, output: NetworkOutput) -> Batch:
        value, act = output.q.max(dim=1)
        self.max_action_num = output.q.shape[1]
        return Batch(
            act=act.numpy(force=True),
            state=output.hidden,
            logits=output.logits,
            probs=nn.functional.one_hot(act, output.q.shape[1]).numpy(force=True),
            value=value.numpy(force=True),
            **output.extra,
        )

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Apply epsilon-greedy exploration over the legal actions."""
        if self.eps == 0.0:
            return act
        mask = legal_mask(batch.obs)
        known = int(self.action_space.n) if isinstance(self.action_space, gym.spaces.Discrete) else self.max_action_num
        num_actions = known if mask is None else mask.shape[1]
        if num_actions is None:
            raise UsageError("exploration without masks needs action_space=Discrete(n), or a previous call of forward")
        return epsilon_greedy(act, mask, num_actions, self.eps, self.rng)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add n-step `returns`: [n, 1], or [n, N] for a distributional network."""
        return self.nstep_returns(batch, buffer, indices, self._target_q)

    def nstep_returns(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64], target_q: TargetQ) -> Batch:
        """Add n-step `returns` [n, k] that end in the values [n, k] of `target_q`."""
        config = self.config
        return BasePolicy.compute_nstep_return(
            batch, buffer, indices, target_q, config.discount_factor, config.estimation_step
        )

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return the values of the next observations at these indices under the best legal action, [n(, N)]."""
        obs_next = buffer.obs_next_at(indices)
        if self.model_old is None:
            output = self.evaluate(obs_next)
            return chosen(output.logits, output.q.argmax(dim=1))
        output = self.evaluate(obs_next, model="model_old")
        q = self.evaluate(obs_next).q if self.config.is_double else output.q
        return chosen(output.logits, q.argmax(dim=1))

    def _step(
        self, outputs: torch.Tensor | Sequence[torch.Tensor], gradients: Sequence[torch.Tensor] | None = None
    ) -> dict[str, float]:
        """Take one gradient step as `descend` does; first update the target network if it is due."""
        if self.model_old is not None and int(self._updates) % self.config.target_update_freq == 0:
            self.sync_weight()
        step = descend(outputs, self.optim, gradients=gradients)
        self._updates.add_(1)  # in place, which a module need not look into
        return step


def chosen(outputs: torch.Tensor, act: Any) -> torch.Tensor:
    """Return the outputs [n(, N)] of the actions [n] taken from the outputs [n, A(, N)] of all actions."""
    act = torch.as_tensor(act, dtype=torch.int64, device=outputs.device)
    if outputs.dim() == 2:  # gathering, and scattering gradients back, is much faster than indexing
        return outputs.gather(1, act[:, None]).squeeze(1)
    return outputs[torch.arange(len(outputs), device=outputs.device), act]


def masked_q(q: torch.Tensor, mask: Any, action_space: gym.Space[Any] | None) -> torch.Tensor:
    """Return Q-values [n, A] with those of illegal actions below all others.

    Raises `UsageError` unless their number fits the mask and the action space, where these are given.
    """
    in_space = int(action_space.n) if isinstance(action_space, gym.spaces.Discrete) else None
    for num_actions in (None if mask is None else mask.shape[-1], in_space):
        if num_actions is not None and q.shape[1:] != (num_actions,):
            raise UsageError(f"the network gives Q-values of shape {tuple(q.shape)} for {num_actions} actions")
    return mask_scores(q, mask)


def weighted_mean(loss: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Return the mean of losses [n], weighted by `batch.weight` if the buffer is prioritized."""
    return (loss * torch.as_tensor(batch.weight, device=loss.device)).mean() if "weight" in batch else loss.mean()


def weighted_loss(
    loss_of: Callable[..., torch.Tensor], estimates: torch.Tensor, targets: torch.Tensor, batch: Batch
) -> torch.Tensor:
    """Return the mean of `loss_of`, one of torch's losses, over [n], weighted if the buffer is prioritized."""
    if "weight" not in batch:
        return loss_of(estimates, targets)  # one node of autograd
    return weighted_mean(loss_of(estimates, targets, reduction="none"), batch)


def quantile_huber_loss(quantiles: torch.Tensor, taus: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the loss [n] between quantiles [n, N] at fractions `taus` [n, N] or [N] and targets [n, M].

    The sum over quantiles i of the mean over targets j of |tau_i - 1(u < 0)| L(u), u = target_j - quantile_i, L the
    Huber loss with kappa = 1 (Dabney et al. 2018, arXiv 1710.10044, equation 10).
    """
    u = targets[:, None, :] - quantiles[:, :, None]
    huber = torch.where(u.abs() <= 1, 0.5 * u.square(), u.abs() - 0.5)
    return ((taus[..., None] - (u.detach() < 0).to(u)).abs() * huber).mean(dim=2).sum(dim=1)


def quantile_regression(batch: Batch, quantiles: torch.Tensor, taus: torch.Tensor) -> torch.Tensor:
    """Return the mean loss between the quantiles [n, N] of the actions taken, at `taus`, and `returns` [n, M].

    Writes the errors of their means to `batch.weight`, the new priorities of a prioritized buffer.
    """
    loss = weighted_mean(quantile_huber_loss(quantiles, taus, batch.returns), batch)
    batch.weight = as_array(batch.returns.mean(dim=1) - quantiles.mean(dim=1))
    return loss


def make_trainable(policy: QLearner, config: ValueConfig, training: bool) -> None:
    """Give a policy its optimizer and exploration rate if it is to be trained."""
    if training:
        policy.optim = Adam(policy.model.parameters(), config.learning_rate)
        policy.set_eps(config.eps)
