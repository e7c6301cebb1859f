"""Curves in characters: pure functions from points to lines of text. A braille character holds 2 x 4 dots."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite

Point = tuple[float, float]
Span = tuple[str, str]
"""Characters and their role: `axis`, `band`, or the style of a curve."""

BRAILLE = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bit of each dot: of the left and the right column, from the top."""
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Curve:
    """Points joined by a line."""

    name: str
    points: Sequence[Point]
    """x and y, x rising; points that are not finite are left out."""
    look: str = "seat-0"
    band: Sequence[tuple[float, float, float]] = ()
    """x, lower and upper end of an interval around the line."""


def plot(
    curves: Sequence[Curve], width: int, height: int, low: float | None = None, high: float | None = None
) -> list[list[Span]]:
    """Plot `curves` in `height` lines of `width` columns, with axes; several curves carry a letter at their end.

    The y axis spans `low` to `high`, by default the values; the x axis spans the points. Return a list of spans for
    each line, whose texts add up to `width` columns. Without points, or without room, the lines are blank.
    """
    curves = [_finite(curve) for curve in curves]
    everything = [point for curve in curves for point in curve.points]
    if not everything or width < 12 or height < 3:
        return [[(" " * width, "axis")]] * height
    ends = [y for _, low_end, high_end in (b for curve in curves for b in curve.band) for y in (low_end, high_end)]
    bottom, top = _range([y for _, y in everything] + ends, low, high)
    first, last = min(x for x, _ in everything), max(x for x, _ in everything)
    labels = {0: short(top), height - 2: short(bottom)}
    if height >= 7:
        labels[(height - 2) // 2] = short(top + (bottom - top) * ((height - 2) // 2) / (height - 2))
    margin = max(map(len, labels.values()))
    canvas = _Canvas(width - margin - 2, height - 1, (first, last), (bottom, top))
    for number, curve in enumerate(curves):
        canvas.draw(curve, NAMES[number % 26] if len(curves) > 1 else "")
    lines = [
        [(labels.get(row, "").rjust(margin) + (" ┤" if row in labels else " │"), "axis"), *canvas.line(row)]
        for row in range(height - 1)
    ]
    left, right = short(first), short(last)
    room = canvas.columns - len(left)
    foot = " " * (margin + 2) + left + (right.rjust(room) if len(right) < room else " " * max(room, 0))
    return [*lines, [(foot[:width], "axis")]]


class _Canvas:
    """Cells of 2 x 4 dots; a cell has the style of what was drawn on it last."""

    def __init__(self, columns: int, rows: int, x: tuple[float, float], y: tuple[float, float]):
        self.columns, self.rows = columns, rows
        self._x, self._y = x, y
        self._bits: dict[tuple[int, int], int] = {}
        self._looks: dict[tuple[int, int], str] = {}
        self._letters: dict[tuple[int, int], str] = {}

    def draw(self, curve: Curve, letter: str) -> None:
        """Draw a line through the points, the ends of its band as sparser dots, and the letter where it ends."""
        for end in (1, 2):
            for column, dot in enumerate(self._dots([(b[0], b[end]) for b in curve.band])):
                if dot is not None and column % 2 == 0:
                    self._set(column, dot, "band")
        before = at = None
        for column, dot in enumerate(self._dots(curve.points)):
            if dot is None:
                continue
            at = (column, dot)
            start = dot if before is None else before
            for y in range(min(start, dot), max(start, dot) + 1):
                self._set(column, y, curve.look)
            before = dot
        letter = letter or ("•" if len(curve.points) == 1 else "")
        if letter and at is not None:
            cell = (min(at[0] // 2, self.columns - 1), at[1] // 4)
            self._letters[cell], self._looks[cell] = letter, curve.look

    def _dots(self, points: Sequence[Point]) -> list[int | None]:
        """Return the dot (0 on top) of each column of dots: the mean of its points, interpolated between points."""
        heaps: dict[int, list[float]] = {}
        (first, last), wide = self._x, 2 * self.columns - 1
        for x, y in points:
            heaps.setdefault(round((x - first) / (last - first) * wide) if last > first else wide // 2, []).append(y)
        known = [(column, sum(heap) / len(heap)) for column, heap in sorted(heaps.items())]
        line: list[int | None] = [None] * (wide + 1)
        for (column, y), (beyond, target) in zip(known, [*known[1:], known[-1]] if known else [], strict=True):
            for step in range(max(beyond - column, 1)):
                line[column + step] = self._dot(y + (target - y) * step / max(beyond - column, 1))
        return line

    def _dot(self, y: float) -> int:
        bottom, top = self._y
        share = (y - bottom) / (top - bottom) if top > bottom else 0.5
        return floor((1 - min(max(share, 0.0), 1.0)) * (4 * self.rows - 1) + 0.5)

    def _set(self, column: int, dot: int, look: str) -> None:
        cell = (column // 2, dot // 4)
        self._bits[cell] = self._bits.get(cell, 0) | DOTS[column % 2][dot % 4]
        self._looks[cell] = look

    def line(self, row: int) -> list[Span]:
        """Return one line of the canvas, neighbours of one style joined."""
        spans: list[Span] = []
        for column in range(self.columns):
            cell = (column, row)
            bits = self._bits.get(cell)
            sign = self._letters.get(cell) or (" " if bits is None else chr(BRAILLE + bits))
            look = self._looks.get(cell, "axis")
            if spans and (spans[-1][1] == look or sign == " "):
                spans[-1] = (spans[-1][0] + sign, spans[-1][1])
            else:
                spans.append((sign, look))
        return spans


def spark(values: Sequence[float], width: int) -> str:
    """Return values over time in one line, the latest `width` of them.

    >>> spark([1, 2, 3, 5, 8], 4)
    '▁▂▅█'
    """
    values = [value for value in values if isfinite(value)][-width:]
    low, high = min(values, default=0.0), max(values, default=0.0)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * (v - low) / (high - low)) if high > low else 3] for v in values)


def short(value: float) -> str:
    """Format a number in few characters.

    >>> [short(x) for x in (0, 0.123, -0.5, 12.5, 1803.4, 45_600, 1_500_000)]
    ['0', '0.12', '−0.5', '12.5', '1803', '45.6k', '1.5M']
    """
    size = abs(value)
    for limit, unit, sign in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if size >= limit:
            return f"{value / unit:.3g}{sign}".replace("-", "−")
    text = f"{value:.0f}" if size >= 1000 else f"{value:.3g}" if size >= 1 else f"{value:.2g}"
    return text.replace("-", "−")


def _finite(curve: Curve) -> Curve:
    points = [point for point in curve.points if all(map(isfinite, point))]
    return Curve(curve.name, points, curve.look, [b for b in curve.band if all(map(isfinite, b))])


def _range(values: Iterable[float], low: float | None, high: float | None) -> Point:
    """Return the ends of the y axis: those given, else those of the values; equal ends are moved apart."""
    values = list(values)
    bottom, top = (min(values) if low is None else low), (max(values) if high is None else high)
    if bottom < top:
        return bottom, top
    return bottom - (abs(bottom) or 1.0) / 10, bottom + (abs(bottom) or 1.0) / 10
