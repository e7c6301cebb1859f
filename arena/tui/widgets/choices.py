"""Buttons for moves without a cell on the board: pass, call, roll."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Choices(Widget):
    """One line with a button for each move; hidden if there is none."""

    moves: reactive[Mapping[int, str]] = reactive({}, layout=True)
    """Actions with their notation."""

    @dataclass
    class Chosen(Message):
        """A move was clicked."""

        action: int

    def watch_moves(self, moves: Mapping[int, str]) -> None:
        """Take a line of the screen only if there are moves."""
        self.display = bool(moves)

    def render(self) -> Content:
        """Return the moves, each on a background of its own."""
        parts = [part for text in self.moves.values() for part in ((f" {text} ", "bold on $boost"), " ")]
        return Content.assemble((" or › ", "$text-muted"), *parts)

    def on_click(self, event: events.Click) -> None:
        """Choose the move under the mouse."""
        start = len(" or › ")
        for action, text in self.moves.items():
            if start <= event.x < start + len(text) + 2:
                self.post_message(self.Chosen(action))
            start += len(text) + 3
