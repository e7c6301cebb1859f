"""An event loop in a thread of its own, for agents that wait for others."""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


@cache
def background_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all agents of this process, in a daemon thread."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="outside agents", daemon=True).start()
    return loop


def wait_for(work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
    """Return the result of a coroutine run in the background, which is cancelled if the wait ends without it.

    Raises `TimeoutError` after `seconds`.
    """
    future = asyncio.run_coroutine_threadsafe(work, background_loop())
    try:
        return future.result(seconds)
    except BaseException:
        future.cancel()
        raise
