"""A chart of ratings as SVG: the way of a bot, with the band that holds its rating with 95 %."""

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from arena.base.intervals import NORMAL_95

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 640.0, 220.0, 52.0, 26.0, 10.0
MOST_TICKS = 5
STEPS = (1, 2, 5)


def rating_chart(title: str, points: Sequence[dict[str, Any]]) -> Markup | None:
    """Draw the ratings of `arena.server.history.rating_history`; None for fewer than two."""
    if len(points) < 2:
        return None
    games = [one["games"] for one in points]
    centre = [one["rating"] for one in points]
    half = [NORMAL_95 * one["deviation"] for one in points]
    lowest = min(centre) - min(half)
    highest = max(centre) + min(half)  # what is less certain at first runs out of the picture
    ticks = _ticks(lowest, highest)
    span = ticks[-1] - ticks[0]

    def x(number: float) -> float:
        return LEFT + (WIDTH - LEFT - 8) * (number - games[0]) / (games[-1] - games[0])

    def y(rating: float) -> float:
        inside = min(max(rating, ticks[0]), ticks[-1])
        return ABOVE + (HEIGHT - ABOVE - BELOW) * (ticks[-1] - inside) / span

    upper = [(x(at), y(mid + wide)) for at, mid, wide in zip(games, centre, half, strict=True)]
    lower = [(x(at), y(mid - wide)) for at, mid, wide in zip(games, centre, half, strict=True)]
    pieces = [
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}">',
        f"<title>{escape(title)}</title>",
        f'<polygon class="band" points="{_points(upper + lower[::-1])}"/>',
    ]
    for tick in ticks:
        height = y(tick)
        pieces.append(f'<line x1="{LEFT:.0f}" x2="{WIDTH:.0f}" y1="{height:.1f}" y2="{height:.1f}"/>')
        pieces.append(f'<text class="end" x="{LEFT - 6:.0f}" y="{height + 4:.1f}">{tick:.0f}</text>')
    pieces.append(f'<polyline points="{_points([(x(at), y(mid)) for at, mid in zip(games, centre, strict=True)])}"/>')
    pieces.append(f'<text x="{LEFT:.0f}" y="{HEIGHT - 6:.0f}">{games[0]:,} games</text>')
    pieces.append(f'<text class="end" x="{WIDTH - 4:.0f}" y="{HEIGHT - 6:.0f}">{games[-1]:,} games</text></svg>')
    return Markup("".join(pieces))


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _ticks(lowest: float, highest: float) -> list[float]:
    """Return round numbers around a range, equally far apart."""
    scale = 10.0 ** math.floor(math.log10(max(highest - lowest, 1.0) / MOST_TICKS))
    sizes = [step * scale * further for further in (1, 10) for step in STEPS]
    size = next(one for one in sizes if (highest - lowest) / one <= MOST_TICKS)
    first, last = math.floor(lowest / size), math.ceil(highest / size)
    return [size * place for place in range(first, max(last, first + 1) + 1)]
