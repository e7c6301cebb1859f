"""The cross table as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arena.tournament.standings import Standing, Standings
from arena.tournament.tournament import TournamentResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#b35806", "#f4a64a", "#f7f7f7", "#7fb3d9", "#08519c")
"""A score of 0, a quarter, a half, three quarters, 1: orange to blue, which colour-blind people can tell apart."""
NO_SCORE, QUIET, LOUD = "#ececec", "#666666", "#111111"
CELL = 0.72
"""Inches."""


def save_cross_table(result: TournamentResult, path: Path) -> None:
    """Write a PNG: what each player scored against each other, in colour and in figures, the strongest on top."""
    from matplotlib.figure import Figure  # takes half a second; drawn on no screen, whatever the backend

    table = result.standings
    side = CELL * len(table.rows)
    figure = Figure(figsize=(side, side), dpi=160)
    axes = figure.add_axes((0, 0, 1, 1))  # names and title stand outside; the tight box below makes room for them
    _draw_scores(axes, table)
    for place, row in enumerate(table.rows):
        _label(axes, place, row)
    _caption(axes, result.game, 44, LOUD, size=12, weight="bold")
    _caption(axes, "score of the row against the column, in %", 28, QUIET, size=9)
    figure.savefig(path, bbox_inches="tight", pad_inches=0.2)


def _draw_scores(axes: "Axes", table: Standings) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("score", COLOURS).with_extremes(bad=NO_SCORE)
    scores = table.scores
    axes.imshow(np.ma.masked_invalid(scores), cmap=colours, vmin=0, vmax=1)
    for (i, j), score in np.ndenumerate(scores):
        if not np.isnan(score):
            brightness = np.dot(colours(score)[:3], (0.299, 0.587, 0.114))
            ink = LOUD if brightness > 0.55 else "white"
            axes.text(j, i, f"{100 * score:.0f}", ha="center", va="center", color=ink, fontsize=11)
    edges = np.arange(len(scores) + 1) - 0.5
    axes.hlines(edges, edges[0], edges[-1], color="white", linewidth=2)
    axes.vlines(edges, edges[0], edges[-1], color="white", linewidth=2)
    axes.axis("off")


def _label(axes: "Axes", place: int, row: Standing) -> None:
    """Rank, name and rating beside a row, and the rank above its column."""
    rating = f"Elo {row.elo:+.0f} ± {row.error:.0f}".replace("-", "\N{MINUS SIGN}")
    for x, y in ((-0.75, place), (place, -0.7)):
        axes.text(x, y, str(row.rank), ha="center", va="center", fontsize=10, color=QUIET)
    axes.text(-1.0, place - 0.15, row.name, ha="right", va="center", fontsize=10.5, color=LOUD)
    axes.text(-1.0, place + 0.18, rating, ha="right", va="center", fontsize=8.5, color=QUIET)


def _caption(axes: "Axes", text: str, height: int, ink: str, size: int, weight: str = "normal") -> None:
    """A line `height` points above the cells."""
    place, unit = ((0, 1), (0, height)), ("axes fraction", "offset points")
    axes.annotate(
        text, *place, xycoords=unit[0], textcoords=unit[1], fontsize=size, weight=weight, color=ink, va="bottom"
    )
