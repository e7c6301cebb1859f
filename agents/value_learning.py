"""What agents that learn action values share: networks and their copies, masks, epsilon, n-step targets, losses.

Shapes: n rows, A actions; N numbers for each action where its return is a distribution (probabilities of atoms,
quantiles), written [n, A(, N)] where either may be meant.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.exploration import epsilon_greedy
from agents.gradients import adam, descend
from agents.targets import frozen_copy
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.seeding import make_rng


class View(NamedTuple):
    """What a network makes of observations."""

    logits: torch.Tensor
    """Its output, [n, A(, N)]."""
    q: torch.Tensor
    """Q-values [n, A], those of illegal actions below all others."""
    hidden: Any
    """Hidden state, None of a network that has none."""
    extra: dict[str, Any]
    """What else it says, such as the fractions of quantiles."""


class ValuePolicy(BasePolicy):
    """Acts by Q-values of legal actions, and learns from n-step targets; abstract.

    An algorithm says in `compute_q_value` what its network's output is worth and in `learn` which loss is taken; it may
    say in `look` how its network is called, and in `_target_q` what a next observation is worth.

    Args:
        model: from observations to outputs [n, A(, N)] and a hidden state.
        optim: its optimizer; None for a policy that only plays.
        discount_factor: gamma, 0 to 1, in steps of the agent's own.
        estimation_step: rewards in a target before the estimate, at least 1.
        target_update_freq: gradient steps between two copies into the target network; 0 for none (the model itself).
        reward_normalization: not defined for n-step targets; leave it at False.
        is_double: choose the target's action by the model, value it by the target network.
        action_space: as in `BasePolicy`; Discrete.
        observation_space: as in `BasePolicy`.

    """

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float,
        estimation_step: int,
        target_update_freq: int,
        reward_normalization: bool,
        is_double: bool,
        action_space: gym.Space[Any] | None,
        observation_space: gym.Space[Any] | None,
    ):
        super().__init__(observation_space, action_space)
        checks.require_discrete(self, action_space)
        checks.require_between(0, 1, discount_factor=discount_factor)
        checks.require_at_least(1, estimation_step=estimation_step)
        checks.require_at_least(0, target_update_freq=target_update_freq)
        checks.require_raw_rewards(reward_normalization)
        self.model, self.optim = model, optim
        self.gamma, self.n_step, self.rew_norm = discount_factor, estimation_step, reward_normalization
        self.is_double, self.target_update_freq = is_double, target_update_freq
        self.model_old = frozen_copy(model) if target_update_freq > 0 else None
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights
        self.eps = 0.0
        self.max_action_num: int | None = None
        """How many actions the model has answered for; None until it has been asked."""
        self.rng = make_rng()
        self.generator = torch.Generator()
        self.generator.manual_seed(int(self.rng.integers(2**62)))

    # --- state --------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random streams anew: of exploration, and of noise and fractions."""
        if seed is not None:
            self.rng = make_rng(seed)
            self.generator.manual_seed(seed)

    def set_eps(self, eps: float) -> None:
        """Set the chance of a random action; `UsageError` unless it lies between 0 and 1."""
        checks.require_between(0, 1, eps=eps)
        self.eps = eps

    def train(self, mode: bool = True) -> Self:
        """Set training or testing state; the target network always stays in testing state."""
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
        """Q-values [n, A] from the model's output [n, A(, N)], those of illegal actions below all others."""

    def look(self, obs: Any, state: Any = None, model: str = "model") -> View:
        """What a network ("model" or "model_old") makes of observations, with or without masks."""
        logits, hidden = getattr(self, model)(bare_obs(obs), state)
        return View(logits, self.compute_q_value(logits, legal_mask(obs)), hidden, {})

    def forward(self, batch: Batch, state: Any = None, model: str = "model", input: str = "obs") -> Batch:
        """Take the best legal action.

        `model` ("model" or "model_old") and `input` ("obs" or "obs_next") say which network looks at what. Adds
        `logits` (the model's output), `probs` [n, A] and `value` [n] of the best action.
        """
        return self._answer(self.look(batch[input], state, model))

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Q-values [n, A]."""
        return self.look(obs).q

    def _answer(self, view: View) -> Batch:
        value, act = view.q.max(dim=1)
        self.max_action_num = view.q.shape[1]
        return Batch(
            act=act.numpy(force=True),
            state=view.hidden,
            logits=view.logits,
            probs=nn.functional.one_hot(act, view.q.shape[1]).numpy(force=True),
            value=value.numpy(force=True),
            **view.extra,
        )

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Epsilon-greedy among the legal actions."""
        if self.eps == 0.0:
            return act
        mask = legal_mask(batch.obs)
        known = int(self.action_space.n) if isinstance(self.action_space, gym.spaces.Discrete) else self.max_action_num
        num_actions = known if mask is None else mask.shape[1]
        if num_actions is None:
            raise UsageError("exploration without masks needs action_space=Discrete(n), or a call of forward before")
        return epsilon_greedy(act, mask, num_actions, self.eps, self.rng)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add n-step `returns`: [n, 1], or [n, N] where the value of a next observation is a distribution."""
        return self.compute_nstep_return(batch, buffer, indices, self._target_q, self.gamma, self.n_step, self.rew_norm)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """What the next observations of these places are worth if the best legal action is taken, [n(, N)]."""
        obs_next = buffer[indices].obs_next
        if self.model_old is None:
            view = self.look(obs_next)
            return chosen(view.logits, view.q.argmax(dim=1))
        view = self.look(obs_next, model="model_old")
        q = self.look(obs_next).q if self.is_double else view.q
        return chosen(view.logits, q.argmax(dim=1))

    def _step(self, loss: torch.Tensor) -> None:
        """One gradient step down `loss`; before it, every so often, the target network takes over the weights."""
        if self.model_old is not None and int(self._updates) % self.target_update_freq == 0:
            self.sync_weight()
        descend(loss, self.optim)
        self._updates += 1


def chosen(outputs: torch.Tensor, act: Any) -> torch.Tensor:
    """Outputs [n(, N)] of the actions [n] taken, of those [n, A(, N)] of all."""
    act = torch.as_tensor(act, dtype=torch.int64, device=outputs.device)
    if outputs.dim() == 2:  # gathering, and scattering gradients back, is much faster than indexing
        return outputs.gather(1, act[:, None])[:, 0]
    return outputs[torch.arange(len(outputs), device=outputs.device), act]


def masked_q(q: torch.Tensor, mask: Any, action_space: gym.Space[Any] | None) -> torch.Tensor:
    """Q-values [n, A] with those of illegal actions below all others.

    Raises `UsageError` unless there is one for each action of the mask and the space, where they are known.
    """
    for num_actions in (None if mask is None else mask.shape[-1], getattr(action_space, "n", None)):
        if num_actions is not None and q.shape[1:] != (num_actions,):
            raise UsageError(f"the network gives Q-values of shape {tuple(q.shape)} for {num_actions} actions")
    return mask_scores(q, mask)


def weighted_mean(loss: torch.Tensor, batch: Batch) -> torch.Tensor:
    """The mean of the losses [n] of transitions, by the weights of a prioritized buffer where there are any."""
    return (loss * torch.as_tensor(batch.weight, device=loss.device)).mean() if "weight" in batch else loss.mean()


def quantile_huber_loss(quantiles: torch.Tensor, taus: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """How far quantiles [n, N] at fractions `taus` [n, N] or [N] lie from those of `targets` [n, M]: [n].

    The sum over quantiles i of the mean over targets j of |tau_i - 1(u < 0)| L(u), u = target_j - quantile_i, L the
    Huber loss with kappa = 1 (Dabney et al. 2018, arXiv 1710.10044, equation 10).
    """
    u = targets[:, None, :] - quantiles[:, :, None]
    huber = torch.where(u.abs() <= 1, 0.5 * u.square(), u.abs() - 0.5)
    return ((taus[..., None] - (u.detach() < 0).to(u)).abs() * huber).mean(dim=2).sum(dim=1)


def quantile_regression(batch: Batch, quantiles: torch.Tensor, taus: torch.Tensor) -> torch.Tensor:
    """The mean loss of the quantiles [n, N] of the actions taken, at fractions `taus`, towards `returns` [n, M].

    Leaves the errors of their means as the `weight` of the batch: the new priorities of a prioritized buffer.
    """
    loss = weighted_mean(quantile_huber_loss(quantiles, taus, batch.returns), batch)
    batch.weight = as_array(batch.returns.mean(dim=1) - quantiles.mean(dim=1))
    return loss


@dataclass(frozen=True)
class ValueConfig:
    """What agents that learn action values are told."""

    learning_rate: float = 1e-3
    """Step size of Adam."""
    discount: float = 0.95
    """Gamma, in the agent's own moves, 0 to 1."""
    n_step: int = 3
    """Rewards in a target before the estimate."""
    target_update_freq: int = 500
    """Gradient steps between two copies into the target network; 0 for no target network."""
    batch_size: int = 256
    """Transitions a gradient step."""
    update_per_step: float = 0.02
    """Gradient steps an environment step."""
    buffer_size: int = 100_000
    """Transitions remembered."""
    eps: float = 0.1
    """Chance of a random action while collecting."""
    hidden: int = 256
    """Units of each of two hidden layers."""
    blocks: int = 0
    """Residual blocks of a convolutional tower, for boards; 0 for a perceptron."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "update_per_step")
        require_at_least(self, 0, "target_update_freq", "blocks")
        require_at_least(self, 1, "n_step", "batch_size", "buffer_size", "hidden")
        require_between(self, 0, 1, "discount", "eps")


SINGLE: dict[str, Any] = {
    "learning_rate": 1e-3,
    "discount": 0.99,
    "n_step": 3,
    "target_update_freq": 500,
    "batch_size": 64,
    "update_per_step": 0.1,
    "buffer_size": 50_000,
    "eps": 0.05,
    "hidden": 128,
}
"""What suits a single agent whose discounted returns lie between 0 and 100, as CartPole's do."""
SLOWER = SINGLE | {"learning_rate": 5e-4, "target_update_freq": 200}
"""The same for those that learn at which fractions to look, or look at random ones: they like shorter steps."""
STEADY = SINGLE | {"learning_rate": 5e-4, "update_per_step": 0.2}
"""The same for plain values, which longer steps unlearn again."""


def make_trainable(policy: ValuePolicy, config: ValueConfig, training: bool) -> None:
    """Give a policy that is to be trained its optimizer, and its chance of random actions."""
    if training:
        policy.optim = adam(policy.model.parameters(), config.learning_rate)
        policy.set_eps(config.eps)
