"""Chess symbols as bitmaps: drawn by hand for cells of seven columns and three lines, of a font for larger ones."""

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from games.engine.picture import BLACK, FILLED, WHITE

TALLEST = BLACK[-1]
PAWN = """
..........
..........
....##....
...####...
...####...
....##....
....##....
....##....
...####...
...####...
..######..
.########.
"""
KNIGHT = """
....##....
...####...
..######..
.###.####.
##########
####.#####
.#...#####
....######
...######.
..#######.
.########.
.########.
"""
BISHOP = """
....##....
....##....
..##.###..
..##.###..
..######..
...####...
...####...
...####...
....##....
....##....
.########.
.########.
"""
ROOK = """
.##.##.##.
.##.##.##.
.########.
..######..
..######..
..######..
..######..
..######..
..######..
..######..
.########.
.########.
"""
QUEEN = """
#...##...#
#...##...#
##..##..##
##.####.##
##########
##########
.########.
.########.
..######..
..######..
.########.
.########.
"""
KING = """
....##....
....##....
..######..
....##....
.###..###.
##########
##########
.########.
..######..
..######..
.########.
.########.
"""
DRAWINGS = dict(zip(WHITE + BLACK, (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING) * 2, strict=True))
SIZE = 400
"""Pixels on a side of the square in which a figure of the font is drawn."""


PAWN_MARGIN = 1.2
"""Room for a pawn, by which it is smaller than in the font: there it is almost as high as a king."""


@cache
def drawn_figure(figure: str, width: int, height: int) -> NDArray[np.bool_]:
    """Return a chess symbol, filled, as dots [4 H, 2 W] for as many braille characters; it has a margin.

    Small ones are drawn by hand; larger ones are those of the font that images have.
    """
    if height == 3:
        drawn = np.array([[sign == "#" for sign in line] for line in DRAWINGS[figure].split()])
    else:
        drawn = _from_font(figure.translate(FILLED), min(2 * width, 4 * height) - (height > 3))
    dots = np.zeros((4 * height, 2 * width), np.bool_)
    top, left = 4 * height - len(drawn), width - drawn.shape[1] // 2
    dots[top : top + len(drawn), left : left + drawn.shape[1]] = drawn
    return dots


def _from_font(figure: str, side: int) -> NDArray[np.bool_]:
    """Return a symbol of the font as dots [side, side], all of which stand on one line."""
    canvas = Image.new("L", (SIZE, SIZE))
    ImageDraw.Draw(canvas).text((SIZE // 2, SIZE), figure, 255, font(SIZE), anchor="ms")
    left, top, right, bottom = ImageDraw.Draw(canvas).textbbox((SIZE // 2, SIZE), TALLEST, font(SIZE), anchor="ms")
    middle, size = (left + right) / 2, (bottom - top) * (PAWN_MARGIN if figure == BLACK[0] else 1)
    box = (middle - size / 2, bottom - size, middle + size / 2, bottom)
    return np.asarray(canvas.resize((side, side), Image.Resampling.BOX, box)) >= 128


@cache
def font(size: int, mono: bool = False) -> Any:
    """Return DejaVu Sans, which has the symbols of seats and of chess, or its letters of one width.

    They come with matplotlib.
    """
    spec = importlib.util.find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    fonts = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return ImageFont.truetype(fonts / f"DejaVuSans{'Mono' * mono}.ttf", size)
