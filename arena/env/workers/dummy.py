"""`DummyEnvWorker`: an environment in this process."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.env.workers.base import EnvWorker, ResetResult, StepResult


class DummyEnvWorker(EnvWorker):
    """Makes an environment and does at once what it is told."""

    def __init__(self, env_fn: Callable[[], Any]):
        super().__init__()
        self.env = env_fn()
        self._seed: int | None = None
        self._reset_result: ResetResult
        self._objection: Exception | None = None
        self._result: StepResult | Exception

    def get_env_attr(self, key: str) -> Any:
        """The environment's attribute."""
        get = getattr(self.env, "get_wrapper_attr", None)  # Gymnasium's wrappers do not forward attributes themselves
        return get(key) if get is not None else getattr(self.env, key)

    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the attribute on the innermost environment, as Gymnasium's wrappers do."""
        setattr(self.env.unwrapped, key, value)

    def send_reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Reset the environment at once."""
        seed, self._seed = (self._seed if seed is None else seed), None
        obs, info = self.env.reset(seed=seed, options=options)
        self._reset_result = obs, info

    def get_reset(self) -> ResetResult:
        """The reset's result."""
        return self._reset_result

    @property
    def checks_actions(self) -> bool:
        """Whether the environment has a `check_action` of its own."""
        return hasattr(self.env, "check_action")

    def send_check(self, action: Any) -> None:
        """Ask an environment that has a `check_action` of its own."""
        self._objection = None
        if self.checks_actions:
            try:
                self.env.check_action(action)
            except Exception as error:
                self._objection = error

    def get_check(self) -> None:
        """Raise what it said."""
        if self._objection is not None:
            raise self._objection

    def send_action(self, action: Any) -> None:
        """Step at once; what the environment raises is kept for `get_result`, as in a worker elsewhere."""
        try:
            self._result = self.env.step(action)
        except Exception as error:
            self._result = error

    def get_result(self) -> StepResult:
        """The step's result."""
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

    @staticmethod
    def wait(
        workers: Sequence["DummyEnvWorker"], wait_num: int, timeout: float | None = None
    ) -> list["DummyEnvWorker"]:
        """All of them: their steps were over as soon as they began."""
        return list(workers)

    def seed(self, seed: int | None) -> None:
        """Use the seed at the next reset; the action space is seeded now."""
        self._seed = seed
        if seed is not None:
            self.env.action_space.seed(seed)

    def render(self) -> Any:
        """Render the environment."""
        return self.env.render()

    def close_env(self) -> None:
        """Close the environment."""
        self.env.close()
