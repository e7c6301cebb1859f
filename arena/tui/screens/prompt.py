"""One question, answered on a line."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Input

from arena.tui.screens.dialog import Dialog
from arena.tui.widgets.line import Line


class PromptScreen(Dialog[str | None]):
    """Gives what was typed, None if the question was left with escape or without a word."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave it")]

    def __init__(self, question: str, answer: str = ""):
        super().__init__()
        self._question, self._answer = question, answer

    def compose(self) -> ComposeResult:
        """A frame with a line."""
        with Container(id="prompt") as frame:
            frame.border_title = self._question
            frame.border_subtitle = "enter goes on, esc leaves it"
            yield Line(self._answer, max_length=200, compact=True)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Give the answer."""
        self.dismiss(message.value.strip() or None)
