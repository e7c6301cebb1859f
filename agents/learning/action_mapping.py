"""The spaces of a policy, and how its continuous actions are brought into theirs."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import gymnasium as gym

from arena.base.errors import UsageError

Method = Literal["clip", "tanh", ""]


@dataclass(frozen=True)
class ActionMapping:
    """The spaces of a policy, and how its actions are mapped to theirs."""

    action_scaling: bool
    """Map continuous actions from [-1, 1] to the bounds of a Box `action_space`."""
    action_bound_method: Method
    """How continuous actions are brought into [-1, 1]: "clip", "tanh", or "" for not at all."""
    action_space: gym.Space[Any] | None
    """As in `BasePolicy`."""
    observation_space: gym.Space[Any] | None
    """As in `BasePolicy`."""

    def __post_init__(self) -> None:
        if self.action_bound_method not in get_args(Method):
            raise UsageError(f"action_bound_method={self.action_bound_method!r} is not 'clip', 'tanh' or ''")

    @property
    def of_policy(self) -> tuple[gym.Space[Any] | None, gym.Space[Any] | None, bool, Method]:
        """Return the arguments of `BasePolicy`; only actions of a Box are scaled and bounded."""
        if isinstance(self.action_space, gym.spaces.Box):
            return self.observation_space, self.action_space, self.action_scaling, self.action_bound_method
        return self.observation_space, self.action_space, False, ""
