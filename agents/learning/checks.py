"""Checks of the arguments of policies: numbers, spaces and networks."""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray

from arena.base.errors import UsageError


def require_discrete(policy: object, action_space: gym.Space[Any] | None) -> None:
    """Raise `UsageError` unless the action space is Discrete from 0, or None."""
    if action_space is None or (isinstance(action_space, gym.spaces.Discrete) and action_space.start == 0):
        return
    raise UsageError(f"{type(policy).__name__} needs discrete actions, Discrete(n), not action_space={action_space}")


def require_continuous(policy: object, action_space: gym.Space[Any] | None) -> None:
    """Raise `UsageError` unless the action space is a Box of one axis, or None."""
    if action_space is None or (isinstance(action_space, gym.spaces.Box) and len(action_space.shape) == 1):
        return
    raise UsageError(
        f"{type(policy).__name__} needs continuous actions, Box of shape (k,), not action_space={action_space}"
    )


def require_flat(policy: object, action_space: gym.Space[Any] | None) -> None:
    """Raise `UsageError` unless the action space is Discrete from 0, a Box of one axis, or None."""
    check = require_continuous if isinstance(action_space, gym.spaces.Box) else require_discrete
    check(policy, action_space)


def fits_kernel(output: torch.Tensor) -> bool:
    """Return whether compiled code takes an output of a network: [n, A], float32, on the CPU."""
    return output.ndim == 2 and output.dtype == torch.float32 and output.device.type == "cpu"


def action_without_output(given: str, act: NDArray[np.int64], size: int) -> UsageError:
    """Return the error of a network that is `given` to have so many outputs, for actions [n] that need others."""
    [action, *_] = act[(act < 0) | (act >= size)]
    return UsageError(f"{given}, of which none is for action {action}")


def require_fitting_scores(action_space: gym.Space[Any] | None, scores: Any, mask: Any = None) -> None:
    """Raise `UsageError` unless an actor's scores fit the action space and the mask, where these are given.

    Scores are logits or probabilities [n, A], or a pair of means and deviations [n, k].
    """
    continuous = isinstance(scores, tuple)
    size = (scores[0] if continuous else scores).shape[-1]
    if isinstance(action_space, gym.spaces.Box):
        fits = continuous and action_space.shape == (size,)
    else:
        wanted = action_space.n if isinstance(action_space, gym.spaces.Discrete) else size
        fits = action_space is None or (not continuous and size == wanted)
    if not fits:
        scores_text = f"means and deviations of {size} numbers" if continuous else f"{size} logits"
        raise UsageError(f"the actor gives {scores_text}, which do not fit action_space={action_space}")
    if mask is not None and mask.shape[-1] != size:
        raise UsageError(f"the actor gives {size} logits for {mask.shape[-1]} actions")


def require_raw_rewards(reward_normalization: bool) -> None:
    """Raise `UsageError` for reward normalisation, which is not defined for n-step targets."""
    if reward_normalization:
        raise UsageError("reward normalisation is not defined for n-step targets; leave it at False")
