"""`DummyEnvWorker`: an environment in this process."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from arena.base.errors import UsageError
from arena.env.adapting import adapted
from arena.env.foreign import attribute, has
from arena.env.workers.base import EnvWorker, ResetResult, StepResult

OLDER_FORMS = "one of several agents in turns, of either form, is given as MultiAgentEnv(env)"


@dataclass(frozen=True, slots=True)
class _Failed:
    error: Exception


class DummyEnvWorker(EnvWorker):
    """Runs an environment in this process, adapted if it has several agents (`adapted`)."""

    def __init__(self, env_fn: Callable[[], Any]):
        super().__init__()
        self._env_fn = env_fn
        self._make()
        self._seed: int | None = None
        self._reset: Any = None  # what came of the last thing of each kind, or `_Failed`
        self._check: Any = None
        self._step: Any = None
        self._call: Any = None

    def _make(self) -> None:
        self.env = adapted(self._env_fn())
        self._checks_actions = has(self.env, "check_action")

    @property
    def checks_actions(self) -> bool:
        """True if the environment has a method `check_action`."""
        return self._checks_actions

    def get_env_attr(self, key: str) -> Any:
        """Return an attribute of the environment."""
        return attribute(self.env, key)

    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the attribute on the innermost environment, as Gymnasium's wrappers do."""
        setattr(self.env.unwrapped, key, value)

    def send_reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Reset the environment at once."""
        seed, self._seed = (self._seed if seed is None else seed), None
        self._reset = _attempt(self.env.reset, seed=seed, options=options)

    def get_reset(self) -> ResetResult:
        """Return the result of the reset."""
        result: ResetResult = _outcome(self._reset)
        if type(result) is not tuple or len(result) != 2:
            raise UsageError(
                f"a reset returns an observation and an info, not a {type(result).__name__}; {OLDER_FORMS}"
            )
        return result

    def send_check(self, action: Any) -> None:
        """Check the action, if the environment has a method `check_action`."""
        self._check = _attempt(self.env.check_action, action) if self.checks_actions else None

    def get_check(self) -> None:
        """Raise the error of the check, if there is one."""
        _outcome(self._check)

    def send_action(self, action: Any) -> None:
        """Step at once; an error is kept for `get_result`, as in workers of other processes."""
        try:  # as `_attempt` does, but this is where the time goes
            self._step = self.env.step(action)
        except Exception as error:
            self._step = _Failed(error)

    def get_result(self) -> StepResult:
        """Return the result of the step."""
        result: StepResult = self._step if type(self._step) is tuple else _outcome(self._step)
        if len(result) != 5:
            raise UsageError(f"a step returns five values, the ends being two, not {len(result)}; {OLDER_FORMS}")
        return result

    def send_call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Call the method at once."""
        self._call = _attempt(self._called, name, args, kwargs)

    def _called(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        attribute = self.get_env_attr(name)
        return attribute(*args, **kwargs) if callable(attribute) else attribute

    def get_call(self) -> Any:
        """Return the result."""
        return _outcome(self._call)

    @staticmethod
    def wait(
        workers: Sequence["DummyEnvWorker"], wait_num: int, timeout: float | None = None
    ) -> list["DummyEnvWorker"]:
        """Return all of them: their steps are over already."""
        return list(workers)

    def restart(self) -> None:
        """Replace the environment; try to close the failed one."""
        with suppress(Exception):
            self.env.close()
        self._make()

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


def _attempt(work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return work(*args, **kwargs)
    except Exception as error:
        return _Failed(error)


def _outcome(result: Any) -> Any:
    if type(result) is _Failed:
        raise result.error
    return result
