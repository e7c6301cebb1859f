"""`SubprocEnvWorker`: an environment in a process of its own."""

import multiprocessing
import os
import signal
import time
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from arena.env.workers.base import EnvWorker, ResetResult, StepResult
from arena.env.workers.child import PARENT_ENDS, serve
from arena.env.workers.errors import WorkerError
from arena.env.workers.messages import Answer, Done, Portable, Raised, dumps, loads
from arena.env.workers.shared import ObservationReader
from arena.errors import UsageError

STARTING_S = 60.0  # a process and its imports may take longer to start than any step
CLOSING_S = 5.0  # how long an environment may take to close before its process is killed
CLOSING_BUSY_S = 0.5  # the same for one that has not answered yet


class SubprocEnvWorker(EnvWorker):
    """Runs an environment in a child process; at most one request is under way at a time.

    Args:
        env_fn: makes the environment, in the child. Lambdas and closures will do, however the process is started.
        share_memory: observations made of numbers come through shared memory instead of the pipe.
        context: how the process is started: "fork", "spawn", "forkserver", or None for the platform's usual way.
        hang_timeout_s: seconds after which a missing answer is a `WorkerError`; None waits forever.

    """

    def __init__(
        self,
        env_fn: Callable[[], Any],
        share_memory: bool = False,
        context: str | None = None,
        hang_timeout_s: float | None = None,
    ):
        super().__init__()
        starting: Any = _context(context)
        if share_memory:
            resource_tracker.ensure_running()  # before the fork, so that the child has no tracker of its own
        self._pipe, theirs = starting.Pipe()
        PARENT_ENDS.add(self._pipe)
        arguments = (theirs, Portable(env_fn), share_memory)
        self._process: BaseProcess = starting.Process(target=serve, args=arguments, daemon=True)
        try:
            self._process.start()
        except BaseException:
            self._pipe.close()
            raise
        finally:
            theirs.close()
        self._pid = self._process.pid
        self._memory = ObservationReader()
        self._hang_timeout_s = hang_timeout_s
        self._checks_actions: bool | None = None
        self._under_way: Literal["step", "start", "other"] | None = "start"
        self._sent_at = time.monotonic()
        self._deadline = None if hang_timeout_s is None else self._sent_at + max(hang_timeout_s, STARTING_S)
        self._early: Answer | None = None  # a step's answer that had to be read before it was asked for
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _end, self._process, self._pipe, self._memory, self._owner, CLOSING_S)

    # --- what it is told ----------------------------------------------------------------------------------------

    def await_start(self) -> None:
        """Wait for the child to make the environment."""
        if self._checks_actions is None:
            self._checks_actions = bool(self._value(self._receive()))

    def get_env_attr(self, key: str) -> Any:
        """The environment's attribute."""
        self._send("get_env_attr", key)
        answer = self._receive()
        if isinstance(answer, Raised) and isinstance(answer.error, AttributeError):
            raise answer.error
        return self._value(answer)

    def set_env_attr(self, key: str, value: Any) -> None:
        """Set the attribute on the innermost environment."""
        self._ask("set_env_attr", key, value)

    def send_reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a reset; a step under way is waited for and dropped."""
        self._send("reset", seed, options)
        self._early = None

    def get_reset(self) -> ResetResult:
        """The result of the reset."""
        obs, info = self._value(self._receive())
        return self._memory.take(obs), info

    def send_check(self, action: Any) -> None:
        """Ask an environment that has a `check_action` of its own."""
        self.await_start()
        if self._checks_actions:
            self._send("check", action)

    def get_check(self) -> None:
        """Raise what it said."""
        if self._checks_actions:
            self._value(self._receive())

    def send_action(self, action: Any) -> None:
        """Begin a step."""
        self._send("step", action)
        self._under_way = "step"

    def get_result(self) -> StepResult:
        """The result of the step."""
        answer, self._early = self._early, None
        obs, *rest = self._value(self._receive() if answer is None else answer)
        return (self._memory.take(obs), *rest)

    @staticmethod
    def wait(
        workers: Sequence["SubprocEnvWorker"], wait_num: int, timeout: float | None = None
    ) -> list["SubprocEnvWorker"]:
        """Those whose step is over or has failed, at most `wait_num`; those that have waited longest come first."""
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            pipes = {worker._pipe: worker for worker in workers if not worker._is_over()}
            over = [worker for worker in workers if worker._pipe not in pipes]
            now = time.monotonic()
            if len(over) >= min(wait_num, len(workers)) or (over and ends is not None and now >= ends):
                return sorted(over, key=lambda worker: worker._sent_at)[:wait_num]
            until = [worker._deadline for worker in pipes.values() if worker._deadline is not None]
            until += [ends] if ends is not None and now < ends else []  # once it is past, any one will do
            connection.wait(list(pipes), max(0.0, min(until) - now) if until else None)

    def seed(self, seed: int | None) -> None:
        """Use the seed at the next reset; the action space is seeded now."""
        self._ask("seed", seed)

    def render(self) -> Any:
        """What the environment renders."""
        return self._ask("render")

    def begin_close(self) -> None:
        """Close the pipe; the child closes the environment and ends."""
        self._pipe.close()

    def close_env(self) -> None:
        """Wait for the child to end; one that does not is killed."""
        patience = CLOSING_S if self._under_way is None else CLOSING_BUSY_S
        self._finalizer.detach()
        _end(self._process, self._pipe, self._memory, self._owner, patience)

    # --- requests and answers -----------------------------------------------------------------------------------

    def _ask(self, name: str, *arguments: Any) -> Any:
        self._send(name, *arguments)
        return self._value(self._receive())

    def _send(self, name: str, *arguments: Any) -> None:
        self._settle()
        try:
            self._pipe.send_bytes(dumps((name, arguments)))
        except OSError as error:
            raise self._death() from error
        self._under_way = "other"
        self._deadline = self._next_deadline()

    def _settle(self) -> None:
        """Take in the answer under way: a step's is kept, and one that came too late is not taken for the next."""
        if self.is_closed:
            raise UsageError(f"{self.name} is closed")
        self.await_start()
        if self._under_way == "step":
            self._early = self._receive()
        elif self._under_way is not None:
            self._deadline = self._next_deadline()
            self._receive()

    def _receive(self) -> Answer:
        """The answer under way; `WorkerError` if it does not come, and then it will be dropped."""
        try:
            if self._deadline is not None and not self._pipe.poll(max(0.0, self._deadline - time.monotonic())):
                self._under_way = "other"
                raise WorkerError(
                    f"{self.name} hangs: its process {self._pid} has not answered for {self._hang_timeout_s:g} s"
                )
            answer: Answer = loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise self._death() from error
        self._under_way = None
        if isinstance(answer, Done):
            self._memory.notice(answer.value)
        return answer

    def _value(self, answer: Answer) -> Any:
        if not isinstance(answer, Raised):
            return answer.value
        if isinstance(answer.error, UsageError):
            answer.error.add_note(answer.text)
            raise answer.error  # as it would come from an environment in this process
        raise WorkerError(f"{self.name} raised in its process {self._pid}:\n{answer.text}") from answer.error

    def _is_over(self) -> bool:
        """Whether `get_result` returns or raises at once."""
        late = self._deadline is not None and time.monotonic() >= self._deadline
        return self._early is not None or late or self._pipe.poll()

    def _next_deadline(self) -> float | None:
        self._sent_at = time.monotonic()
        return None if self._hang_timeout_s is None else self._sent_at + self._hang_timeout_s

    def _death(self) -> WorkerError:
        self._process.join(1.0)
        code = self._process.exitcode
        if code is None:
            how = "has closed its pipe"
        else:
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        return WorkerError(f"{self.name} is lost: its process {self._pid} {how}")


def _context(name: str | None) -> Any:
    if name is not None and name not in multiprocessing.get_all_start_methods():
        known = ", ".join(multiprocessing.get_all_start_methods())
        raise UsageError(f"context {name!r} is no way to start a process here; known: {known}")
    return multiprocessing.get_context(name)


def _end(process: BaseProcess, pipe: Connection, memory: ObservationReader, owner: int, patience_s: float) -> None:
    """Let a child end and take its leftovers away; it gets `patience_s` seconds to close its environment."""
    if os.getpid() != owner:
        return  # in a forked child that inherited the worker: the process is a sibling's
    pipe.close()
    process.join(patience_s)
    if process.is_alive():
        process.kill()
        process.join()
    memory.close()
    process.close()
