"""PPO's loss and its gradient by the output of a network of discrete actions, in one pass over a minibatch."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.configs.on_policy import PPOConfig
from agents.learning.checks import action_without_output, fits_kernel
from agents.learning.distributions import NO_MASK, softmax_of_row
from agents.learning.stochastic import Minibatch
from arena.base.errors import UsageError
from games.engine.entries import unowned
from games.engine.jit import njit

Floats = NDArray[np.float32]
FIGURES = "loss", "loss/clip", "loss/vf", "loss/ent", "entropy", "kl", "clip_fraction"
"""Figures of a loss, in the order of the kernel's answer."""


class LossOptions(NamedTuple):
    """Options of the loss, as compiled code takes them."""

    eps_clip: float
    dual_clip: float
    """0 for none."""
    value_clip: bool
    normalizes_advantages: bool
    vf_coef: float
    ent_coef: float

    @classmethod
    def of(cls, config: PPOConfig) -> "LossOptions":
        """Return the options of a config."""
        clips = float(config.eps_clip), float(config.dual_clip or 0), config.value_clip
        return cls(*clips, config.advantage_normalization, float(config.vf_coef), float(config.ent_coef))


class LossRows(NamedTuple):
    """The rows of a minibatch that the loss looks at, each [n]; `mask` [n, A], or `NO_MASK`."""

    act: NDArray[np.int64]
    logp_old: Floats
    adv: Floats
    v_s: Floats
    returns: Floats
    mask: NDArray[np.bool_]


def has_kernel(scores: torch.Tensor, value: torch.Tensor) -> bool:
    """Return whether `loss_and_gradients` takes these outputs of a network: [n, A] and [n], float32, on the CPU."""
    alike = (value.device, value.dtype) == (scores.device, scores.dtype)
    return fits_kernel(scores) and value.shape == scores.shape[:1] and alike


def loss_and_gradients(
    scores: torch.Tensor, value: torch.Tensor, part: Minibatch, options: LossOptions
) -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
    """Return `FIGURES` of the loss of a minibatch, and its gradients by logits [n, A] and values [n].

    Autograd takes some forty operations, and as many on its way back, which cost more than the network of a usual
    minibatch.

    Raises `UsageError` for an action that has no logit, or other numbers of rows.
    """
    mask = part["mask"].numpy() if "mask" in part else NO_MASK
    rows = LossRows._make([*(part[name].numpy() for name in LossRows._fields[:-1]), mask])
    if any(len(column) != len(scores) for column in rows[:-1]):
        raise UsageError(f"the network gives {len(scores)} rows of logits for {len(rows.act)} transitions")
    outputs = scores.detach().contiguous(), value.detach().contiguous()
    gradients = [torch.empty_like(output) for output in outputs]
    arrays = (tensor.numpy() for tensor in (*outputs, *gradients))
    figures = torch.from_numpy(write_gradients(*arrays, rows, options))
    if not len(figures):
        raise action_without_output(f"the actor gives {scores.shape[1]} logits", rows.act, scores.shape[1])
    return dict(zip(FIGURES, figures.unbind(), strict=True)), gradients


@njit(cache=True, nogil=True)
def write_gradients(
    scores: Floats, value: Floats, by_scores: Floats, by_value: Floats, rows: LossRows, options: LossOptions
) -> Floats:
    """Write the gradients of the loss by logits [n, A] and values [n].

    Returns `FIGURES`, or nothing at all if an action has no logit.
    """
    n, rows = len(value), unowned(rows)
    normalizes = options.normalizes_advantages and n > 1
    mean, unit = _mean_and_unit(rows.adv) if normalizes else (0.0, 1.0)
    surrogates = errors = entropies = divergences = outside = 0.0
    for row in range(n):
        act = rows.act[row]
        if not 0 <= act < scores.shape[1]:
            return np.empty(0, np.float32)
        largest, log_total, entropy = softmax_of_row(row, scores, rows.mask, by_scores)
        log_ratio = np.float64(scores[row, act] - largest - log_total - rows.logp_old[row])
        ratio = np.exp(log_ratio)
        surrogate, slope = _surrogate(ratio, (rows.adv[row] - mean) / unit, options)
        error, by_value[row] = _value_error(value[row], rows.v_s[row], rows.returns[row], n, options)
        by_chance, by_entropy = np.float32(slope * ratio / n), np.float32(options.ent_coef / n)
        for action in range(scores.shape[1]):  # of the loss, by the logits
            log_p = scores[row, action] - largest - log_total if by_scores[row, action] > 0 else np.float32(0)
            by_scores[row, action] *= by_entropy * (log_p + entropy) + by_chance
        by_scores[row, act] -= by_chance
        entropies += entropy
        surrogates += surrogate
        errors += error
        divergences += ratio - 1 - log_ratio
        outside += abs(ratio - 1) > options.eps_clip
    clip_loss, value_loss, entropy = -surrogates / n, errors / n, entropies / n
    loss = clip_loss + options.vf_coef * value_loss - options.ent_coef * entropy  # arXiv 1707.06347, eq. 9
    figures = np.array((loss, clip_loss, value_loss, entropy, entropy, divergences / n, outside / n))
    return figures.astype(np.float32)


@njit(cache=True, nogil=True)
def _mean_and_unit(adv: Floats) -> tuple[float, float]:
    """Return the mean of advantages, and their standard deviation, away from 0."""
    mean = 0.0
    for each in adv:
        mean += each
    mean /= len(adv)
    squares = 0.0
    for each in adv:
        squares += (each - mean) ** 2
    return mean, np.sqrt(squares / (len(adv) - 1)) + 1e-8


@njit(cache=True, nogil=True)
def _surrogate(ratio: float, advantage: float, options: LossOptions) -> tuple[float, float]:
    """Return the clipped surrogate of a row (arXiv 1707.06347, eq. 7), and its slope by the ratio."""
    surrogate, slope = ratio * advantage, advantage
    clipped = min(max(ratio, 1 - options.eps_clip), 1 + options.eps_clip) * advantage
    if clipped < surrogate:
        surrogate, slope = clipped, 0.0
    bound = options.dual_clip * advantage  # arXiv 1912.09729, eq. 5
    if options.dual_clip > 0 and advantage < 0 and surrogate < bound:
        surrogate, slope = bound, 0.0
    return surrogate, slope


@njit(cache=True, nogil=True)
def _value_error(value: float, old_value: float, target: float, n: int, options: LossOptions) -> tuple[float, float]:
    """Return the squared error of a row's value, and the gradient of the loss by that value."""
    error, slope = (value - target) ** 2, 2 * (value - target)
    if options.value_clip:
        clipped = old_value + min(max(value - old_value, -options.eps_clip), options.eps_clip)
        if (clipped - target) ** 2 > error:
            inside = abs(value - old_value) <= options.eps_clip
            error, slope = (clipped - target) ** 2, 2 * (clipped - target) * inside
    return error, options.vf_coef * slope / n
