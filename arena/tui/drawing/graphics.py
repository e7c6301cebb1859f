"""Pixels in a terminal's own graphics, sixel or kitty's protocol: control sequences that paint over half blocks.

The cells below a picture hold its half blocks all the time. Whatever a screen does with cells (cut them, cover them
with a dialog, save them to a file) works as everywhere else, and a terminal drops the part of a picture whose cells are
written.
"""

import os
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLOURS = 256
"""Most colours of a sixel image."""
CHUNK = 4096
"""Most characters of data in one command of kitty's protocol."""
PLACEHOLDER = "\U0010eeee"
"""Stands for one cell of a picture in kitty's protocol; its colour is the number of the picture."""
OTHER_MARKS = (
    "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u0313\u0314\u0342\u0653\u0654"
)
"""Marks above a letter that number no row in kitty's protocol, because letters are composed with them."""


class PixelRoom(NamedTuple):
    """Cells that a picture fills."""

    columns: int
    lines: int
    cell_width: int
    """Width of a cell in pixels."""
    cell_height: int


class Graphics(Protocol):
    """Way in which a terminal shows pixels."""

    def place(self) -> int:
        """Return the number of a new place on the screen; a picture replaces the one before it in its place."""
        ...

    def paint(self, pixels: "NDArray[np.uint8]", room: PixelRoom, place: int) -> Sequence[str] | None:
        """Return what is sent for each line, the cursor in its first column; None if the room has too many lines.

        `pixels` [H, W, 3] are scaled to the room.
        """
        ...

    def farewell(self) -> str:
        """Return what is sent at the end, so that the terminal keeps no picture."""
        ...


class Sixel:
    """Sixel graphics (DEC VT340): an image of at most 256 colours, sent with the last line of the room."""

    def place(self) -> int:
        """Return 0: an image is part of the cells that it covers."""
        return 0

    def paint(self, pixels: "NDArray[np.uint8]", room: PixelRoom, place: int) -> Sequence[str]:
        """Return nothing but for the last line, which goes up to the first and sends the image."""
        from PIL import Image
        from textual_image._sixel import image_to_sixels

        width, height = room.columns * room.cell_width, room.lines * room.cell_height
        source = Image.fromarray(pixels)
        reduced = source.resize((min(width, source.width), min(height, source.height)), Image.Resampling.BOX)
        indexed = reduced.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        image = image_to_sixels(indexed.resize((width, height), Image.Resampling.NEAREST))
        up = f"\x1b[{room.lines - 1}A" if room.lines > 1 else ""  # zero would be taken for one
        return [*[""] * (room.lines - 1), up + image]

    def farewell(self) -> str:
        """Return nothing: images go with their cells."""
        return ""


class Kitty:
    """Graphics protocol of kitty, with Unicode placeholders: an image is data, and characters say where it is shown.

    Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders
    """

    def __init__(self) -> None:
        self._numbers = count((os.getpid() % 2**15) << 8 | 1)  # other programs number images of this terminal too
        self._places: list[int] = []

    def place(self) -> int:
        """Return the number, below 2**24, of the images in a new place."""
        self._places.append(next(self._numbers))
        return self._places[-1]

    def paint(self, pixels: "NDArray[np.uint8]", room: PixelRoom, place: int) -> Sequence[str] | None:
        """Return the placeholders of each line, the first after the image itself, a PNG that the terminal scales."""
        marks = _row_marks()
        if room.lines > len(marks):
            return None
        image = _transmission(pixels, place) + _command(f"a=p,U=1,i={place},c={room.columns},r={room.lines},q=2")
        red, green, blue = place.to_bytes(3, "big")
        others = PLACEHOLDER * (room.columns - 1)  # one without marks continues the row
        lines = [
            f"\x1b[38;2;{red};{green};{blue}m{PLACEHOLDER}{mark}{marks[0]}{others}\x1b[39m"
            for mark in marks[: room.lines]
        ]
        return [image + lines[0], *lines[1:]]

    def farewell(self) -> str:
        """Return what frees the images."""
        return "".join(_command(f"a=d,d=I,i={place},q=2") for place in self._places)


def _transmission(pixels: "NDArray[np.uint8]", number: int) -> str:
    """Return the commands that transmit pixels as an image of this number; only the first of them names it."""
    from PIL import Image  # here: the first screen is shown before anything heavy is loaded

    file = BytesIO()
    Image.fromarray(pixels).save(file, format="png", compress_level=2)
    data = b64encode(file.getvalue()).decode("ascii")
    chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    more = [*[",m=1"] * (len(chunks) - 1), ",m=0"]
    keys = [f"a=t,f=100,i={number},q=2", *["q=2"] * (len(chunks) - 1)]
    return "".join(_command(key + rest, chunk) for key, rest, chunk in zip(keys, more, chunks, strict=True))


def _command(keys: str, data: str = "") -> str:
    return f"\x1b_G{keys};{data}\x1b\\"


@cache
def _row_marks() -> list[str]:
    """Return the marks that number rows and columns: the part of kitty's list that no later Unicode adds to."""
    return [
        mark
        for mark in map(chr, range(0x300, 0x830))
        if unicodedata.combining(mark) == 230
        and unicodedata.category(mark) == "Mn"
        and not unicodedata.decomposition(mark)
        and mark not in OTHER_MARKS
    ]
