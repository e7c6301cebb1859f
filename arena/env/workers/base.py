"""`EnvWorker`: the holder of one environment."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

StepResult = tuple[Any, Any, Any, Any, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""
ResetResult = tuple[Any, dict[str, Any]]
"""Observation, info."""


class EnvWorker(ABC):
    """Holds one environment and does with it what it is told.

    What may take long has two halves, so that many workers can be at it at once: `send_action` and `get_result`,
    `send_reset` and `get_reset`, `send_check` and `get_check`, `send_call` and `get_call`. What is sent goes out with
    `flush`, or when its result is asked for.
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
        """Let what was sent go out now, to where workers that share a process collect it."""

    def await_start(self) -> None:  # noqa: B027  # an environment in this process has been made by now
        """Wait until the environment has been made; raises what stopped it."""

    @abstractmethod
    def get_env_attr(self, key: str) -> Any:
        """The environment's attribute `key`; `AttributeError` if it has none."""

    @abstractmethod
    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the environment's attribute `key`."""

    @abstractmethod
    def send_reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a reset; a seed from `seed()` is used where none is given. A step under way is dropped."""

    @abstractmethod
    def get_reset(self) -> ResetResult:
        """The result of the reset that was begun."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> ResetResult:
        """A whole reset; returns observation and info."""
        self.send_reset(seed, options)
        return self.get_reset()

    def send_check(self, action: Any) -> None:  # noqa: B027  # most environments say nothing before they step
        """Ask what the environment has against an action, before it is sent."""

    def get_check(self) -> None:  # noqa: B027
        """Raise what the environment has against the action asked about."""

    @abstractmethod
    def send_action(self, action: Any) -> None:
        """Begin a step."""

    @abstractmethod
    def get_result(self) -> StepResult:
        """The result of the step that was begun; raises what the environment raised."""

    def step(self, action: Any) -> StepResult:
        """A whole step."""
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
        """Return the `workers` whose step is over, waiting for `wait_num` of them or `timeout` seconds; at least one.

        One that has failed counts as over: its `get_result` raises.
        """

    @abstractmethod
    def restart(self) -> None:
        """Make the environment anew after it has failed, its process too if that is lost; it has to be reset."""

    @abstractmethod
    def seed(self, seed: int | None) -> None:
        """Use `seed` at the next reset."""

    @abstractmethod
    def render(self) -> Any:
        """Render the environment."""

    def begin_close(self) -> None:  # noqa: B027  # most close at once
        """Let the environment begin to close, where that takes time."""

    @abstractmethod
    def close_env(self) -> None:
        """Close the environment."""

    def close(self) -> None:
        """Close once."""
        if not self.is_closed:
            self.is_closed = True
            self.begin_close()
            self.close_env()
