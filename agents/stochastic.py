"""What policies that draw their actions from a distribution share: acting, masks, the scale of returns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

from agents import checks
from agents.distributions import default_distribution, draw
from agents.gradients import adam
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.data.statistics import RunningMeanStd
from arena.policy.base import BasePolicy
from arena.policy.kinds import Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.seeding import make_rng

DistFn = Callable[..., Any]
"""From scores, masked where they are logits [n, A], or means and deviations [n, k], to a distribution over actions."""


Minibatch = dict[str, torch.Tensor]
"""Rows of `obs`, `act`, what the losses of an algorithm need and, where there are masks, `mask`; each [n, ...]."""


class ActingOptions(TypedDict, total=False):
    """How a stochastic policy acts, and in which spaces; see `StochasticPolicy`."""

    action_scaling: bool
    action_bound_method: Literal["clip", "tanh", ""]
    lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None
    deterministic_eval: bool
    action_space: gym.Space[Any] | None
    observation_space: gym.Space[Any] | None


class StochasticOptions(ActingOptions, total=False):
    """What every stochastic policy takes besides its networks; see `StochasticPolicy`."""

    discount_factor: float
    reward_normalization: bool


class StochasticPolicy(BasePolicy):
    """A policy that draws numbered actions, of which some may be illegal, or continuous ones.

    Args:
        model: from observations to logits [n, A], or to means and deviations [n, k]; and a hidden state.
        optim: its optimizer; None for a policy that only plays.
        dist_fn: from the scores, masked where they are logits, to the distribution that it acts by and learns; None for
            `Categorical(logits=...)` and `Independent(Normal(mu, sigma), 1)`.
        discount_factor: gamma, in steps of the agent's own.
        reward_normalization: learn returns divided by their running deviation.
        action_scaling: map continuous actions from [-1, 1] to the bounds of a Box `action_space`.
        action_bound_method: as in `BasePolicy`.
        lr_scheduler: goes a step on with each update.
        deterministic_eval: take the likeliest action in testing state.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.

    """

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        discount_factor: float = 0.99,
        reward_normalization: bool = False,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        scaled = action_scaling and isinstance(action_space, gym.spaces.Box)
        super().__init__(observation_space, action_space, scaled, action_bound_method)
        checks.require_between(0, 1, discount_factor=discount_factor)
        checks.require_logits(model)
        if isinstance(action_space, gym.spaces.Box):
            checks.require_continuous(self, action_space)
        else:
            checks.require_discrete(self, action_space)
        self.actor = model
        self.optim = optim
        # the class itself would take its first argument, the logits, for probabilities
        self.dist_fn = default_distribution if dist_fn in (None, Categorical) else dist_fn
        self.gamma = discount_factor
        self.return_scale = ReturnScale() if reward_normalization else None
        self.lr_scheduler = lr_scheduler
        self.deterministic_eval = deterministic_eval
        self.generator = torch.Generator()
        self.reset(int(make_rng().integers(2**62)))

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream of actions and minibatches anew."""
        if seed is not None:
            self.generator.manual_seed(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `dist` and, where actions are numbered, `logits` and `probs` [n, A]."""
        scores, hidden = self.actor(bare_obs(batch.obs), state)
        dist = self.distribution(scores, legal_mask(batch.obs))
        return answer(self.choose(dist), dist, hidden)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Logits [n, A], or means [n, k]."""
        scores, _ = self.actor(obs)
        return scores[0] if isinstance(scores, tuple) else scores

    def choose(self, dist: Any) -> torch.Tensor:
        """Actions [n] or [n, k], drawn, or in testing state perhaps the likeliest."""
        if self.deterministic_eval and not self.training:
            likeliest: torch.Tensor = dist.mode
            return likeliest
        return draw(dist, self.generator)

    def distribution(self, scores: Any, mask: Any = None) -> Any:
        """The distribution over actions that scores of the network describe; illegal ones have no probability.

        Raises `UsageError` if the scores do not fit the action space.
        """
        checks.require_fitting_scores(self.action_space, scores, mask)
        return self.dist_fn(*scores) if isinstance(scores, tuple) else self.dist_fn(mask_scores(scores, mask))

    # --- learning -----------------------------------------------------------------------------------------------

    def tensors(self, batch: Batch, *keys: str) -> Minibatch:
        """Observations, actions, masks and these keys of a batch, once for all minibatches."""
        data = {key: torch.as_tensor(batch[key], device=self.device, dtype=torch.float32) for key in keys}
        obs = bare_obs(batch.obs)
        small = obs.dtype.itemsize == 1  # planes of a board: a network widens them, a minibatch at a time
        data["obs"] = torch.as_tensor(obs, device=self.device, dtype=None if small else torch.float32)
        numbered = np.issubdtype(batch.act.dtype, np.integer)
        data["act"] = torch.as_tensor(batch.act, device=self.device, dtype=torch.int64 if numbered else torch.float32)
        mask = legal_mask(batch.obs)
        return data if mask is None else {**data, "mask": torch.as_tensor(mask, device=self.device)}

    def minibatches(self, data: Minibatch, batch_size: int) -> Iterator[Minibatch]:
        """All rows once, in random parts of about `batch_size`."""
        n = len(data["act"])
        order = torch.randperm(n, generator=self.generator).to(self.device)
        parts = max(1, round(n / batch_size))
        shuffled = [value.index_select(0, order).chunk(parts) for value in data.values()]
        for part in zip(*shuffled, strict=True):
            yield dict(zip(data, part, strict=True))


def answer(act: torch.Tensor, dist: Any, hidden: Any) -> Batch:
    """What `forward` gives for these actions of a distribution."""
    result = Batch(act=act.numpy(force=True), state=hidden, dist=dist)
    if isinstance(dist, Categorical):
        result.logits, result.probs = dist.logits, dist.probs.numpy(force=True)
    return result


class ReturnScale(nn.Module):
    """The running mean and deviation of returns, saved with the weights."""

    mean: torch.Tensor
    var: torch.Tensor
    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros((), dtype=torch.float64))
        self.register_buffer("var", torch.ones((), dtype=torch.float64))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    @property
    def std(self) -> float:
        """The deviation so far; 1 before the first returns."""
        return float((self.var + 1e-8).sqrt())

    def update(self, returns: NDArray[np.float64]) -> None:
        """Take in returns [n]."""
        stream = RunningMeanStd(as_array(self.mean), float(self.var.sqrt()))
        stream.count = int(self.count)
        stream.update(returns)
        for held, value in ((self.mean, stream.mean), (self.var, stream.var), (self.count, stream.count)):
            held.fill_(float(value))


@dataclass(frozen=True)
class OnPolicyConfig:
    """What every agent is told that learns from what it has just collected; the defaults are for board games."""

    learning_rate: float = 1e-3
    """Step size of Adam."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    normalize_returns: bool = False
    """Learn returns divided by their running deviation."""
    batch_size: int = 1024
    """Transitions a gradient step."""
    repeat: int = 1
    """Passes through what was collected."""
    channels: int = 64
    """Filters of the convolution on boards; 0 for a plain perceptron."""
    hidden: int = 128
    """Units of the dense layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate")
        require_at_least(self, 0, "channels")
        require_at_least(self, 1, "batch_size", "repeat", "hidden")
        require_between(self, 0, 1, "discount")

    def options(self, spaces: Spaces) -> StochasticOptions:
        """Options of the policy for these spaces."""
        return {
            "discount_factor": self.discount,
            "reward_normalization": self.normalize_returns,
            "deterministic_eval": not spaces.hides_something,
            "action_space": spaces.action,
            "observation_space": spaces.observation,
        }

    def optimizer(self, network: nn.Module, training: bool) -> torch.optim.Optimizer | None:
        """Adam for a network that is to be trained."""
        return adam(network.parameters(), self.learning_rate, eps=1e-5) if training else None
