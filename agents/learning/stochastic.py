"""Parts of policies that draw actions from a distribution: acting, masks, minibatches, the scale of returns."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

from agents.configs.on_policy import OnPolicyConfig
from agents.learning import checks
from agents.learning.distributions import (
    default_distribution,
    draw,
    draw_from_logits,
    gives_probabilities,
    log_of,
    log_probability,
    without_illegal,
)
from agents.learning.optimizer import Adam
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.data.statistics import RunningMeanStd
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.policy.packed import PackedRows, as_tensor

DistFn = Callable[..., Any]
"""Maps an actor's output, scores [n, A] or means and deviations [n, k], to a distribution over actions."""


Minibatch = dict[str, torch.Tensor]
"""Rows of `obs`, `act`, the arrays that an algorithm's loss needs and, with masks, `mask`; each [n, ...]."""
AllRows = dict[str, torch.Tensor | PackedRows]
"""The rows of all minibatches of an update."""


class ActionSampler:
    """Draws actions from the output of an actor: distribution, masks, random stream.

    The actor declares whether its scores [n, A] are probabilities (`softmax_output` as in `Actor`, or `softmax` as in
    `Net`) or logits (where these are False). For an actor that declares neither, they are probabilities if `dist_fn`
    is the class `Categorical`, as in torch, and logits if it is None. Masks are applied to both.

    Args:
        actor: maps observations to scores [n, A], or to means and deviations [n, k]; and a hidden state.
        dist_fn: maps the actor's output to a distribution, from which illegal actions are then removed; None for a
            categorical one, and for `Independent(Normal(mu, sigma), 1)`.
        deterministic_eval: take the most likely action in testing mode.
        action_space: Discrete, a Box of one axis, or None if it is not known.

    """

    def __init__(
        self,
        actor: nn.Module,
        dist_fn: DistFn | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
    ):
        declared = gives_probabilities(actor)
        self._takes_probabilities = dist_fn is Categorical if declared is None else declared
        self._dist_fn = None if dist_fn is Categorical else dist_fn
        self._deterministic_eval, self._action_space = deterministic_eval, action_space
        self.generator = torch.Generator()
        """Random stream of actions and minibatches."""
        self.reset(int(make_rng().integers(2**62)))

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self.generator.manual_seed(seed)

    def draw_on(self, device: torch.device) -> None:
        """Draw on a device from now on, by a random stream of its own that begins with the seed of this one."""
        if device != self.generator.device:
            self.generator = torch.Generator(device).manual_seed(self.generator.initial_seed())

    def takes_logits(self, scores: Any) -> bool:
        """Return whether the distribution of the actor's output is the categorical one of logits [n, A]."""
        return self._dist_fn is None and not self._takes_probabilities and isinstance(scores, torch.Tensor)

    def distribution(self, scores: Any, mask: Any = None) -> Any:
        """Return the distribution over actions for the actor's output, with illegal ones removed.

        Raises `UsageError` if the output does not fit the action space.
        """
        checks.require_fitting_scores(self._action_space, scores, mask)
        if isinstance(scores, tuple):
            return (self._dist_fn or default_distribution)(*scores)
        if self._dist_fn is not None:
            return without_illegal(self._dist_fn(scores), mask)
        logits = log_of(scores) if self._takes_probabilities else scores
        return default_distribution(mask_scores(logits, mask))

    def choose(self, dist: Any, training: bool) -> torch.Tensor:
        """Draw actions [n] or [n, k]; with `deterministic_eval`, return the most likely ones unless in training."""
        if self._is_greedy(training):
            likeliest: torch.Tensor = dist.mode
            return likeliest
        return draw(dist, self.generator)

    def choose_with_log_probability(
        self, scores: Any, mask: Any, training: bool, dist: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Choose as `choose` does by the actor's output; return actions and their log-probabilities [n].

        `dist` is the distribution, if it is known.
        """
        if not self._is_greedy(training) and self._draws_from_logits(scores):
            if dist is None:
                checks.require_fitting_scores(self._action_space, scores, mask)
            return draw_from_logits(scores, mask, self.generator)
        dist = self.distribution(scores, mask) if dist is None else dist
        act = self.choose(dist, training)
        on_device = act.dtype == torch.int64 and self.generator.device.type == "cuda"
        # -1, which is no index, stands for none
        return act, log_probability(dist, act.clamp(min=0) if on_device else act)

    def _is_greedy(self, training: bool) -> bool:
        return self._deterministic_eval and not training

    def _draws_from_logits(self, scores: Any) -> bool:
        """Return whether nobody needs the distribution: it is of logits on the CPU, of no interest to autograd."""
        if not self.takes_logits(scores) or self.generator.device.type != "cpu":
            return False
        return checks.fits_kernel(scores) and not scores.requires_grad

    def answer(self, scores: Any, mask: Any, hidden: Any, training: bool) -> Batch:
        """Return the output of `forward` for the actor's output; see the function `answer`."""
        dist = self.distribution(scores, mask)
        return answer(self.choose(dist, training), dist, hidden)

    def minibatches(self, data: AllRows, batch_size: int) -> Iterator[Minibatch]:
        """Yield all rows once, in random parts of about `batch_size`."""
        act = as_tensor(data["act"])
        order = torch.randperm(len(act), generator=self.generator, device=self.generator.device).to(act.device)
        parts = max(1, round(len(act) / batch_size))
        shuffled = [value.index_select(0, order).chunk(parts) for value in data.values()]
        for part in zip(*shuffled, strict=True):
            yield as_minibatch(dict(zip(data, part, strict=True)))


def scores_of(actor: nn.Module, obs: torch.Tensor) -> torch.Tensor:
    """Return an actor's logits or probabilities [n, A], or means [n, k]."""
    scores, _ = actor(obs)
    return scores[0] if isinstance(scores, tuple) else scores


def as_minibatch(rows: AllRows) -> Minibatch:
    """Return rows as one minibatch, with what is packed in them unpacked."""
    return {name: as_tensor(value) for name, value in rows.items()}


def tensors(batch: Batch, keys: Sequence[str], device: torch.device) -> AllRows:
    """Return observations, actions, masks and these keys of a batch as tensors, for all minibatches."""
    data: AllRows = {key: torch.as_tensor(batch[key], device=device, dtype=torch.float32) for key in keys}
    obs = bare_obs(batch.obs)
    if isinstance(obs, PackedRows):
        data["obs"] = obs.to(device)
    else:
        small = obs.dtype.itemsize == 1  # planes of a board: a network widens them, a minibatch at a time
        data["obs"] = torch.as_tensor(obs, device=device, dtype=None if small else torch.float32)
    act = torch.as_tensor(batch.act, device=device)
    data["act"] = act.to(torch.float32 if act.is_floating_point() else torch.int64)
    mask = legal_mask(batch.obs)
    if mask is not None:
        data["mask"] = mask.to(device) if isinstance(mask, PackedRows) else torch.as_tensor(mask, device=device)
    return data


def answer(act: torch.Tensor, dist: Any, hidden: Any) -> Batch:
    """Return the output of `forward` for actions drawn from a distribution."""
    result = Batch(act=act.numpy(force=True), state=hidden, dist=dist)
    if isinstance(dist, Categorical):
        result.logits, result.probs = dist.logits, dist.probs.numpy(force=True)
    return result


class ReturnScale(nn.Module):
    """The running mean and standard deviation of returns, saved with the weights."""

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
        """Return the standard deviation; 1 before the first returns."""
        return float((self.var + 1e-8).sqrt())

    def update(self, returns: NDArray[np.float64]) -> None:
        """Include returns [n]."""
        stream = RunningMeanStd(as_array(self.mean), float(self.var.sqrt()))
        stream.count = int(self.count)
        stream.update(returns)
        for buffer, value in ((self.mean, stream.mean), (self.var, stream.var), (self.count, stream.count)):
            buffer.fill_(float(value))


def optimizer_of(config: OnPolicyConfig, network: nn.Module, training: bool) -> torch.optim.Optimizer | None:
    """Return Adam for a network, or None for a policy that only plays."""
    return Adam(network.parameters(), config.learning_rate, eps=1e-5) if training else None
