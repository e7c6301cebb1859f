"""Distributions over actions: construction from scores, sampling with a given generator, squashing."""

from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical, Distribution, Independent, Normal
from torch.nn.functional import softplus

from agents.networks.common import DataParallelNet
from arena.base.errors import UsageError
from arena.policy.divergence import require_drawn
from arena.policy.masking import mask_scores
from games.engine.jit import njit

NO_MASK = np.empty((0, 0), np.bool_)
"""Mask of rows of which everything may be drawn."""


class RowsOfLogits(Categorical):
    """A `Categorical` over logits [n, A] that is faster than torch's for many short rows."""

    def __init__(self, logits: torch.Tensor):
        self.logits = self._param = logits.t().log_softmax(dim=0).t()  # side by side, not row after row
        self._num_events = logits.shape[1]
        Distribution.__init__(self, logits.shape[:1], validate_args=False)

    @cached_property
    def probs(self) -> torch.Tensor:
        """Return the probabilities, [n, A]."""
        return self.logits.exp()

    def log_prob(self, value: torch.Tensor) -> torch.Tensor:
        """Return the log-probabilities [n] of actions [n]."""
        return self.logits.gather(1, value.long()[:, None]).squeeze(1)

    def entropy(self) -> torch.Tensor:
        """Return the entropy of each row, [n]. Logits are finite, so that terms of probability 0 are 0."""
        return -(self.probs * self.logits).sum(dim=1)


def default_distribution(*scores: torch.Tensor) -> Any:  # torch leaves the classes untyped
    """Return a categorical distribution from logits [n, A], or a normal one from means and deviations [n, k]."""
    if len(scores) == 1:
        return RowsOfLogits(scores[0])
    mu, sigma = scores
    return Independent(Normal(mu, sigma, validate_args=False), 1, validate_args=False)


def gives_probabilities(network: nn.Module) -> bool | None:
    """Return whether a network gives probabilities, by its `softmax_output` or `softmax`; None if it has neither.

    Looks through `DataParallelNet`.
    """
    while isinstance(network, DataParallelNet | nn.DataParallel):
        network = network.net if isinstance(network, DataParallelNet) else network.module
    # of anybody's network, at every pass through it: to ask a protocol takes twenty times as long
    declared = getattr(network, "softmax_output", getattr(network, "softmax", None))
    return declared if isinstance(declared, bool) else None


def logits_of(network: nn.Module, scores: torch.Tensor) -> torch.Tensor:
    """Return a network's output for discrete actions [n, A] as logits, taking logarithms of probabilities."""
    return log_of(scores) if gives_probabilities(network) else scores


def log_of(probs: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of probabilities, finite where one is 0; raise `UsageError` for negative ones."""
    if (probs < 0).any():
        raise UsageError(
            "the actor gives numbers below 0, which dist_fn=Categorical takes for probabilities; for an actor of "
            "logits leave dist_fn out, or say dist_fn=lambda logits: Categorical(logits=logits)"
        )
    return probs.clamp(min=torch.finfo(probs.dtype).tiny).log()


def without_illegal(dist: Any, mask: Any) -> Any:
    """Return a categorical distribution with illegal actions removed, by a mask (bool [n, A]) or None for all.

    Raises `UsageError` for a distribution that is not categorical.
    """
    if mask is None:
        return dist
    if not isinstance(dist, Categorical):
        raise UsageError(f"dist_fn gave a {type(dist).__name__}; masks need a Categorical")
    return RowsOfLogits(mask_scores(dist.logits, mask))


def draw(dist: Any, generator: torch.Generator) -> torch.Tensor:
    """Draw actions [n] or [n, k]; with a generator of the CPU they are the same on every device.

    A device's generator draws -1 where probabilities are no numbers, for `require_drawn` where the actions are read: to
    read them here would be to wait for the device. A generator of the CPU raises `DivergedError` at once.

    Samples of normal distributions are reparametrised. Raises `UsageError` for other distributions, for which torch
    samples with its global generator only.
    """
    if isinstance(dist, Categorical):
        probs = dist.probs.detach()
        thresholds = torch.rand(len(probs), generator=generator, dtype=torch.float64, device=generator.device)
        if thresholds.is_cuda:
            return draw_by_tensors(probs, thresholds)
        drawn = torch.from_numpy(draw_rows(probs.numpy(force=True), thresholds.numpy()))
        require_drawn(drawn)
        return drawn.to(probs.device)
    base = dist.base_dist if isinstance(dist, Independent) else dist
    if isinstance(base, Normal):
        noise = torch.randn(base.loc.shape, generator=generator, dtype=base.loc.dtype, device=generator.device)
        return base.loc + base.scale * noise.to(base.loc.device)
    raise UsageError(f"dist_fn gave a {type(base).__name__}; actions are drawn from Categorical or Normal")


@njit(cache=True, nogil=True)
def draw_rows(probs: NDArray[np.floating[Any]], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Draw an index [n] from each row of probabilities [n, A], by inverting the cumulative sum at a share in [0, 1).

    An index of probability 0 is never drawn; a row of zeros gives -1.
    """
    drawn = np.empty(len(probs), np.int64)
    for row in range(len(probs)):
        drawn[row] = draw_of_row(row, probs, thresholds[row])
    return drawn


@njit(cache=True, nogil=True)
def draw_of_row(row: int, probs: NDArray[np.floating[Any]], threshold: float) -> int:
    """Draw an index from a row of probabilities [n, A], as `draw_rows` does."""
    whole = sum_so_far = 0.0
    for entry in range(probs.shape[1]):
        whole += probs[row, entry]
    drawn = -1
    for entry in range(probs.shape[1]):
        if probs[row, entry] > 0.0:
            drawn = entry  # the last one, should rounding leave the sum short of the whole
            sum_so_far += probs[row, entry]
            if sum_so_far > threshold * whole:
                break
    return drawn


def draw_from_logits(logits: torch.Tensor, mask: Any, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw a legal action from each row of logits [n, A], float32 on the CPU; return actions and log-probabilities [n].

    `mask` (bool [n, A]) may be None: all legal. A distribution from which to draw takes ten operations, which cost a
    quarter of what a small network does. Raises `DivergedError` where logits are no numbers.
    """
    thresholds = torch.rand(len(logits), generator=generator, dtype=torch.float64)
    legal = NO_MASK if mask is None else torch.as_tensor(mask, dtype=torch.bool).numpy()
    act, logp = draw_rows_of_logits(logits.numpy(), legal, thresholds.numpy())
    require_drawn(act)
    return torch.from_numpy(act), torch.from_numpy(logp)


@njit(cache=True, nogil=True)
def draw_rows_of_logits(
    logits: NDArray[np.float32], mask: NDArray[np.bool_], thresholds: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Draw an index [n] from each row of logits [n, A], as `draw_rows` does from their probabilities.

    `mask` [n, A] says which may be drawn, or is `NO_MASK`. Returns indices and log-probabilities [n]; -1, and no
    number, for a row with one that is none.
    """
    probs, drawn, logp = np.empty_like(logits), np.empty(len(logits), np.int64), np.empty(len(logits), np.float32)
    for row in range(len(logits)):
        largest, log_total, _ = softmax_of_row(row, logits, mask, probs)
        drawn[row] = draw_of_row(row, probs, thresholds[row])
        logp[row] = logits[row, max(drawn[row], 0)] - largest - log_total
    return drawn, logp


@njit(cache=True, nogil=True)
def softmax_of_row(
    row: int, logits: NDArray[np.float32], mask: NDArray[np.bool_], p: NDArray[np.float32]
) -> tuple[Any, Any, Any]:
    """Write the probabilities of the actions of a row into `p` [n, A], 0 for those that are illegal.

    Returns the largest logit, the logarithm of the sum of the exponentials of all less that, and the entropy.
    """
    largest, total, weighted = np.float32(-np.inf), np.float32(0), np.float32(0)
    for action in range(logits.shape[1]):
        p[row, action] = logits[row, action] if len(mask) == 0 or mask[row, action] else -np.inf
        largest = max(largest, p[row, action])
    for action in range(logits.shape[1]):
        below = p[row, action] - largest
        p[row, action] = np.exp(below)
        total += p[row, action]
        weighted += p[row, action] * below if p[row, action] > 0 else np.float32(0)
    share = np.float32(1) / total
    for action in range(logits.shape[1]):
        p[row, action] *= share
    log_total = np.log(total)
    return largest, log_total, log_total - weighted * share


def draw_by_tensors(probs: torch.Tensor, thresholds: torch.Tensor) -> torch.Tensor:
    """Return what `draw_rows` returns, for tensors on a device."""
    sums = probs.double().cumsum(dim=1)
    whole = sums[:, -1:]
    drawn = (sums <= thresholds[:, None] * whole).sum(dim=1)
    last = (sums < whole).sum(dim=1)  # of those with a chance, should rounding leave the sum short of the whole
    return torch.where(whole[:, 0] > 0, torch.minimum(drawn, last), -1)


def log_probability(dist: Any, act: torch.Tensor) -> torch.Tensor:
    """Return the log-probabilities of whole actions, [n]; raise `UsageError` for one that is given per entry."""
    logp: torch.Tensor = dist.log_prob(act)
    if logp.ndim != 1:
        raise UsageError(
            f"dist_fn gives log-probabilities of shape {tuple(logp.shape)} for {len(act)} actions, not one each: "
            "lambda mu, sigma: Independent(Normal(mu, sigma), 1)"
        )
    return logp


def expectation(probs: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return the mean [n] of values [n, A] under probabilities [n, A]; entries of probability 0 add 0."""
    return (probs * values.masked_fill(probs == 0, 0.0)).sum(dim=1)


def log_tanh_slope(x: torch.Tensor) -> torch.Tensor:
    """Return log(1 - tanh(x)^2), exact where tanh(x) rounds to 1.

    Subtracted from the log-probability of x, summed over an action, it gives that of tanh(x) (Haarnoja et al. 2018,
    arXiv 1801.01290, appendix C).
    """
    return 2.0 * (np.log(2.0) - x - softplus(-2.0 * x))
