"""Curves in braille dots: two columns and four lines of dots to a character."""

import math
from collections.abc import Sequence

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bit of each dot in a character, by column and line."""


def plot(values: Sequence[float | None], width: int, height: int, low: float, high: float) -> list[str]:
    """A curve through `values` as `height` lines of `width` characters, `low` at the bottom and `high` on top.

    None leaves a gap that the curve bridges; values out of range lie on the edge. The curve is stretched over the width
    only where it is longer than that: a short one grows from the left, a dot a value.

    >>> plot([0, 1, 2, 3], 2, 1, 0, 3), plot([], 2, 1, 0, 1)
    (['⡠⠊'], ['⠀⠀'])
    """
    columns, lines = 2 * width, 4 * height
    bits = [[0] * width for _ in range(height)]
    squeeze = min(1.0, (columns - 1) / max(len(values) - 1, 1))
    before: tuple[int, int] | None = None
    for i, value in enumerate(values):
        if value is None or not math.isfinite(value):
            continue
        share = (min(max(value, low), high) - low) / (high - low)
        x, y = round(i * squeeze), round((1 - share) * (lines - 1))
        for dot_x, dot_y in _between(before or (x, y), (x, y)):
            bits[dot_y // 4][dot_x // 2] |= DOTS[dot_x % 2][dot_y % 4]
        before = x, y
    return ["".join(chr(0x2800 + dots) for dots in row) for row in bits]


def _between(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """The dots of a straight line, both ends included."""
    across, down = end[0] - start[0], end[1] - start[1]
    steps = max(abs(across), abs(down), 1)
    return [(start[0] + round(across * i / steps), start[1] + round(down * i / steps)) for i in range(steps + 1)]
