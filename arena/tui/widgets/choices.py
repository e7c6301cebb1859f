"""Buttons for moves without a cell on the board: pass, call, roll."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

INTRODUCTION = " or › "


class Choices(Widget):
    """A button for each move, on as many lines as they need; hidden if there is none."""

    moves: reactive[Mapping[int, str]] = reactive({}, layout=True)
    """Actions with their notation."""

    @dataclass
    class Chosen(Message):
        """A move was clicked."""

        action: int

    def watch_moves(self, moves: Mapping[int, str]) -> None:
        """Take a part of the screen only if there are moves."""
        self.display = bool(moves)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width of all buttons on one line."""
        return len(INTRODUCTION) + sum(len(text) + 3 for text in self.moves.values())

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines at a width."""
        return 1 + max((line for line, _, _ in self._places(width)), default=0)

    def _places(self, width: int) -> Iterator[tuple[int, int, int]]:
        """Yield line, first column and action of each button, where lines have `width` columns."""
        line, column = 0, len(INTRODUCTION)
        for action, text in self.moves.items():
            if column + len(text) + 2 > width and column > len(INTRODUCTION):
                line, column = line + 1, len(INTRODUCTION)
            yield line, column, action
            column += len(text) + 3

    def render(self) -> Content:
        """Return the moves, each on a background of its own."""
        parts: list[tuple[str, str]] = [(INTRODUCTION, "$text-muted")]
        before = 0
        for line, _, action in self._places(self.content_size.width):
            if line > before:
                parts.append(("\n" + " " * len(INTRODUCTION), ""))
            before = line
            parts += [(f" {self.moves[action]} ", "bold on $boost"), (" ", "")]
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Choose the move under the mouse."""
        inside = event.get_content_offset(self)
        if inside is None:
            return
        for line, column, action in self._places(self.content_size.width):
            if line == inside.y and column <= inside.x < column + len(self.moves[action]) + 2:
                self.post_message(self.Chosen(action))
