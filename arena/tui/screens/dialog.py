"""Base of modal dialogs."""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """Is dismissed once: a second key pressed before it has closed does not close the screen below."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with a result."""
        return super().dismiss(result) if self.is_current else AwaitComplete()
