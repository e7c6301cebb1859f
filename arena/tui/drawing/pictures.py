"""Image files of a match: a PNG of a position, an animated GIF of a game, drawn from the game's picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from arena.base.saving import write_whole
from arena.tui.drawing.figures import font
from games.engine.cards import DICE, PIPS
from games.engine.geometry import SLANT, corner_steps, owned_edges
from games.engine.palette import BOWL, GROUNDS, INKS, LAST_GROUNDS, SEATS, SEATS_ON_DARK, SIDES, SPIKES, Colour
from games.engine.picture import BACKGROUND, BLACK, FILLED, HIDDEN, LAST, LINE, MARKS, NOBODY, WHITE, Picture

BOARD_PIXELS, MIN_CELL, MAX_CELL = 560, 22, 64
"""Approximate width of a board in pixels, and bounds on the side of a cell."""
MARGIN, TEXT = 16, 15
ZOOM = 3
"""Oversampling factor: everything is drawn this many times larger, then reduced, which smooths edges."""
FIGURES = frozenset(WHITE + BLACK)
FIGURE = 0.94
"""Size of the figures of chess, in cells: the tallest fills five sixths of its cell."""
EDGE = 8
"""Room in pixels for a coloured edge between a board and its labels."""
GRID: Colour = (58, 46, 30)
"""Lines on boards that have a surface."""
BACK: Colour = (200, 206, 224)
"""Edge of the back of a card."""
LAST_FRAME_S = 2.0
"""Minimum time that a GIF shows its last frame."""


@dataclass(frozen=True)
class Paper:
    """Ground that a position is drawn on, and its inks."""

    ground: Colour
    ink: Colour
    """Colour of text, and of the mark of the last move."""
    line: Colour
    """Colour of the lines of boards without a surface."""
    seats: tuple[Colour, ...]
    """Colour of each seat without a side of its own."""


LIGHT, DARK = Paper(BACKGROUND, LAST, LINE, SEATS), Paper((18, 22, 28), (228, 231, 235), (84, 92, 104), SEATS_ON_DARK)


@dataclass(frozen=True)
class Frame:
    """A position, and the lines above it."""

    picture: Picture
    captions: tuple[str, ...] = ()


def save_png(frame: Frame, path: Path) -> Path:
    """Write a position as a PNG file; `UsageError` if it cannot be written."""
    return write_whole(path, lambda draft: image(frame).save(draft, "PNG"))


def save_gif(frames: Sequence[Frame], path: Path, frame_s: float = 0.6) -> Path:
    """Write positions as an animated GIF file, `frame_s` seconds each; `UsageError` if it cannot be written."""
    images = [image(frame) for frame in frames]
    size = max(picture.width for picture in images), max(picture.height for picture in images)
    colours = 64 if all(frame.picture.pixels is None for frame in frames) else 256
    images = [_enlarged(picture, size).quantize(colours, dither=Image.Dither.NONE) for picture in images]
    shown_ms = [round(1000 * frame_s)] * (len(images) - 1) + [round(1000 * max(frame_s, LAST_FRAME_S))]
    first, *others = images
    return write_whole(
        path, lambda draft: first.save(draft, "GIF", save_all=True, append_images=others, duration=shown_ms, loop=0)
    )


def image(frame: Frame, paper: Paper = LIGHT) -> Image.Image:
    """Return the board with its labels and notes, or the pixels of the picture, an RGB image."""
    picture = frame.picture
    if picture.pixels is not None:
        return _pixels_image(picture.pixels, frame.captions, paper)
    rows, columns = picture.pieces.shape
    cell = min(max(BOARD_PIXELS // max(columns, 1), MIN_CELL), MAX_CELL)
    across = columns + (rows - 1) / 2 if picture.slanted else columns
    down = (rows - 1) * SLANT + 4 / 3 * SLANT if picture.slanted else rows
    left = MARGIN + max(map(_width, picture.row_labels), default=0) + 8
    top = MARGIN + _lines(frame.captions) + (TEXT + 8 if any(picture.column_labels) else 0)
    top += EDGE if picture.edges else 0
    texts = (*map(_width, frame.captions), *(_width(text, mono=True) for text in picture.notes))
    width = MARGIN + max(left + round(across * cell), *(MARGIN + text for text in texts), 0)
    bottom = top + down * cell + (TEXT + 8 if any(picture.bottom_labels) else 0)
    height = round(bottom) + MARGIN + _lines(picture.notes)
    canvas = Image.new("RGB", (width * ZOOM, height * ZOOM), paper.ground)
    drawing = ImageDraw.Draw(canvas)
    _Board(drawing, picture, left, top, cell, paper).draw()
    for y, text, mono in (
        *((MARGIN + i * (TEXT + 6), text, False) for i, text in enumerate(frame.captions)),
        *((bottom + 10 + i * (TEXT + 6), text, True) for i, text in enumerate(picture.notes)),  # which may be tables
    ):
        place, letters = (MARGIN * ZOOM, y * ZOOM), font(TEXT * ZOOM, mono)
        drawing.text(place, text, paper.ink, letters)
        if text and text[0] in MARKS and not picture.sides:  # in the colour of its pieces
            drawing.text(place, text[0], paper.seats[MARKS.index(text[0])], letters)
    return canvas.resize((width, height), Image.Resampling.LANCZOS)


def _pixels_image(pixels: NDArray[np.uint8], captions: tuple[str, ...], paper: Paper) -> Image.Image:
    """Return pixels [H, W, 3] as they are, below the captions."""
    drawn, top = Image.fromarray(pixels), MARGIN + _lines(captions)
    width = max(drawn.width, *map(_width, ("", *captions))) + 2 * MARGIN
    canvas = Image.new("RGB", (width, top + drawn.height + MARGIN), paper.ground)
    canvas.paste(drawn, (MARGIN, top))
    drawing = ImageDraw.Draw(canvas)
    for i, text in enumerate(captions):
        drawing.text((MARGIN, MARGIN + i * (TEXT + 6)), text, paper.ink, font(TEXT))
    return canvas


class _Board:
    """Draws the cells of a picture; coordinates are pixels of the file, multiplied by `ZOOM` when drawn."""

    def __init__(
        self, drawing: ImageDraw.ImageDraw, picture: Picture, left: float, top: float, cell: float, paper: Paper
    ):
        self._drawing, self._picture, self._paper = drawing, picture, paper
        self._left, self._top, self._cell = left, top, cell
        self._rows, self._columns = picture.pieces.shape

    def draw(self) -> None:
        """Draw cells, labels and pieces."""
        picture, cells = self._picture, list(np.ndindex(self._picture.pieces.shape))
        for cell in cells:
            self._ground(*cell)
        for cell in cells:
            self._lines(*cell)
        if picture.edges is not None:
            self._edges(*picture.edges)
        self._labels()
        if picture.board == "squares":
            for cell in picture.marked:
                ground = LAST_GROUNDS[picture.ground_of(*cell)]
                self._box(*self._middle(*cell), self._cell / 2, self._cell / 2, ground)
        for cell in cells:
            if picture.pieces[cell] >= 0:
                self._piece(*cell)
        if picture.board != "squares":
            for cell in picture.marked:
                self._mark(*cell)

    def _labels(self) -> None:
        """Write the labels of rows and columns."""
        picture = self._picture
        for row in range(self._rows):
            x, y = self._middle(row, 0)
            self._text(x - self._cell / 2 - 6 - _width(picture.row_labels[row]) / 2, y, picture.row_labels[row], TEXT)
        for column, label in enumerate(picture.column_labels):
            x, y = self._middle(0, column)
            self._text(x, y - self._cell / 2 - 4 - TEXT / 2 - (EDGE if picture.edges else 0), label, TEXT)
        for column, label in enumerate(picture.bottom_labels):
            x, y = self._middle(self._rows - 1, column)
            self._text(x, y + self._cell / 2 + 8 + TEXT / 2, label, TEXT)

    def _middle(self, row: int, column: int) -> tuple[float, float]:
        if self._picture.slanted:
            return (
                self._left + (column + row / 2 + 0.5) * self._cell,
                self._top + (row + 2 / 3) * SLANT * self._cell,
            )
        return self._left + (column + 0.5) * self._cell, self._top + (row + 0.5) * self._cell

    def _ground(self, row: int, column: int) -> None:
        """Fill a cell with its surface."""
        ground = self._picture.ground_of(row, column)
        if ground:
            self._box(*self._middle(row, column), self._cell / 2, self._cell / 2, GROUNDS[ground])

    def _lines(self, row: int, column: int) -> None:
        """Draw what an empty cell shows: its edges, the lines that cross in it, or a slice of a backgammon point."""
        board = self._picture.board
        if board == "crossings":
            self._crossing(row, column)
        elif board == "points":
            self._point(row, column)
        elif board in ("grid", "hexagons", "tiles"):
            self._outline(row, column, GRID if self._picture.ground_of(row, column) else self._paper.line)

    def _crossing(self, row: int, column: int) -> None:
        """Draw the lines that cross in a cell, and its star."""
        (x, y), half = self._middle(row, column), self._cell / 2
        self._line((x - half * (column > 0), y), (x + half * (column < self._columns - 1), y))
        self._line((x, y - half * (row > 0)), (x, y + half * (row < self._rows - 1)))
        if (row, column) in self._picture.stars:
            self._disc(x, y, max(0.09 * self._cell, 2), GRID)

    def _point(self, row: int, column: int) -> None:
        """Draw a whole backgammon point at its base."""
        picture, half, down = self._picture, self._rows // 2, 1 if row == 0 else -1
        if row not in (0, self._rows - 1) or column in picture.rails:
            return
        before = sum(other not in picture.rails for other in range(column))
        (x, y), side = self._middle(row, column), self._cell / 2
        base, tip = y - down * side, y + down * (half - 0.6) * self._cell
        corners = [(x - side, base), (x + side, base), (x, tip)]
        colour = SPIKES[(before + (down < 0)) % 2]
        self._drawing.polygon([(a * ZOOM, b * ZOOM) for a, b in corners], colour)

    def _edges(self, across: int, down: int) -> None:
        """Draw the four edges of a board of hexagons in the colours of the seats that own them."""
        for seat, cell, places in owned_edges(self._rows, self._columns, across, down):
            corners = self._corners(*cell, 0)
            points = [tuple(ZOOM * c for c in corners[place]) for place in places]
            self._drawing.line(points, self._colour_of(seat), 5 * ZOOM, "curve")

    def _corners(self, row: int, column: int, inset: float) -> list[tuple[float, float]]:
        """Return the corners of a cell, clockwise from the top or the upper left."""
        x, y = self._middle(row, column)
        return [(x + dx, y + dy) for dx, dy in corner_steps(self._cell / 2 - inset, self._picture.slanted)]

    def _outline(self, row: int, column: int, colour: Colour, width: int = 1) -> None:
        corners = self._corners(row, column, 0 if width == 1 else width / 2 + 1)
        points = [(x * ZOOM, y * ZOOM) for x, y in corners]
        self._drawing.line([*points, *points[:2]], colour, width * ZOOM, "curve")

    def _mark(self, row: int, column: int) -> None:
        """Mark the last move, or what decided the game: by a dot on a stone, or by the edge of the cell."""
        if self._picture.board == "crossings":
            white = self._picture.sides[int(self._picture.pieces[row, column])] == "white"
            self._disc(*self._middle(row, column), 0.14 * self._cell, SIDES["black" if white else "white"])
        else:
            self._outline(row, column, BACKGROUND if self._picture.ground_of(row, column) else self._paper.ink, 3)

    def _piece(self, row: int, column: int) -> None:
        """Draw a disc or a ring with its letter, a figure, a card or its back, a die, a bowl or a filled cell."""
        picture, (x, y) = self._picture, self._middle(row, column)
        seat = int(picture.pieces[row, column])
        text = "" if picture.letters is None else str(picture.letters[row, column])
        figure = "" if picture.figures is None else str(picture.figures[row, column])
        colour = self._colour_of(seat)
        if text == HIDDEN:
            self._card(x, y, "", BACK, GROUNDS["back"])
        elif figure in FIGURES:
            self._figure(x, y, figure)
        elif figure:
            self._die(x, y, figure)
        elif picture.board == "cards" or seat == NOBODY:
            ink = "" if picture.inks is None else str(picture.inks[row, column])
            self._card(x, y, text, INKS[ink or "black"], GROUNDS["face"])
        elif picture.board == "bowls":
            self._disc(x, y, 0.44 * self._cell, BOWL)
            self._text(x, y, text, 0.4 * self._cell, BACKGROUND)
        elif picture.board == "tiles":
            self._box(x, y, self._cell / 2, self._cell / 2, colour)
            self._text(x, y, text, 0.6 * self._cell, self._paper.ground)
        else:
            self._stone(x, y, seat, text, colour)

    def _stone(self, x: float, y: float, seat: int, text: str, colour: Colour) -> None:
        """Draw a disc, or the ring of a second seat, with its letter; white and black are discs with an edge."""
        sides = self._picture.sides
        if sides:
            radius = (0.47 if self._picture.board == "crossings" else 0.41) * self._cell
            self._disc(x, y, radius, colour, LAST)
            self._text(x, y, text, 0.42 * self._cell, SIDES["black" if sides[seat] == "white" else "white"])
            return
        ring, radius = seat % 2 == 1, 0.38 * self._cell
        box = [(x - radius) * ZOOM, (y - radius) * ZOOM, (x + radius) * ZOOM, (y + radius) * ZOOM]
        thick = round(self._cell * (0.07 if text else 0.13) * ZOOM)
        self._drawing.ellipse(box, None if ring else colour, colour, thick)
        self._text(x, y, text, 0.42 * self._cell, colour if ring else self._paper.ground)

    def _figure(self, x: float, y: float, figure: str) -> None:
        """Draw a chess symbol: a filled shape with an edge, since the font's outlines look almost black."""
        white = figure in WHITE
        self._drawing.text(
            (x * ZOOM, y * ZOOM),
            figure.translate(FILLED),
            SIDES["white" if white else "black"],
            font(round(FIGURE * self._cell * ZOOM)),
            anchor="mm",
            stroke_width=round(0.016 * self._cell * ZOOM) if white else 0,
            stroke_fill=LAST,
        )

    def _card(self, x: float, y: float, text: str, ink: Colour, face: Colour) -> None:
        half_x, half_y = 0.38 * self._cell, 0.45 * self._cell
        box = [(x - half_x) * ZOOM, (y - half_y) * ZOOM, (x + half_x) * ZOOM, (y + half_y) * ZOOM]
        self._drawing.rounded_rectangle(box, 0.08 * self._cell * ZOOM, face, ink, ZOOM)
        size = 0.4 * self._cell
        self._text(x, y, text, min(size, size * 1.8 * half_x / max(_width(text, round(size)), 1)), ink)

    def _die(self, x: float, y: float, figure: str) -> None:
        """Draw a die with its pips."""
        half = 0.36 * self._cell
        self._drawing.rounded_rectangle(
            [(x - half) * ZOOM, (y - half) * ZOOM, (x + half) * ZOOM, (y + half) * ZOOM],
            0.1 * self._cell * ZOOM,
            GROUNDS["face"],
            LAST,
            ZOOM,
        )
        for i, pip in enumerate(PIPS[DICE.index(figure) + 1]):
            if pip != " ":
                dx, dy = (i % 3 - 1) * 0.58 * half, (i // 3 - 1) * 0.58 * half
                self._disc(x + dx, y + dy, 0.17 * half, INKS["black"])

    def _disc(self, x: float, y: float, radius: float, colour: Colour, edge: Colour | None = None) -> None:
        box = [(x - radius) * ZOOM, (y - radius) * ZOOM, (x + radius) * ZOOM, (y + radius) * ZOOM]
        self._drawing.ellipse(box, colour, edge, ZOOM)

    def _box(self, x: float, y: float, half_x: float, half_y: float, colour: Colour) -> None:
        """Fill a rectangle round a point; without a gap to the next."""
        box = [(x - half_x) * ZOOM, (y - half_y) * ZOOM, (x + half_x) * ZOOM, (y + half_y) * ZOOM]
        self._drawing.rectangle([round(edge) for edge in box], colour)

    def _line(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        self._drawing.line([tuple(ZOOM * c for c in begin), tuple(ZOOM * c for c in end)], GRID, ZOOM)

    def _colour_of(self, seat: int) -> Colour:
        """Return the colour of a seat's pieces: that of its side, or its own on this paper."""
        own = seat >= 0 and not self._picture.sides
        return self._paper.seats[seat % len(self._paper.seats)] if own else self._picture.colour_of(seat)

    def _text(self, x: float, y: float, text: str, size: float, colour: Colour | None = None) -> None:
        self._drawing.text((x * ZOOM, y * ZOOM), text, colour or self._paper.ink, font(round(size * ZOOM)), anchor="mm")


def _lines(texts: Sequence[str]) -> int:
    """Return the pixels that lines of text take, with a gap below them."""
    return len(texts) * (TEXT + 6) + 8 if texts else 0


def _width(text: str, size: int = TEXT, mono: bool = False) -> int:
    return round(font(size, mono).getlength(text))


def _enlarged(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    canvas = Image.new("RGB", size, BACKGROUND)
    canvas.paste(picture)
    return canvas
