"""Pieces at any size: discs, rings and chess figures as bitmaps, written in quarter blocks or in braille dots."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from arena.tui.drawing.figures import drawn_figure

Bitmap = NDArray[np.bool_]
Form = Callable[[NDArray[np.float64], NDArray[np.float64]], Bitmap]
"""Tells which points are inside, by their distance from the middle, right and down, in radii."""

SAMPLES = 4
"""Points at which a quarter of a character is sampled, each way."""
FORMS: tuple[Form, ...] = (
    lambda x, y: np.hypot(x, y) <= 1,
    lambda x, y: (np.hypot(x, y) <= 1) & (np.hypot(x, y) >= 0.58),
    lambda x, y: (np.abs(x) <= (y + 1) / 1.8) & (y <= 0.75),
    lambda x, y: (np.maximum(np.abs(x), np.abs(y)) <= 0.86) & (np.maximum(np.abs(x), np.abs(y)) >= 0.5),
)
"""Pieces by seat: disc, ring, triangle, frame."""
DISC, RING = 0, 1
QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""Quarter blocks by the bits of their filled quarters: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
LOWER = str.maketrans("█▟▙", "▇▆▆"), str.maketrans("█▟▙", "▆▄▄")
"""Blocks with a gap above for those without one: a narrow gap, and one for cells of two lines."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Blocks by the eighths of their width that are filled, from the left."""
BRAILLE = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""Bit of each dot in the code of a braille character."""


@cache
def piece(form: int, width: int, height: int, fill: float, apart: bool = False) -> tuple[str, ...]:
    """Return a piece in lines of quarter blocks, as large as it fits but for a margin.

    With `apart`, a disc leaves a gap above, where the disc of the cell above would join it to one long shape.
    """
    radius = fill * min(width / 2, height)
    x = (np.arange(2 * width * SAMPLES) + 0.5) / (2 * SAMPLES) - width / 2
    y = (np.arange(2 * height * SAMPLES) + 0.5) / SAMPLES - height
    stretched = 1.25 if height == 2 else 1.0  # in four rows of quarters a circle would be a cross
    inside = FORMS[form](x[None, :] / radius, y[:, None] / (stretched * radius))
    first, *others = quarter_blocks(_reduced(inside, 2 * height, 2 * width))
    if apart and form == DISC:
        first = first.translate(LOWER[height == 2])
    return first, *others


@cache
def spike(width: int, height: int, begin: float, end: float) -> tuple[str, ...]:
    """Return a slice of a long triangle, `begin` and `end` of its width at the top and the bottom, 0 to 1."""
    x = np.abs((np.arange(2 * width * SAMPLES) + 0.5) / SAMPLES - width) / width
    y = (np.arange(2 * height * SAMPLES) + 0.5) / (2 * height * SAMPLES)
    return quarter_blocks(_reduced(x[None, :] <= (begin + (end - begin) * y)[:, None], 2 * height, 2 * width))


@cache
def thin_spike(width: int, begin: float, end: float) -> tuple[str, str, str]:
    """Return a slice of a long triangle that is one line high: what is left of it, its middle, and its right side.

    The left part is drawn in the colour of the surface upon that of the triangle, as blocks are filled from the left.
    """
    half = (width - 1) // 2
    filled = round(8 * max(width * (begin + end) / 2 - 1, 0) / 2)  # eighths on each side of the middle
    if filled == 0 and min(begin, end) == 0:  # the tip
        return " " * half, "╹" if begin > end else "╻", " " * (width - 1 - half)
    whole, rest = divmod(filled, 8)
    empty = "█" * (half - whole - (rest > 0)) + (EIGHTHS[8 - rest] if rest else "")
    right = ("█" * whole + (EIGHTHS[rest] if rest else "")).ljust(width - 1 - half)
    return empty + " " * whole, "█", right


@cache
def figure(symbol: str, width: int, height: int, outlined: bool) -> tuple[str, ...]:
    """Return a chess symbol in lines of quarter blocks, or its outline in braille dots."""
    dots = drawn_figure(symbol, width, height)
    if not outlined:
        return quarter_blocks(_reduced(dots, 2 * height, 2 * width, least=0.45))
    wide = np.pad(dots, 1)
    inner = wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    edge = (dots & ~inner).reshape(height, 4, width, 2)
    codes = (edge * BRAILLE[:, None, :]).sum(axis=(1, 3))
    return tuple("".join(chr(0x2800 + code) if code else " " for code in line) for line in codes)


def quarter_blocks(dots: Bitmap) -> tuple[str, ...]:
    """Return lines of quarter blocks, of dots [2 H, 2 W]."""
    height, width = dots.shape
    blocks = dots.reshape(height // 2, 2, width // 2, 2)
    codes = (blocks * np.array([[1, 2], [4, 8]])[:, None, :]).sum(axis=(1, 3))
    return tuple("".join(QUARTERS[code] for code in line) for line in codes)


def _reduced(dots: Bitmap, rows: int, columns: int, least: float = 0.5) -> Bitmap:
    """Return dots [rows, columns], those of which at least a part `least` is filled."""
    height, width = dots.shape
    shares: NDArray[np.float64] = dots.reshape(rows, height // rows, columns, width // columns).mean(axis=(1, 3))
    return shares >= least
