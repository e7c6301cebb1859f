"""A dialog with one question and one line to answer it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import Input

from arena.tui.screens.dialog import Dialog
from arena.tui.widgets.line import LineInput


class PromptScreen(Dialog[str | None]):
    """Its result is the typed text, None if it was cancelled or empty."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave it")]

    def __init__(self, question: str, answer: str = ""):
        super().__init__()
        self._question, self._answer = question, answer

    def compose(self) -> ComposeResult:
        """Yield a frame with a line."""
        with Container(id="prompt") as frame:
            frame.border_title = Content(self._question)
            frame.border_subtitle = "enter goes on, esc leaves it"
            yield LineInput(self._answer, max_length=200, compact=True)

    def on_mount(self) -> None:
        """Give the line the focus, now and not after the keys that follow."""
        self.set_focus(self.query_one(LineInput))

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Close with the answer."""
        self.dismiss(message.value.strip() or None)
