"""Image files of a match: a PNG of a position, an animated GIF of a game, drawn from the game's picture."""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from arena.base.saving import write_whole
from arena.tui.drawing.figures import BLACK, WHITE
from games.engine.picture import BACKGROUND, COLOURS, LAST, LINE, Picture

Colour = tuple[int, int, int]
BOARD_PIXELS, MIN_CELL, MAX_CELL = 560, 22, 64
"""Approximate width of a board in pixels, and bounds on the side of a cell."""
MARGIN, TEXT = 16, 15
ZOOM = 3
"""Oversampling factor: everything is drawn this many times larger, then reduced, which smooths edges."""
SLANT = 3**0.5 / 2
"""Distance between the rows of a hexagonal board, in cells."""
FILLED = str.maketrans(WHITE, BLACK)
LAST_FRAME_S = 2.0
"""Minimum time that a GIF shows its last frame."""


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


def image(frame: Frame) -> Image.Image:
    """Return the board with its labels and notes, or the pixels of the picture, an RGB image."""
    picture = frame.picture
    if picture.pixels is not None:
        return _pixels_image(picture.pixels, frame.captions)
    rows, columns = picture.pieces.shape
    cell = min(max(BOARD_PIXELS // max(columns, 1), MIN_CELL), MAX_CELL)
    across = columns + (rows - 1) / 2 if picture.slanted else columns
    down = (rows - 1) * SLANT + 4 / 3 * SLANT if picture.slanted else rows
    left = MARGIN + max(map(_width, picture.row_labels), default=0) + 8
    top = MARGIN + _lines(frame.captions) + (TEXT + 8 if any(picture.column_labels) else 0)
    width = max(left + round(across * cell) + MARGIN, *(_width(text) + 2 * MARGIN for text in _texts(frame)))
    bottom = top + down * cell + (TEXT + 8 if any(picture.bottom_labels) else 0)
    height = round(bottom) + MARGIN + _lines(picture.notes)
    canvas = Image.new("RGB", (width * ZOOM, height * ZOOM), BACKGROUND)
    _Board(ImageDraw.Draw(canvas), picture, left, top, cell).draw()
    drawing = ImageDraw.Draw(canvas)
    for y, text in (
        *((MARGIN + i * (TEXT + 6), text) for i, text in enumerate(frame.captions)),
        *((bottom + 10 + i * (TEXT + 6), text) for i, text in enumerate(picture.notes)),
    ):
        drawing.text((MARGIN * ZOOM, y * ZOOM), text, LAST, _font(TEXT * ZOOM))
    return canvas.resize((width, height), Image.Resampling.LANCZOS)


def _pixels_image(pixels: NDArray[np.uint8], captions: tuple[str, ...]) -> Image.Image:
    """Return pixels [H, W, 3] as they are, below the captions."""
    drawn, top = Image.fromarray(pixels), MARGIN + _lines(captions)
    width = max(drawn.width, *map(_width, ("", *captions))) + 2 * MARGIN
    canvas = Image.new("RGB", (width, top + drawn.height + MARGIN), BACKGROUND)
    canvas.paste(drawn, (MARGIN, top))
    drawing = ImageDraw.Draw(canvas)
    for i, text in enumerate(captions):
        drawing.text((MARGIN, MARGIN + i * (TEXT + 6)), text, LAST, _font(TEXT))
    return canvas


class _Board:
    """Draws the cells of a picture; coordinates are pixels of the file, multiplied by `ZOOM` when drawn."""

    def __init__(self, drawing: ImageDraw.ImageDraw, picture: Picture, left: float, top: float, cell: float):
        self._drawing, self._picture = drawing, picture
        self._left, self._top, self._cell = left, top, cell

    def draw(self) -> None:
        """Draw cells, labels and pieces."""
        picture = self._picture
        rows, columns = picture.pieces.shape
        for row in range(rows):
            for column in range(columns):
                self._outline(row, column)
            x, y = self._middle(row, 0)
            self._text(x - self._cell / 2 - 6 - _width(picture.row_labels[row]) / 2, y, picture.row_labels[row], TEXT)
        for column, label in enumerate(picture.column_labels):
            x, y = self._middle(0, column)
            self._text(x, y - self._cell / 2 - 4 - TEXT / 2, label, TEXT)
        for column, label in enumerate(picture.bottom_labels):
            x, y = self._middle(rows - 1, column)
            self._text(x, y + self._cell / 2 + 8 + TEXT / 2, label, TEXT)
        for row in range(rows):
            for column in range(columns):
                if picture.pieces[row, column] >= 0:
                    self._piece(row, column)
        for cell in picture.marked:
            self._outline(*cell, LAST, 3)

    def _middle(self, row: int, column: int) -> tuple[float, float]:
        if self._picture.slanted:
            return (
                self._left + (column + row / 2 + 0.5) * self._cell,
                self._top + (row + 2 / 3) * SLANT * self._cell,
            )
        return self._left + (column + 0.5) * self._cell, self._top + (row + 0.5) * self._cell

    def _outline(self, row: int, column: int, colour: Colour = LINE, width: int = 1) -> None:
        x, y = self._middle(row, column)
        half, inset = self._cell / 2, 0 if width == 1 else width / 2 + 1
        if self._picture.slanted:
            far = (half - inset) / SLANT
            corners = [(0, -far), (half - inset, -far / 2), (half - inset, far / 2), (0, far)]
            corners += [(inset - half, far / 2), (inset - half, -far / 2)]
        else:
            corners = [(sx * (half - inset), sy * (half - inset)) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        points = [((x + dx) * ZOOM, (y + dy) * ZOOM) for dx, dy in corners]
        self._drawing.line([*points, *points[:2]], colour, width * ZOOM, "curve")

    def _piece(self, row: int, column: int) -> None:
        """Draw a disc or a ring with its letter, a card, or the back of a hidden card."""
        picture, (x, y) = self._picture, self._middle(row, column)
        seat = int(picture.pieces[row, column])
        text = "" if picture.letters is None else str(picture.letters[row, column])
        figure = "" if picture.figures is None else str(picture.figures[row, column])
        colour, ring = COLOURS[seat % len(COLOURS)], seat % 2 == 1
        radius = 0.38 * self._cell
        if figure:
            self._figure(x, y, figure)
        elif picture.cards or text == "?":
            self._card(x, y, "" if text == "?" else text, colour)
        else:
            box = [(x - radius) * ZOOM, (y - radius) * ZOOM, (x + radius) * ZOOM, (y + radius) * ZOOM]
            thick = round(self._cell * (0.07 if text else 0.13) * ZOOM)
            self._drawing.ellipse(box, None if ring else colour, colour, thick)
            self._text(x, y, text, 0.42 * self._cell, colour if ring else BACKGROUND)

    def _figure(self, x: float, y: float, figure: str) -> None:
        """Draw a chess symbol; White's are filled shapes with an edge, since the font's outlines look almost black."""
        edge = round(0.016 * self._cell * ZOOM) if figure in WHITE else 0
        font = _font(round(0.76 * self._cell * ZOOM))
        self._drawing.text(
            (x * ZOOM, y * ZOOM),
            figure.translate(FILLED),
            BACKGROUND if edge else LAST,
            font,
            anchor="mm",
            stroke_width=edge,
            stroke_fill=LAST,
        )

    def _card(self, x: float, y: float, text: str, colour: Colour) -> None:
        half_x, half_y = 0.36 * self._cell, 0.44 * self._cell
        box = [(x - half_x) * ZOOM, (y - half_y) * ZOOM, (x + half_x) * ZOOM, (y + half_y) * ZOOM]
        self._drawing.rounded_rectangle(box, 0.08 * self._cell * ZOOM, None if text else colour, colour, 2 * ZOOM)
        self._text(x, y, text, min(0.4, 0.9 / max(len(text), 1)) * self._cell, LAST)

    def _text(self, x: float, y: float, text: str, size: float, colour: Colour = LAST) -> None:
        self._drawing.text((x * ZOOM, y * ZOOM), text, colour, _font(round(size * ZOOM)), anchor="mm")


def _texts(frame: Frame) -> tuple[str, ...]:
    return ("", *frame.captions, *frame.picture.notes)


def _lines(texts: Sequence[str]) -> int:
    """Return the pixels that lines of text take, with a gap below them."""
    return len(texts) * (TEXT + 6) + 8 if texts else 0


def _width(text: str) -> int:
    return round(_font(TEXT).getlength(text))


@cache
def _font(size: int) -> Any:
    """Return DejaVu Sans, which has the symbols of seats and of chess; it comes with matplotlib."""
    spec = importlib.util.find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    return ImageFont.truetype(Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf", size)


def _enlarged(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    canvas = Image.new("RGB", size, BACKGROUND)
    canvas.paste(picture)
    return canvas
