"""The interface that parts need of the screen that holds them."""

from collections.abc import Callable
from typing import Any, Protocol

from textual.message import Message
from textual.timer import Timer


class Stage(Protocol):
    """A screen: its timers, its background work, and its messages."""

    def set_timer(self, delay: float, callback: Callable[[], Any]) -> Timer:
        """Call `callback` once, after `delay` seconds."""

    def run_worker(self, work: Any, *, group: str, exclusive: bool = False) -> Any:
        """Run a coroutine, in place of the others of its group if exclusive."""

    def post_message(self, message: Message) -> bool:
        """Send a message to the screen itself."""
