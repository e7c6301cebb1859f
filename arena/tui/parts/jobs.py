"""Jobs for the thread of the agents: one at a time, each answered by a message to the screen."""

import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

from textual.message import Message

from arena.match.contained import ContainedPolicy
from arena.policy.protocol import Policy
from arena.tui.parts.stage import Stage
from arena.tui.services.background import BackgroundThread
from arena.tui.state.messages import JobDone

T = TypeVar("T")
JobKind = Literal["deal", "play", "advance", "hint", "analyse"]

GRACE_S = 2.0
"""Time that an agent may go on after its answer is no longer needed."""


class AgentJobs:
    """The jobs of one screen, run in `thread`; the result of a job that was dropped meanwhile is no news."""

    def __init__(self, stage: Stage, thread: BackgroundThread):
        self.current: JobKind | None = None
        """Current job; None if idle."""
        self._stage, self._thread = stage, thread
        self._number = 0
        self._start_s = 0.0

    def ask(self, job: JobKind, work: Callable[[], T], news: Callable[[int, T], Message]) -> None:
        """Run `work` in the agents' thread and post its result as `news`; the result of an earlier job is dropped."""
        self._number += 1
        self.current, self._start_s = job, time.monotonic()
        bringing: Callable[[], Awaitable[None]] = partial(self._bring_home, self._number, work, news)
        self._stage.run_worker(bringing, group="agents", exclusive=True)

    async def run(self, work: Callable[[], T]) -> T:
        """Return the result of `work`, run in the agents' thread; raises what it raises."""
        return await self._thread.run(work)

    async def _bring_home(self, number: int, work: Callable[[], T], news: Callable[[int, T], Message]) -> None:
        self._stage.post_message(news(number, await self._thread.run(work)))

    def is_news(self, message: JobDone) -> bool:
        """Return whether a message answers the current job, which is then done."""
        if message.job != self._number:
            return False
        self.current = None
        return True

    def give_up(self) -> None:
        """Drop the result of the current job."""
        self._number += 1
        self.current = None

    @property
    def waited_s(self) -> float:
        """Seconds since the current job began."""
        return time.monotonic() - self._start_s

    @property
    def doing(self) -> str:
        """Activity of the player to move: `to move`, or `thinks 3 s`."""
        waited_s = int(self.waited_s)
        if self.current != "advance" or waited_s < 1:
            return "to move"
        return f"thinks {waited_s} s" if waited_s < 100 else f"thinks {waited_s // 60} m"

    def drop(self, agents: Sequence[Policy]) -> None:
        """Drop the current job of these agents: one that does not end soon is stopped, and restarts when asked."""
        at_work = list(agents) if self.current in ("advance", "hint") else []
        self.give_up()
        for policy in at_work:
            policy.hurry()
        ended = self._thread.finished

        def stop() -> None:
            if self._thread.finished == ended:
                _stop(at_work)

        if at_work:
            self._stage.set_timer(GRACE_S, stop)

    def end(self, agents: Sequence[Policy]) -> None:
        """Stop agents that are still thinking, as the screen is left."""
        if self.current in ("advance", "hint"):
            _stop(agents)


def _stop(agents: Sequence[Policy]) -> None:
    for policy in agents:
        if isinstance(policy, ContainedPolicy):
            policy.stop()
