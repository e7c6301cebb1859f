"""Deep Q-networks (Mnih et al. 2015, Nature 518), with double Q-learning (van Hasselt et al. 2016, arXiv 1509.06461).

A network estimates what each action will return; it learns from n-step targets whose end is valued by a slowly
following copy of itself. In a game, "next" is the agent's own next decision, and targets look only at actions that
are legal there.
"""

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.exploration import epsilon_greedy
from agents.networks.common import Net
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.seeding import make_rng


class DQNPolicy(BasePolicy):
    """Deep Q-learning for discrete actions, with masks.

    Args:
        model: from observations to Q-values [n, A] and a hidden state.
        optim: its optimizer; None for a policy that only plays.
        discount_factor: gamma, in steps of the agent's own.
        estimation_step: rewards in a target before the estimate.
        target_update_freq: gradient steps between two copies into the target network; 0 for none (the model itself).
        reward_normalization: not supported for n-step targets; leave it at False.
        is_double: choose the target's action by the model, value it by the target network.
        clip_loss_grad: Huber loss in place of squares.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.

    """

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        clip_loss_grad: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        super().__init__(observation_space, action_space)
        if not 0 <= discount_factor <= 1:
            raise UsageError(f"discount_factor={discount_factor} does not lie between 0 and 1")
        if estimation_step < 1:
            raise UsageError(f"estimation_step={estimation_step} is not at least 1")
        if target_update_freq < 0:
            raise UsageError(f"target_update_freq={target_update_freq} is not at least 0")
        if reward_normalization:
            raise UsageError("reward normalisation is not defined for n-step targets; leave it at False")
        self.model = model
        self.optim = optim
        self.eps = 0.0
        self.gamma, self.n_step = discount_factor, estimation_step
        self.rew_norm, self.is_double, self.clip_loss_grad = reward_normalization, is_double, clip_loss_grad
        self.target_update_freq = target_update_freq
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights
        self.model_old = deepcopy(model).eval() if target_update_freq > 0 else None
        self.rng = make_rng()

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream of exploration anew."""
        if seed is not None:
            self.rng = make_rng(seed)

    def set_eps(self, eps: float) -> None:
        """Set the chance of a random action; `UsageError` unless it lies between 0 and 1."""
        if not 0 <= eps <= 1:
            raise UsageError(f"eps={eps} does not lie between 0 and 1")
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

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A] from the model's output, those of illegal actions below all others."""
        return mask_scores(logits, mask)

    def forward(self, batch: Batch, state: Any = None, model: str = "model", input: str = "obs") -> Batch:
        """Take the best legal action.

        `model` ("model" or "model_old") and `input` ("obs" or "obs_next") say which network looks at what. Adds
        `logits` (the model's output), `probs` [n, A] and `value` [n] of the best action.
        """
        obs = batch[input]
        logits, hidden = getattr(self, model)(bare_obs(obs), state)
        q = self.compute_q_value(logits, legal_mask(obs))
        value, act = q.max(dim=1)
        return Batch(
            act=act.numpy(force=True),
            state=hidden,
            logits=logits,
            probs=nn.functional.one_hot(act, q.shape[1]).numpy(force=True),
            value=value.numpy(force=True),
        )

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Epsilon-greedy among the legal actions."""
        if self.eps == 0.0:
            return act
        mask = legal_mask(batch.obs)
        num_actions = int(self.action_space.n) if isinstance(self.action_space, gym.spaces.Discrete) else 0
        if mask is None and not num_actions:
            raise UsageError("exploration without masks needs action_space=Discrete(n)")
        return epsilon_greedy(act, mask, num_actions if mask is None else mask.shape[1], self.eps, self.rng)

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add n-step `returns` [n, 1]."""
        return self.compute_nstep_return(batch, buffer, indices, self._target_q, self.gamma, self.n_step, self.rew_norm)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """The value [n] of the next observations of these places, of their best legal action."""
        obs_next = buffer[indices].obs_next
        seen, mask = bare_obs(obs_next), legal_mask(obs_next)
        target: nn.Module = self.model if self.model_old is None else self.model_old
        q = self.compute_q_value(target(seen)[0], mask)
        if not self.is_double or self.model_old is None:
            return q.amax(dim=1)
        best = self.compute_q_value(self.model(seen)[0], mask).argmax(dim=1)
        return q.gather(1, best[:, None]).squeeze(1)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the temporal-difference error; returns its `loss`."""
        assert self.optim is not None, "a policy without an optimizer only plays"
        if self.model_old is not None and self._updates % self.target_update_freq == 0:
            self.sync_weight()
        logits, _ = self.model(bare_obs(batch.obs))
        act = torch.as_tensor(batch.act, dtype=torch.int64, device=logits.device)
        q = self._chosen(logits, act)
        td = batch.returns.flatten().to(q) - q
        weight = torch.as_tensor(batch.get("weight", 1.0), device=q.device)
        error = nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none") if self.clip_loss_grad else td**2
        loss = (error * weight).mean()
        batch.weight = as_array(td)  # the new priorities of a prioritized buffer
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        self._updates += 1
        return {"loss": loss.item()}

    def _chosen(self, logits: torch.Tensor, act: torch.Tensor) -> torch.Tensor:
        """Q-values [n] of the actions taken."""
        return logits.gather(1, act[:, None]).squeeze(1)


@dataclass(frozen=True)
class DQNConfig:
    """How DQN learns a board game."""

    learning_rate: float = 1e-3
    """Step size of Adam."""
    discount: float = 0.95
    """Gamma, in the agent's own moves, 0 to 1."""
    n_step: int = 3
    """Rewards in a target before the estimate."""
    target_update_freq: int = 500
    """Gradient steps between two copies into the target network."""
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

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "update_per_step")
        require_at_least(self, 0, "target_update_freq")
        require_at_least(self, 1, "n_step", "batch_size", "buffer_size", "hidden")
        require_between(self, 0, 1, "discount", "eps")


def build(spaces: Spaces, config: DQNConfig, training: bool) -> DQNPolicy:
    """A DQN policy, with an optimizer if it is to be trained."""
    net = Net(spaces.observation_shape, spaces.num_actions, hidden_sizes=(config.hidden, config.hidden))
    optim = torch.optim.Adam(net.parameters(), config.learning_rate) if training else None
    policy = DQNPolicy(net, optim, config.discount, config.n_step, config.target_update_freq)
    policy.set_eps(config.eps if training else 0.0)
    return policy


ALGORITHM = Algorithm(DQNConfig, build, "off-policy", "Nature 518 (2015)")
AGENT = AgentKind("deep Q-network", partial(load_policy, "dqn", ALGORITHM), "DIR", ALGORITHM)
