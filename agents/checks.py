"""What constructors of policies refuse: numbers out of range, spaces and networks that they cannot handle."""

from typing import Any

import gymnasium as gym
from torch import nn

from arena.errors import UsageError


def require_between(low: float, high: float, **options: float) -> None:
    """`UsageError` unless each of these options lies from `low` to `high`."""
    for name, value in options.items():
        if not low <= value <= high:
            raise UsageError(f"{name}={value} does not lie between {low} and {high}")


def require_above(low: float, **options: float | None) -> None:
    """`UsageError` unless each of these options that is given lies above `low`."""
    for name, value in options.items():
        if value is not None and not value > low:
            raise UsageError(f"{name}={value} is not above {low}")


def require_at_least(low: float, **options: float | None) -> None:
    """`UsageError` unless each of these options that is given is at least `low`."""
    for name, value in options.items():
        if value is not None and not value >= low:
            raise UsageError(f"{name}={value} is not at least {low}")


def require_discrete(policy: object, action_space: gym.Space[Any] | None) -> None:
    """`UsageError` unless the actions are numbered from 0, or not told."""
    if action_space is None or (isinstance(action_space, gym.spaces.Discrete) and action_space.start == 0):
        return
    raise UsageError(f"{type(policy).__name__} takes numbered actions, Discrete(n), not action_space={action_space}")


def require_continuous(policy: object, action_space: gym.Space[Any] | None) -> None:
    """`UsageError` unless an action is a row of numbers, or not told."""
    if action_space is None or (isinstance(action_space, gym.spaces.Box) and len(action_space.shape) == 1):
        return
    raise UsageError(
        f"{type(policy).__name__} takes rows of numbers, Box of shape (k,), not action_space={action_space}"
    )


def require_fitting_scores(action_space: gym.Space[Any] | None, scores: Any, mask: Any = None) -> None:
    """`UsageError` unless an actor's scores are for the actions of a space and of masks, where these are told.

    Scores are logits [n, A], or a pair of means and deviations [n, k].
    """
    continuous = isinstance(scores, tuple)
    size = (scores[0] if continuous else scores).shape[-1]
    if isinstance(action_space, gym.spaces.Box):
        fits = continuous and action_space.shape == (size,)
    else:
        fits = action_space is None or (not continuous and size == getattr(action_space, "n", size))
    if not fits:
        found = f"means and deviations of {size} numbers" if continuous else f"{size} logits"
        raise UsageError(f"the actor gives {found}, which do not fit action_space={action_space}")
    if mask is not None and mask.shape[-1] != size:
        raise UsageError(f"the actor gives {size} logits for {mask.shape[-1]} actions")


def require_logits(network: nn.Module) -> None:
    """`UsageError` for a network that ends in a softmax: masks are applied to logits."""
    if getattr(network, "softmax_output", False):
        raise UsageError("the actor has to give logits, not probabilities: Actor(..., softmax_output=False)")
    if getattr(network, "softmax", False):
        raise UsageError("the network has to give logits, not probabilities: Net(..., softmax=False)")


def require_raw_rewards(reward_normalization: bool) -> None:
    """`UsageError` where n-step targets are asked for normalised rewards, which they are not defined for."""
    if reward_normalization:
        raise UsageError("reward normalisation is not defined for n-step targets; leave it at False")
