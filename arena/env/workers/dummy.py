"""`DummyEnvWorker`: an environment in this process."""

from collections.abc import Callable
from typing import Any

from arena.env.workers.base import EnvWorker, StepResult


class DummyEnvWorker(EnvWorker):
    """Makes an environment and steps it as soon as an action is sent."""

    def __init__(self, env_fn: Callable[[], Any]):
        super().__init__()
        self.env = env_fn()
        self._seed: int | None = None
        self._result: StepResult

    def get_env_attr(self, key: str) -> Any:
        """The environment's attribute."""
        get = getattr(self.env, "get_wrapper_attr", None)  # Gymnasium's wrappers do not forward attributes themselves
        return get(key) if get is not None else getattr(self.env, key)

    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the attribute on the innermost environment, as Gymnasium's wrappers do."""
        setattr(self.env.unwrapped, key, value)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset the environment."""
        seed, self._seed = (self._seed if seed is None else seed), None
        obs, info = self.env.reset(seed=seed, options=options)
        return obs, info

    def check_action(self, action: Any) -> None:
        """Ask an environment that has a `check_action` of its own."""
        check = getattr(self.env, "check_action", None)
        if check is not None:
            check(action)

    def send_action(self, action: Any) -> None:
        """Step at once."""
        self._result = self.env.step(action)

    def get_result(self) -> StepResult:
        """The step's result."""
        return self._result

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
