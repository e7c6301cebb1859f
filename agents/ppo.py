"""Proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347).

An actor-critic that takes several gradient steps on the same experience, and keeps each from moving the policy too
far by clipping the ratio of new to old probabilities. Dual clip: Ye et al. 2020, arXiv 1912.09729. Log-probabilities
and values are stored when an action is taken, so that ratios and advantages are those of the policy that acted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

from agents.networks.board import BoardNet
from agents.networks.common import Net
from agents.networks.discrete import Actor, ActorCritic, Critic, actor_and_critic
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.seeding import make_rng


class PPOPolicy(BasePolicy):
    """PPO for discrete actions, with masks.

    Args:
        actor: from observations to logits [n, A] and a hidden state.
        critic: from observations to values [n, 1].
        optim: optimizer of both; None for a policy that only plays.
        dist_fn: from masked logits to the distribution over actions (a `Categorical`) that it acts by and learns.
        eps_clip: how far the ratio may leave 1 (epsilon of equation 7).
        dual_clip: bound c > 1 of the dual clip, None for none.
        value_clip: clip the change of values as well.
        advantage_normalization: scale advantages to mean 0 and deviation 1 in each minibatch.
        recompute_advantage: compute values and advantages anew before each repetition.
        vf_coef: weight of the value loss.
        ent_coef: weight of the entropy bonus.
        max_grad_norm: largest norm of the gradient, None for no limit.
        gae_lambda: lambda of generalised advantage estimation.
        max_batchsize: observations a forward pass when values are computed.
        discount_factor: gamma, in steps of the agent's own.
        deterministic_eval: take the likeliest action in testing state.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: Callable[[torch.Tensor], Any] | None = None,
        eps_clip: float = 0.2,
        dual_clip: float | None = None,
        value_clip: bool = False,
        advantage_normalization: bool = True,
        recompute_advantage: bool = False,
        vf_coef: float = 0.5,
        ent_coef: float = 0.01,
        max_grad_norm: float | None = None,
        gae_lambda: float = 0.95,
        max_batchsize: int = 256,
        discount_factor: float = 0.99,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        super().__init__(observation_space, action_space)
        if dual_clip is not None and dual_clip <= 1:
            raise UsageError(f"dual_clip={dual_clip} is not above 1")
        if not 0 <= discount_factor <= 1 or not 0 <= gae_lambda <= 1:
            raise UsageError(f"discount_factor={discount_factor} and gae_lambda={gae_lambda} lie between 0 and 1")
        if eps_clip <= 0:
            raise UsageError(f"eps_clip={eps_clip} is not above 0")
        if getattr(actor, "softmax_output", False):
            raise UsageError("the actor has to give logits, not probabilities: Actor(..., softmax_output=False)")
        self.actor = actor
        self.critic = critic
        self.optim = optim
        self.dist_fn = dist_fn or _categorical
        self.eps_clip, self.dual_clip, self.value_clip = eps_clip, dual_clip, value_clip
        self.advantage_normalization, self.recompute_advantage = advantage_normalization, recompute_advantage
        self.vf_coef, self.ent_coef, self.max_grad_norm = vf_coef, ent_coef, max_grad_norm
        self.gae_lambda, self.gamma, self.max_batchsize = gae_lambda, discount_factor, max_batchsize
        self.deterministic_eval = deterministic_eval
        self.generator = torch.Generator()
        self.reset(int(make_rng().integers(2**62)))

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream of actions and minibatches anew."""
        if seed is not None:
            self.generator.manual_seed(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `policy.logp`, `policy.value` and, for onlookers, `probs` [n, A] and `value` [n]."""
        logits, value, hidden = actor_and_critic(self.actor, self.critic, bare_obs(batch.obs), state)
        logits = mask_scores(logits, legal_mask(batch.obs))
        dist = self.dist_fn(logits)
        if self.deterministic_eval and not self.training:
            act = dist.probs.argmax(dim=-1)
        else:
            act = torch.multinomial(dist.probs, 1, generator=self.generator).squeeze(1)
        return Batch(
            act=act.numpy(force=True),
            state=hidden,
            policy=Batch(logp=dist.log_prob(act), value=value),
            logits=logits,
            probs=dist.probs.numpy(force=True),
            value=value.numpy(force=True),
        )

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add advantages `adv` and `returns` [n] to everything that was collected, in the order of time."""
        batch.logp_old, batch.v_s = np.asarray(batch.policy.logp), np.asarray(batch.policy.value, np.float64)
        self._add_advantages(batch, buffer, indices)
        if self.recompute_advantage:
            self._recent = buffer, indices  # what `learn` needs to look at the rows again
        return batch

    def _add_advantages(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> None:
        """Values of next observations are those of the following transitions, computed only where none follows."""
        v_s_ = np.append(batch.v_s[1:], 0.0)
        follows = np.append(indices[1:] == buffer.next(indices)[:-1], False)
        bootstrap = np.flatnonzero(~follows & ~batch.terminated)
        if len(bootstrap):
            v_s_[bootstrap] = self._values(batch.obs_next[bootstrap])
        batch.returns, batch.adv = self.compute_episodic_return(
            batch, buffer, indices, v_s_, batch.v_s, self.gamma, self.gae_lambda
        )

    @torch.no_grad()
    def _values(self, obs: Any) -> NDArray[np.float64]:
        parts = [bare_obs(obs[i : i + self.max_batchsize]) for i in range(0, len(obs), self.max_batchsize)]
        return torch.cat([self.critic(part).squeeze(-1) for part in parts]).numpy(force=True).astype(np.float64)

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> dict[str, list[float]]:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        assert self.optim is not None, "a policy without an optimizer only plays"
        figures: dict[str, list[float]] = {"loss": [], "loss/clip": [], "loss/vf": [], "loss/ent": []}
        n = len(batch)
        data = self._tensors(batch)
        for repetition in range(repeat):
            if self.recompute_advantage and repetition > 0:
                batch.v_s = self._values(batch.obs)
                self._add_advantages(batch, *self._recent)
                data = self._tensors(batch)
            order = torch.randperm(n, generator=self.generator)
            for rows in order.chunk(max(1, round(n / batch_size))):
                losses = self._losses({key: value[rows] for key, value in data.items()})
                total = losses[0] + self.vf_coef * losses[1] - self.ent_coef * losses[2]
                self.optim.zero_grad()
                total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
                if self.max_grad_norm is not None:
                    parameters = [p for group in self.optim.param_groups for p in group["params"]]
                    nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                self.optim.step()
                for key, loss in zip(figures, (total, *losses), strict=True):
                    figures[key].append(loss.item())
        return figures

    def _tensors(self, batch: Batch) -> dict[str, torch.Tensor]:
        """What the losses need, each [n, ...], once for all minibatches."""
        wanted = {
            "obs": bare_obs(batch.obs),
            "act": batch.act,
            "adv": batch.adv,
            "returns": batch.returns,
            "logp_old": batch.logp_old,
            "v_s": batch.v_s,
        }
        mask = legal_mask(batch.obs)
        data = {
            key: torch.as_tensor(value, device=self.device, dtype=torch.int64 if key == "act" else torch.float32)
            for key, value in wanted.items()
        }
        return data if mask is None else {**data, "mask": torch.as_tensor(mask, device=self.device)}

    def _losses(self, data: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Clipped surrogate (equation 7, as a loss), value loss, entropy: each the mean over a minibatch."""
        logits, value, _ = actor_and_critic(self.actor, self.critic, data["obs"])
        dist = self.dist_fn(mask_scores(logits, data.get("mask")))
        advantage = data["adv"]
        if self.advantage_normalization and len(advantage) > 1:
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        ratio = (dist.log_prob(data["act"]) - data["logp_old"]).exp()
        clipped = ratio.clamp(1 - self.eps_clip, 1 + self.eps_clip)
        surrogate = torch.min(ratio * advantage, clipped * advantage)
        if self.dual_clip is not None:  # arXiv 1912.09729, equation 5
            surrogate = torch.where(advantage < 0, torch.max(surrogate, self.dual_clip * advantage), surrogate)
        error = (data["returns"] - value).square()
        if self.value_clip:
            near = data["v_s"] + (value - data["v_s"]).clamp(-self.eps_clip, self.eps_clip)
            error = torch.max(error, (data["returns"] - near).square())
        return -surrogate.mean(), error.mean(), dist.entropy().mean()


def _categorical(logits: torch.Tensor) -> Any:  # torch leaves the class untyped
    return Categorical(logits=logits, validate_args=False)


@dataclass(frozen=True)
class PPOConfig:
    """How PPO learns a board game; the defaults are for two CPU cores."""

    learning_rate: float = 2.5e-3
    """Step size of Adam."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation, 0 to 1."""
    clip_ratio: float = 0.2
    """How far a probability ratio may leave 1."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    entropy_weight: float = 0.01
    """Weight of the entropy bonus."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient."""
    batch_size: int = 2048
    """Transitions a gradient step."""
    repeat: int = 3
    """Passes through what was collected."""
    channels: int = 64
    """Filters of the convolution; 0 for a plain perceptron."""
    hidden: int = 128
    """Units of the dense layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "clip_ratio", "max_grad_norm")
        require_at_least(self, 0, "value_weight", "entropy_weight", "channels")
        require_at_least(self, 1, "batch_size", "repeat", "hidden")
        require_between(self, 0, 1, "discount", "gae_lambda")


def build(spaces: Spaces, config: PPOConfig, training: bool) -> PPOPolicy:
    """A PPO policy, with an optimizer if it is to be trained."""
    net: nn.Module
    if config.channels and len(spaces.observation_shape) == 3:
        net = BoardNet(spaces.observation_shape, config.channels, config.hidden)
    else:
        net = Net(spaces.observation_shape, hidden_sizes=(config.hidden, config.hidden))
    actor = Actor(net, spaces.num_actions, softmax_output=False)
    critic = Critic(net)
    parameters = ActorCritic(actor, critic).parameters()
    optim = torch.optim.Adam(parameters, config.learning_rate, eps=1e-5) if training else None
    return PPOPolicy(
        actor,
        critic,
        optim,
        eps_clip=config.clip_ratio,
        vf_coef=config.value_weight,
        ent_coef=config.entropy_weight,
        max_grad_norm=config.max_grad_norm,
        gae_lambda=config.gae_lambda,
        max_batchsize=4096,
        discount_factor=config.discount,
        deterministic_eval=True,
    )


ALGORITHM = Algorithm(PPOConfig, build, "on-policy", "arXiv 1707.06347")
AGENT = AgentKind("proximal policy optimisation", partial(load_policy, "ppo", ALGORITHM), "DIR", ALGORITHM)
