"""Distributions over actions: made from scores, drawn from with a generator of one's own, squashed into bounds."""

from functools import cached_property
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch.distributions import Categorical, Distribution, Independent, Normal
from torch.nn.functional import softplus

from arena.errors import UsageError


class RowsOfLogits(Categorical):
    """A `Categorical` over logits [n, A], in fewer and faster steps than torch's own: rows are short, and many."""

    def __init__(self, logits: torch.Tensor):
        self.logits = self._param = logits.t().log_softmax(dim=0).t()  # side by side, not row after row
        self._num_events = logits.shape[1]
        Distribution.__init__(self, logits.shape[:1], validate_args=False)

    @cached_property
    def probs(self) -> torch.Tensor:
        """Probabilities, [n, A]."""
        return self.logits.exp()

    def log_prob(self, value: torch.Tensor) -> torch.Tensor:
        """Of actions [n]: [n]."""
        return self.logits.gather(1, value.long()[:, None]).squeeze(1)

    def entropy(self) -> torch.Tensor:
        """Of each row, [n]; logits are finite, so that what has no probability adds nothing."""
        return -(self.probs * self.logits).sum(dim=1)


def default_distribution(*scores: torch.Tensor) -> Any:  # torch leaves the classes untyped
    """Over numbered actions from logits [n, A]; over rows of k numbers from means and deviations [n, k]."""
    if len(scores) == 1:
        return RowsOfLogits(scores[0])
    mu, sigma = scores
    return Independent(Normal(mu, sigma, validate_args=False), 1, validate_args=False)


def draw(dist: Any, generator: torch.Generator) -> torch.Tensor:
    """Actions, [n] or [n, k], from a generator on the CPU: the same ones on every device.

    The gradient of normal ones reaches mean and deviation. `UsageError` for other distributions than categorical and
    normal ones: torch draws from those with its global generator alone.
    """
    if isinstance(dist, Categorical):
        probs = dist.probs.detach()
        thresholds = torch.rand(len(probs), generator=generator, dtype=torch.float64)
        drawn = draw_rows(probs.numpy(force=True), thresholds.numpy())
        if drawn.min(initial=0) < 0:
            raise UsageError("the network's scores are not numbers (NaN): no action can be drawn")
        return torch.from_numpy(drawn).to(probs.device)
    base = dist.base_dist if isinstance(dist, Independent) else dist
    if isinstance(base, Normal):
        noise = torch.randn(base.loc.shape, generator=generator, dtype=base.loc.dtype)
        return base.loc + base.scale * noise.to(base.loc.device)
    raise UsageError(f"dist_fn gave a {type(base).__name__}; actions are drawn from Categorical or Normal")


@njit(cache=True, nogil=True)
def draw_rows(probs: NDArray[np.floating[Any]], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of each row of probabilities [n, A] an entry [n]: where their sum passes a part, in [0, 1), of the whole.

    An entry of probability 0 is never drawn; of a row without any other, the entry is -1.
    """
    drawn = np.full(len(probs), -1)
    for row in range(len(probs)):
        whole = 0.0
        for p in probs[row]:
            whole += p
        sum_so_far = 0.0
        for entry in range(probs.shape[1]):
            if probs[row, entry] > 0.0:
                drawn[row] = entry  # the last one, should rounding leave the sum short of the whole
                sum_so_far += probs[row, entry]
                if sum_so_far > thresholds[row] * whole:
                    break
    return drawn


def log_probability(dist: Any, act: torch.Tensor) -> torch.Tensor:
    """Of whole actions, [n]; `UsageError` for a distribution that counts the numbers of an action one by one."""
    logp: torch.Tensor = dist.log_prob(act)
    if logp.ndim != 1:
        raise UsageError(
            f"dist_fn gives log-probabilities of shape {tuple(logp.shape)} for {len(act)} actions, not one each: "
            "lambda mu, sigma: Independent(Normal(mu, sigma), 1)"
        )
    return logp


def expectation(probs: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The mean [n] of values [n, A] under probabilities [n, A]; what cannot happen counts for nothing."""
    return (probs * values.masked_fill(probs == 0, 0.0)).sum(dim=1)


def log_tanh_slope(x: torch.Tensor) -> torch.Tensor:
    """log(1 - tanh(x)^2), exact where tanh(x) rounds to 1.

    To be subtracted, summed over an action, from the log-probability of x for that of tanh(x) (Haarnoja et al. 2018,
    arXiv 1801.01290, appendix C).
    """
    return 2.0 * (np.log(2.0) - x - softplus(-2.0 * x))
