"""A background thread that runs one job after another while the screen stays responsive."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundThread:
    """Runs jobs in a thread of its own, and hands each result to the coroutine that awaits it.

    One job at a time: agents keep scratch memory and random streams that two threads must not share. The thread is a
    daemon, unlike those of asyncio's executor, so that a thinking agent cannot delay the exit. It starts with the
    first job.
    """

    def __init__(self) -> None:
        self.finished = 0
        """Number of jobs that have ended."""
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="agents", daemon=True)

    async def run(self, job: Callable[[], T]) -> T:
        """Return the result of `job`, or raise what it raised. A job cancelled before its start is skipped."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(set_outcome: Callable[[Any], None], outcome: Any) -> None:
            if not future.done():
                set_outcome(outcome)

        def work() -> None:
            if future.cancelled():
                return
            try:
                outcome: tuple[Callable[[Any], None], Any] = future.set_result, job()
            except BaseException as error:  # goes home to the waiter, whatever it is
                outcome = future.set_exception, error
            with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
                loop.call_soon_threadsafe(settle, *outcome)

        self._put(work)
        return await future

    def finish(self, seconds: float) -> None:
        """Wait for all queued jobs, at most `seconds`."""
        done = threading.Event()
        self._put(done.set)
        done.wait(seconds)

    def close(self) -> None:
        """End the thread after the queued jobs; no job may be added later."""
        self._jobs.put(None)

    def _put(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        if self._thread.ident is None:
            self._thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            self.finished += 1
