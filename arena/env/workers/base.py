"""`EnvWorker`: the interface to one environment."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

StepResult = tuple[Any, Any, Any, Any, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""
ResetResult = tuple[Any, dict[str, Any]]
"""Observation, info."""


class EnvWorker(ABC):
    """Runs one environment; abstract.

    Operations that may take long are split in two, so that many workers can run at once: `send_action` and
    `get_result`, `send_reset` and `get_reset`, `send_check` and `get_check`, `send_call` and `get_call`. Requests are
    sent by `flush`, or when their result is requested.
    """

    def __init__(self) -> None:
        self.is_closed = False
        self.name = "the environment"
        """Label of the environment in errors; a vector environment numbers its own."""

    @property
    def checks_actions(self) -> bool:
        """True if the environment has a `check_action` of its own, to be called before it steps."""
        return False

    def flush(self) -> None:  # noqa: B027  # an environment in this process does at once what it is told
        """Send the collected requests; workers that share a process send them in one message."""

    def await_start(self) -> None:  # noqa: B027  # an environment in this process has been made by now
        """Wait until the environment has been made; raise the error that prevented it."""

    @abstractmethod
    def get_env_attr(self, key: str) -> Any:
        """Return the environment's attribute `key`; `AttributeError` if it has none."""

    @abstractmethod
    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the environment's attribute `key`."""

    @abstractmethod
    def send_reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a reset; without a seed, that of `seed()` is used. An unfinished step is dropped."""

    @abstractmethod
    def get_reset(self) -> ResetResult:
        """Return the result of the reset."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> ResetResult:
        """Reset the environment; return observation and info."""
        self.send_reset(seed, options)
        return self.get_reset()

    def send_check(self, action: Any) -> None:  # noqa: B027  # most environments say nothing before they step
        """Begin the check of an action, before it is sent."""

    def get_check(self) -> None:  # noqa: B027
        """Raise the error of the checked action, if there is one."""

    @abstractmethod
    def send_action(self, action: Any) -> None:
        """Begin a step."""

    @abstractmethod
    def get_result(self) -> StepResult:
        """Return the result of the step; raise the environment's error if it failed."""

    def step(self, action: Any) -> StepResult:
        """Take a step and return its result."""
        self.send_action(action)
        return self.get_result()

    @abstractmethod
    def send_call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Begin a call of the environment's method `name`."""

    @abstractmethod
    def get_call(self) -> Any:
        """Return the result of the method, or the attribute `name` itself if it cannot be called."""

    @staticmethod
    @abstractmethod
    def wait(workers: Sequence[Any], wait_num: int, timeout: float | None = None) -> list[Any]:
        """Return the `workers` whose step is over, at least one; wait for `wait_num` of them or `timeout` seconds.

        One that has failed counts as over: its `get_result` raises.
        """

    @abstractmethod
    def restart(self) -> None:
        """Replace a failed environment, and its process if that is lost; the new one must be reset."""

    @abstractmethod
    def seed(self, seed: int | None) -> None:
        """Use `seed` at the next reset."""

    @abstractmethod
    def render(self) -> Any:
        """Render the environment."""

    def begin_close(self) -> None:  # noqa: B027  # most close at once
        """Begin to close the environment, if that takes time."""

    @abstractmethod
    def close_env(self) -> None:
        """Close the environment."""

    def close(self) -> None:
        """Close the environment; idempotent."""
        if not self.is_closed:
            self.is_closed = True
            self.begin_close()
            self.close_env()
