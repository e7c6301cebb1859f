"""The board of any game, drawn from its picture; pointing at a cell posts which it is."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from arena.tui.drawing import SQUARE, BoardView, Scale, cell_at, draw, extent
from arena.tui.table import Cell

ROLES = ("line", "label", "target", "last", "cursor", "chance", "seat-0", "seat-1", "seat-2", "seat-3")


class Board(Widget):
    """Draws a `BoardView` as large as `scale` says."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"board--{role}" for role in (*ROLES, "chosen")}

    view: reactive[BoardView | None] = reactive(None)
    scale: reactive[Scale] = reactive(SQUARE, layout=True)
    cursor: reactive[Cell | None] = reactive(None)
    """The cell that the keyboard points at."""
    flipped: reactive[bool] = reactive(False)
    """Whether it is seen from the other side of the table."""

    @dataclass
    class Pointed(Message):
        """A cell was pointed at."""

        cell: Cell

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Columns of the drawing."""
        return extent(self.view.picture, self.scale)[0] if self.view else 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Lines of the drawing."""
        return extent(self.view.picture, self.scale)[1] if self.view else 0

    def watch_view(self, before: BoardView | None, after: BoardView | None) -> None:
        """Take more or less room where the drawing does."""
        sizes = {None if view is None else extent(view.picture, self.scale) for view in (before, after)}
        if len(sizes) > 1:
            self.refresh(layout=True)

    def render(self) -> Content:
        """The drawing in the colours of the theme."""
        if self.view is None:
            return Content("")
        style = cache(self._style)  # a board has few looks
        lines = draw(self.view, self.scale, self.cursor, self.flipped)
        return Content("\n").join(
            Content.assemble(*((run.text, style(run.role, run.chance, run.chosen)) for run in line)) for line in lines
        )

    def _style(self, role: str, chance: float, chosen: bool) -> Style:
        """The theme's style for a run; a chance shades what is behind it in the colour of the seat."""
        style = self.get_visual_style(f"board--{role}")
        if chance > 0 and self.view is not None and style.background and style.foreground:
            colour = self.get_visual_style(f"board--seat-{self.view.seat % 4}").foreground
            behind = style.background.blend(colour or style.foreground, 0.12 + 0.58 * min(chance, 1.0))
            shade = Style(background=behind)
            style += shade + Style(foreground=behind.get_contrast_text(1.0)) if role == "chance" else shade
        if chosen:
            crowded = role == "chance" and self.scale.height == 1  # its figures leave no room for the cursor's brackets
            style += Style(reverse=True) if crowded else self.get_visual_style("board--chosen", partial=True)
        return style

    def step_cursor(self, down: int, right: int) -> None:
        """Move the cursor by cells as they are seen; it lands where the action of that cell takes place."""
        if self.view is None:
            return
        rows, columns = self.view.picture.pieces.shape
        turn = -1 if self.flipped else 1
        row, column = self.cursor or self._first_cell()
        row, column = min(max(row + turn * down, 0), rows - 1), min(max(column + turn * right, 0), columns - 1)
        self.cursor = self._settle((row, column))

    def show_cursor(self, shown: bool) -> None:
        """Show the cursor (where it was, if that is still a sensible place) or hide it."""
        if shown and self.view is not None:
            self.cursor = self._settle(self.cursor or self._last_cursor or self._first_cell())
        elif self.cursor is not None:
            self._last_cursor, self.cursor = self.cursor, None

    def choose(self) -> None:
        """Point at the cursor's cell."""
        if self.cursor is not None:
            self.post_message(self.Pointed(self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Point at the cell under the mouse."""
        if self.view is not None:
            cell = cell_at(self.view.picture, self.scale, event.x, event.y, self.flipped)
            if cell is not None:
                self.post_message(self.Pointed(cell))

    _last_cursor: Cell | None = None

    def _settle(self, cell: Cell) -> Cell:
        """Where the action that a cell stands for takes place; the cell itself if nowhere."""
        assert self.view is not None
        action = int(self.view.picture.cell_actions[cell])
        row, column = self.view.picture.action_cells[action].tolist() if action >= 0 else (-1, -1)
        return (row, column) if row >= 0 else cell

    def _first_cell(self) -> Cell:
        """The target nearest to the middle, or the middle."""
        assert self.view is not None
        rows, columns = self.view.picture.pieces.shape
        middle = ((rows - 1) // 2, (columns - 1) // 2)

        def distance(cell: Cell) -> tuple[int, Cell]:
            return abs(cell[0] - middle[0]) + abs(cell[1] - middle[1]), cell

        return min(self.view.targets, key=distance, default=middle)
