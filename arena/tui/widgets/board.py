"""The board of any game, drawn from its picture; posts the cell that the user points at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from rich.segment import ControlType, Segment
from textual import events
from textual.cache import LRUCache
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from arena.tui.drawing.board import BoardView, cell_at, draw, extent
from arena.tui.drawing.cells import Terminal, TextRun
from arena.tui.drawing.graphics import PixelRoom
from arena.tui.drawing.scales import SQUARE, Scale
from arena.tui.drawing.theme import PAINTS, SURFACES
from arena.tui.state.live_match import Cell
from arena.tui.state.plain import ascii_only
from arena.tui.terminal import PixelScreen

SEATS = ("seat-0", "seat-1", "seat-2", "seat-3")
ROLES = ("line", "label", "target", "last", "cursor", "chance", *SEATS, *(f"on-{seat}" for seat in SEATS))
"""Roles whose colours are those of the theme."""
RAW = ((ControlType.CURSOR_FORWARD, 0),)
"""Marks a segment that is sent as it is: it takes no cells, and filters for text leave it alone."""


@runtime_checkable
class ShowsPixels(Protocol):
    """An application that knows whether its terminal shows pixels."""

    pixel_screen: PixelScreen | None


class Board(Widget):
    """Draws a `BoardView` at its `scale`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"board--{role}" for role in (*ROLES, "chosen")}

    view: reactive[BoardView | None] = reactive(None, repaint=False)
    scale: reactive[Scale] = reactive(SQUARE, repaint=False)
    cursor: reactive[Cell | None] = reactive(None, repaint=False)
    """Cell under the keyboard's cursor; None if hidden."""
    flipped: reactive[bool] = reactive(False, repaint=False)
    """True if the board is seen from the other side of the table."""

    @dataclass
    class Pointed(Message):
        """A cell was pointed at."""

        cell: Cell

    def __init__(self) -> None:
        super().__init__()
        self._ascii = ascii_only()
        self._lines: list[tuple[TextRun, ...]] = []
        self._strips: LRUCache[tuple[tuple[TextRun, ...], int], Strip] = LRUCache(1024)  # of lines that have been drawn
        self._styles: LRUCache[TextRun, Style] = LRUCache(4096)
        self._painting: tuple[NDArray[np.uint8], PixelRoom, Sequence[str] | None] | None = None  # painted last
        self._place: int | None = None  # of what is painted

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the columns of the drawing."""
        return extent(self.view.picture, self.scale)[0] if self.view else 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines of the drawing."""
        return extent(self.view.picture, self.scale)[1] if self.view else 0

    def validate_view(self, view: BoardView | None) -> BoardView | None:
        """Return the view that can be shown here: without pixels where there are no half blocks or no colours."""
        if view is None or view.picture.pixels is None or not (self._ascii or self.app.no_color):
            return view
        return replace(view, picture=replace(view.picture, pixels=None))

    def watch_view(self) -> None:
        """Draw the new view."""
        self._redraw()

    def watch_scale(self) -> None:
        """Draw at the new scale."""
        self._redraw()

    def watch_cursor(self) -> None:
        """Draw the moved cursor."""
        self._redraw()

    def watch_flipped(self) -> None:
        """Draw from the other side."""
        self._redraw()

    def notify_style_update(self) -> None:
        """Drop cached styles: the colours may have changed."""
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()

    def _redraw(self) -> None:
        """Refresh the lines that have changed; lay out again only if the size has."""
        if self.view is None:
            return
        before, size = self._lines, extent(self.view.picture, self.scale)
        terminal = Terminal(self._ascii, not self.app.no_color)
        lines = draw(self.view, self.scale, self.cursor, self.flipped, terminal)
        self._lines = [tuple(line) for line in lines]
        if (self._seat, self._extent) != (self.view.seat, size):
            self._seat = self.view.seat  # its colour shades the cells
            self._styles.clear()
            self._strips.clear()
        if self._extent != size:
            self._extent = size
            self.refresh(layout=True)
            return
        if self._painting is not None and self._painting[0] is not self.view.picture.pixels:
            self.refresh()  # a painting is sent as a whole
            return
        changed = [y for y, (old, new) in enumerate(zip(before, self._lines, strict=True)) if old != new]
        if changed:
            self.refresh(*(Region(0, y, size[0], 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines in a region; over pixels that are seen whole, on the screen in front, they are painted."""
        strips = super().render_lines(crop)
        painted = self._painted_lines() if crop == self.size.region and self.screen.is_active else None
        return strips if painted is None else list(map(_painted_over, strips, painted))

    def _painted_lines(self) -> Sequence[str] | None:
        """Return what paints the pixels of the view, line by line; None where there are half blocks alone."""
        terminal, pixels = self._pixel_screen(), None if self.view is None else self.view.picture.pixels
        room = None if terminal is None or pixels is None else terminal.room(*self.size)
        if terminal is None or pixels is None or room is None or self.size != self._extent:
            return None
        if self._painting is None or self._painting[0] is not pixels or self._painting[1] != room:
            if self._place is None:
                self._place = terminal.graphics.place()
            self._painting = pixels, room, terminal.graphics.paint(pixels, room, self._place)
        return self._painting[2]

    def _pixel_screen(self) -> PixelScreen | None:
        return self.app.pixel_screen if isinstance(self.app, ShowsPixels) else None

    def render_line(self, y: int) -> Strip:
        """Return one line of the drawing in the colours of the theme."""
        line = self._lines[y] if y < len(self._lines) else ()
        width = self.size.width  # lines may be drawn before the layout has given the board its new size
        strip = self._strips.get((line, width))
        if strip is None:
            segments = [Segment(run.text, self._style_of(run).rich_style) for run in line]
            strip = Strip(segments).adjust_cell_length(width, self.visual_style.rich_style)
            self._strips[line, width] = strip
        return strip

    def _style_of(self, run: TextRun) -> Style:
        look = run._replace(text="")
        style = self._styles.get(look)
        if style is None:
            style = self._styles[look] = self._style(look)
        return style

    def _style(self, run: TextRun) -> Style:
        """Return the style of a run; a probability shades its background in the colour of the seat."""
        if run.colours is not None:
            above, below = (None if colour is None else Color(*colour) for colour in run.colours)
            return self.visual_style + Style(foreground=above, background=below)
        style = self._painted(run)
        if run.chance > 0 and self.view is not None and style.background and style.foreground:
            colour = self._seat_colour(self.view.seat) or style.foreground
            behind = style.background.blend(colour, 0.12 + 0.58 * min(run.chance, 1.0))
            shade = Style(background=behind)
            style += shade + Style(foreground=behind.get_contrast_text(1.0)) if run.role == "chance" else shade
        if run.last:
            style += Style(underline=True, bold=True)
        if run.chosen:
            crowded = self.scale.width < 3 or (run.role == "chance" and self.scale.height == 1)  # without brackets
            style += Style(reverse=True) if crowded else self._chosen(run, style)
        return style

    def _painted(self, run: TextRun) -> Style:
        """Return the colours of a role on the surface behind it: those of the theme, or the board's own."""
        role, edge = run.role.removeprefix("edge-"), run.role.startswith("edge-")
        style = self.get_visual_style(f"board--seat-{role}" if edge else f"board--{role if role in ROLES else 'line'}")
        if run.ground:
            ground = Color(*SURFACES[run.ground])
            style += Style(background=ground)
            if role in ROLES and not role.startswith(("seat", "on-seat")):
                dim = 0.45 if role == "line" else 0.8
                style += Style(foreground=ground.blend(ground.get_contrast_text(1.0), dim))
        if role in PAINTS:
            style += Style(foreground=Color(*PAINTS[role]), bold=True)
        elif run.ground and role.removeprefix("beside-") in PAINTS:
            style += Style(background=Color(*PAINTS[role.removeprefix("beside-")]), foreground=ground)
        elif role.removeprefix("on-") in PAINTS:
            paint = Color(*PAINTS[role.removeprefix("on-")])
            style += Style(background=paint, foreground=paint.get_contrast_text(1.0), bold=True)
        return style

    def _chosen(self, run: TextRun, style: Style) -> Style:
        """Return the background of the cursor's cell: lighter, or darker, than its surface."""
        if not run.ground or style.background is None:
            return self.get_visual_style("board--chosen", partial=True)
        return Style(background=style.background.blend(style.background.get_contrast_text(1.0), 0.2))

    def _seat_colour(self, seat: int) -> Color | None:
        """Return the colour of a seat in this theme."""
        return self.get_visual_style(f"board--seat-{seat % 4}").foreground

    def turn(self) -> None:
        """Turn the board around."""
        self.flipped = not self.flipped

    def step_cursor(self, down: int, right: int) -> None:
        """Move the cursor by cells as they appear; it snaps to the cell where an action takes place."""
        if self.view is None or self.cursor is None:
            return
        rows, columns = self.view.picture.pieces.shape
        turn = -1 if self.flipped else 1
        row, column = self.cursor
        row, column = min(max(row + turn * down, 0), rows - 1), min(max(column + turn * right, 0), columns - 1)
        self.cursor = self._settle((row, column))

    def show_cursor(self, shown: bool) -> None:
        """Show the cursor at its last place, or hide it; there is none where no move takes place on the board."""
        if shown and self.view is not None and self.view.targets:
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
    _extent: tuple[int, int] | None = None
    _seat: int | None = None

    def _settle(self, cell: Cell) -> Cell:
        """Return the cell where the action of a cell takes place; the cell itself if it has none."""
        assert self.view is not None
        action = int(self.view.picture.cell_actions[cell])
        row, column = self.view.picture.action_cells[action].tolist() if action >= 0 else (-1, -1)
        return (row, column) if row >= 0 else cell

    def _first_cell(self) -> Cell:
        """Return the target nearest to the middle."""
        assert self.view is not None
        rows, columns = self.view.picture.pieces.shape
        middle = ((rows - 1) // 2, (columns - 1) // 2)

        def distance(cell: Cell) -> tuple[int, Cell]:
            return abs(cell[0] - middle[0]) + abs(cell[1] - middle[1]), cell

        return min(self.view.targets, key=distance)


def _painted_over(strip: Strip, control: str) -> Strip:
    """Return a line after which a control sequence is sent, from its first column; the cursor ends where it would."""
    if not control:
        return strip
    after = f"\x1b8{control}\x1b8\x1b[{strip.cell_length}C"
    return Strip([Segment("\x1b7", control=RAW), *strip, Segment(after, control=RAW)], strip.cell_length)
