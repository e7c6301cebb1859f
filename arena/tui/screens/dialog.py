"""What lies over a screen until it is answered."""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """Leaves once: a second key that comes before it is gone does not take the screen below with it."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave with a result."""
        return super().dismiss(result) if self.is_current else AwaitComplete()
