"""`EnvWorker`: the holder of one environment."""

from abc import ABC, abstractmethod
from typing import Any

StepResult = tuple[Any, Any, Any, Any, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""


class EnvWorker(ABC):
    """Holds one environment and does with it what it is told."""

    def __init__(self) -> None:
        self.is_closed = False

    @abstractmethod
    def get_env_attr(self, key: str) -> Any:
        """The environment's attribute `key`; `AttributeError` if it has none."""

    @abstractmethod
    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the environment's attribute `key`."""

    @abstractmethod
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset; a seed from `seed()` is used where none is given. Returns observation and info."""

    def check_action(self, action: Any) -> None:  # noqa: B027  # most environments say nothing before they step
        """Raise what the environment has against an action, before it is sent."""

    @abstractmethod
    def send_action(self, action: Any) -> None:
        """Begin a step."""

    @abstractmethod
    def get_result(self) -> StepResult:
        """The result of the step that was begun."""

    def step(self, action: Any) -> StepResult:
        """A whole step."""
        self.send_action(action)
        return self.get_result()

    @abstractmethod
    def seed(self, seed: int | None) -> None:
        """Use `seed` at the next reset."""

    @abstractmethod
    def render(self) -> Any:
        """Render the environment."""

    @abstractmethod
    def close_env(self) -> None:
        """Close the environment."""

    def close(self) -> None:
        """Close once."""
        if not self.is_closed:
            self.is_closed = True
            self.close_env()
