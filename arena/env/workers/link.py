"""`Link`: the connection to a host of environments, and `Ticket`, the future of an answer."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from arena.env.workers.errors import WorkerError
from arena.env.workers.messages import Request, pack_requests, unpack_answers
from arena.processes.messages import Raised, attempt

STARTING_S = 60.0  # a process and its imports may take longer to start than any step
PENDING: Any = object()


@dataclass(frozen=True)
class Lost:
    """The answer to a request whose host is gone."""

    how: str


class Ticket:
    """The answer to one request, pending until it arrives."""

    __slots__ = ("answer", "sent_at", "slot")

    def __init__(self, slot: int, answer: Any = PENDING):
        self.slot = slot
        self.answer = answer
        self.sent_at = time.monotonic()


class Link(ABC):
    """Posts requests to one host and hands out its answers.

    All posted requests go out as one message, the next one only after the host has answered: neither side ever blocks
    because the other does not read. Every ticket gets its answer: a value, `Raised`, or `Lost`. A ticket may be
    abandoned; its late answer is never taken for that of another.

    Args:
        hang_timeout_s: seconds an environment has to answer; None for no limit.

    """

    def __init__(self, hang_timeout_s: float | None = None):
        self._env_fns: list[Callable[[], Any]] = []
        self._hang_timeout_s = hang_timeout_s
        self._posted: list[tuple[Ticket, Request]] = []
        self._under_way: list[Ticket] = []
        self._deadline: float | None = None
        self._lost: Lost | None = None
        self.made: list[Ticket] = []
        """For each environment, whether it checks actions before it steps."""
        self.generation = 0
        """Number of hosts so far, each the replacement of the one before."""

    def add(self, env_fn: Callable[[], Any]) -> int:
        """Add an environment to the host, before it starts; return its number there."""
        self._env_fns.append(env_fn)
        return len(self._env_fns) - 1

    # --- operations of one kind of link -------------------------------------------------------------------------

    @abstractmethod
    def _start(self, env_fns: Sequence[Callable[[], Any]]) -> None:
        """Start a host; its first message answers `EnvHost.make`. `OSError` if it cannot be started."""

    @abstractmethod
    def _send(self, message: bytes) -> None:
        """Send a message; `OSError` if the host is gone."""

    @abstractmethod
    def _receive(self, seconds: float | None) -> bytes | None:
        """Return the host's message, None after `seconds` without one; `EOFError` or `OSError` if the host is gone."""

    @classmethod
    @abstractmethod
    def select(cls, links: Sequence[Self], seconds: float | None) -> list[Self]:
        """Return the links that have an answer, waiting up to that many seconds (None: for ever) for the first one."""

    @property
    @abstractmethod
    def host(self) -> str:
        """Name of the host in errors."""

    @abstractmethod
    def _fate(self) -> str:
        """Return what happened to a host that is gone."""

    @abstractmethod
    def begin_close(self) -> None:
        """Let the host close its environments and end."""

    @abstractmethod
    def _stop(self, patience_s: float) -> None:
        """Remove a host that was told to end, killing it after `patience_s` seconds; idempotent."""

    def _arrived(self, slot: int, answer: Any) -> Any:
        """Return the answer of environment `slot`, abandoned or not, from the content of the message."""
        return answer

    # --- requests and answers -----------------------------------------------------------------------------------

    def post(self, slot: int, name: str, arguments: Sequence[Any] = ()) -> Ticket:
        """Add a request to environment `slot` to the next message; a host that hangs gets more time."""
        ticket = Ticket(slot, self._lost or PENDING)
        if self._lost is None:
            self._posted.append((ticket, (slot, name, arguments)))
            if self._hang_timeout_s is not None and self.hangs:
                self._deadline = self._due(len(self._under_way))
        return ticket

    def flush(self) -> None:
        """Send the posted requests; while an answer is pending they wait for it."""
        if self.generation == 0:
            self.restart()
        if self._under_way or not self._posted:
            return
        posted, self._posted = self._posted, []
        tickets = [ticket for ticket, _ in posted]
        message = attempt(pack_requests, [request for _, request in posted])
        if isinstance(message, Raised):
            for ticket in tickets:
                ticket.answer = message
            return
        self._under_way = tickets
        self._deadline = self._due(len(tickets))
        try:
            self._send(message)
        except OSError:
            self._lose(self._fate())

    def answer(self, ticket: Ticket, who: str) -> Any:
        """Wait for the answer and return it; `WorkerError` about `who` if the host is lost or hangs."""
        self.flush()
        while ticket.answer is PENDING:
            self.receive()
            if ticket.answer is PENDING and self.hangs:
                wait = f"{self._hang_timeout_s:g} s"
                raise WorkerError(f"{who} hangs: {self.host} has not answered for {wait}")
        if isinstance(ticket.answer, Lost):
            raise WorkerError(f"{who} is lost: {ticket.answer.how}")
        return ticket.answer

    def receive(self) -> None:
        """Read the pending message if it arrives in time, and send the next one."""
        seconds = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        try:
            message = self._receive(seconds)
        except (EOFError, OSError):
            self._lose(self._fate())
            return
        if message is None:
            return
        tickets, self._under_way = self._under_way, []
        for ticket, answer in zip(tickets, unpack_answers(message), strict=True):
            ticket.answer = self._arrived(ticket.slot, answer)
        self.flush()

    @property
    def deadline(self) -> float | None:
        """Deadline of the pending answer, by the monotonic clock."""
        return self._deadline if self._under_way else None

    @property
    def hangs(self) -> bool:
        """Return whether the pending answer is late."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def is_lost(self) -> bool:
        """Return whether the host is gone."""
        return self._lost is not None

    def _due(self, count: int) -> float | None:
        """Return the deadline for `count` environments that take one request each, in turn; None without a limit."""
        return None if self._hang_timeout_s is None else time.monotonic() + count * self._hang_timeout_s

    def _lose(self, how: str) -> None:
        self._lost = Lost(how)
        for ticket in self._under_way + [ticket for ticket, _ in self._posted]:
            ticket.answer = self._lost
        self._under_way, self._posted = [], []

    def restart(self) -> None:
        """Start a host, in place of the previous one if there was one."""
        if self.generation:
            self._lose(f"{self.host} was replaced")
            self._stop(0.0)
        self._lost = None
        self.generation += 1
        self.made = self._under_way = [Ticket(slot) for slot in range(len(self._env_fns))]
        self._deadline = (
            None if self._hang_timeout_s is None else time.monotonic() + max(self._hang_timeout_s, STARTING_S)
        )
        self._start(self._env_fns)

    def close(self, patience_s: float) -> None:
        """End the host; it is killed if it has not closed in time, a tenth of it for one that has not answered yet."""
        self.begin_close()
        self._stop(patience_s / 10 if self._under_way else patience_s)
