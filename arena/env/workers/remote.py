"""`RemoteEnvWorker`: an environment in a host process."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.base.errors import UsageError
from arena.env.workers.base import EnvWorker, ResetResult, StepResult
from arena.env.workers.errors import WorkerError
from arena.env.workers.link import PENDING, Link, Lost, Ticket
from arena.processes.child import CLOSING_S
from arena.processes.messages import Raised


class RemoteEnvWorker(EnvWorker):
    """One of the environments at the other end of a link.

    Closing it closes the host with all its environments.
    """

    def __init__(self, env_fn: Callable[[], Any], link: Link):
        super().__init__()
        self._link = link
        self._slot = link.add(env_fn)
        self._generation = 1  # the generation of the host in which the episode began
        self._reset = self._step = self._check = self._call = Ticket(self._slot, None)

    def flush(self) -> None:
        """Send the requests of all workers of the link."""
        self._link.flush()

    def await_start(self) -> None:
        """Wait for the host to make the environment."""
        self._link.flush()
        self._value(self._link.made[self._slot])

    @property
    def checks_actions(self) -> bool:
        """True if the environment has a method `check_action`."""
        return bool(self._link.made[self._slot].answer)

    def get_env_attr(self, key: str) -> Any:
        """Return an attribute of the environment."""
        ticket = self._post("get_env_attr", key)
        answer = self._link.answer(ticket, self.name)
        if isinstance(answer, Raised) and isinstance(answer.error, AttributeError):
            raise answer.error
        return self._value(ticket)

    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the attribute on the innermost environment."""
        self._value(self._post("set_env_attr", key, value))

    def send_reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a reset; an unfinished step is awaited and dropped."""
        self._reset = self._post("reset", seed, options)
        self._generation = self._link.generation

    def get_reset(self) -> ResetResult:
        """Return the result of the reset."""
        obs, info = self._value(self._reset)
        return obs, info

    def send_check(self, action: Any) -> None:
        """Check the action, if the environment has a method `check_action`."""
        self._check = self._post("check", action) if self.checks_actions else Ticket(self._slot, None)

    def get_check(self) -> None:
        """Raise the error of the check, if there is one."""
        self._value(self._check)

    def send_action(self, action: Any) -> None:
        """Begin a step."""
        if self._generation == self._link.generation:
            self._step = self._post("step", action)
        else:
            self._step = Ticket(self._slot, Lost("its host was replaced"))

    def get_result(self) -> StepResult:
        """Return the result of the step."""
        result: StepResult = self._value(self._step)
        return result

    def send_call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Begin a call of a method."""
        self._call = self._post("call", name, args, kwargs)

    def get_call(self) -> Any:
        """Return its result."""
        return self._value(self._call)

    @staticmethod
    def wait(workers: Sequence[Any], wait_num: int, timeout: float | None = None) -> list[Any]:
        """Return at most `wait_num` workers whose step is over or failed, those that have waited longest first."""
        for worker in workers:
            worker.flush()
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            over = [worker for worker in workers if worker._is_over()]
            now = time.monotonic()
            if len(over) >= min(wait_num, len(workers)) or (over and ends is not None and now >= ends):
                return sorted(over, key=lambda worker: worker._step.sent_at)[:wait_num]
            links = list({worker._link for worker in workers if worker._step.answer is PENDING})
            until = [link.deadline for link in links if link.deadline is not None]
            until += [ends] if ends is not None and now < ends else []  # once it is past, any one will do
            for link in links[0].select(links, max(0.0, min(until) - now) if until else None):
                link.receive()

    def _is_over(self) -> bool:
        """Return whether `get_result` returns or raises at once."""
        return self._step.answer is not PENDING or self._link.hangs

    def restart(self) -> None:
        """Replace the environment; a host that is lost or hangs is replaced with all its environments."""
        if self._link.is_lost or self._link.hangs:
            self._link.restart()
            self.await_start()
        elif self._generation == self._link.generation:
            self._value(self._post("restart"))

    def seed(self, seed: int | None) -> None:
        """Use the seed at the next reset; the action space is seeded now."""
        self._value(self._post("seed", seed))

    def render(self) -> Any:
        """Return the rendering of the environment."""
        return self._value(self._post("render"))

    def begin_close(self) -> None:
        """Ask the host to end."""
        self._link.begin_close()

    def close_env(self) -> None:
        """End the host; one that does not is killed."""
        self._link.close(CLOSING_S)

    def _post(self, name: str, *arguments: Any) -> Ticket:
        if self.is_closed:
            raise UsageError(f"{self.name} is closed")
        return self._link.post(self._slot, name, arguments)

    def _value(self, ticket: Ticket) -> Any:
        answer = ticket.answer
        if type(answer) is tuple:  # the common case
            return answer
        if answer is PENDING or isinstance(answer, Lost):
            answer = self._link.answer(ticket, self.name)
        if not isinstance(answer, Raised):
            return answer
        if isinstance(answer.error, UsageError):
            answer.error.add_note(answer.text)
            raise answer.error  # as it would come from an environment in this process
        raise WorkerError(f"{self.name} raised in {self._link.host}:\n{answer.text}") from answer.error
