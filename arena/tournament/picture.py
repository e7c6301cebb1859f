"""The cross table and the ratings as pictures."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from arena.base.text import printable
from arena.ratings.games import Floats
from arena.tournament.standings import Standings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#b35806", "#f4a64a", "#f7f7f7", "#7fb3d9", "#08519c")
"""Colours of scores 0, 1/4, 1/2, 3/4 and 1: orange to blue, distinct for colour-blind readers."""
NO_SCORE, QUIET, LOUD = "#ececec", "#666666", "#111111"
CELL, LINE = 0.72, 0.34
"""Inches of a cell of the cross table, and of a player's line in the ratings."""
LARGEST = 24.0
"""Most inches of the cross table; numbers are left out if cells get too small for them."""
DPI = 160


class PictureRow(Protocol):
    """A player as drawn in the cross table."""

    @property
    def name(self) -> str:
        """Name of the player."""

    @property
    def elo(self) -> float:
        """Rating of the player."""

    @property
    def error(self) -> float:
        """Half-width of the 95 % interval of `elo`."""


class CrossTable(Protocol):
    """Scores of N players against each other, as drawn."""

    @property
    def rows(self) -> Sequence[PictureRow]:
        """The players, the strongest first."""

    @property
    def scores(self) -> Floats:
        """Points per game, row against column [N, N]; NaN for pairs that never met."""


Label = tuple[str, str]
"""Name of a player, and a line below it."""


def save_cross_table(table: CrossTable, title: str, zero: str, path: Path) -> None:
    """Write the cross table as PNG: scores in colour and numbers, the strongest on top; `zero` says what is 0."""
    labels = [(row.name, f"Elo {row.elo:+z.0f} ± {row.error:.0f}") for row in table.rows]
    words = f"score of the row against the column, in %; Elo: {zero}"
    _save_cells(labels, table.scores, (0.0, 1.0), lambda score: f"{100 * score:.0f}", (title, words), path)


def save_means(labels: Sequence[Label], means: Floats, title: str, words: str, path: Path) -> None:
    """Write mean returns [N, N] of pairs of players as PNG, in colours from the lowest to the highest; NaN for none."""
    known = means[~np.isnan(means)]
    limits = (float(known.min(initial=0.0)), float(known.max(initial=0.0)) or 1.0)
    _save_cells(labels, means, limits, lambda mean: f"{mean:.3g}", (title, words), path)


def _save_cells(
    labels: Sequence[Label],
    values: Floats,
    limits: tuple[float, float],
    text: Callable[[float], str],
    captions: tuple[str, str],
    path: Path,
) -> None:
    """Write a table of cells coloured by their value between `limits`, with the players' labels and two captions."""
    from matplotlib.figure import Figure  # import takes half a second; needs no display

    cell = min(CELL, LARGEST / len(labels))
    figure = Figure(figsize=(cell * len(labels),) * 2, dpi=DPI)
    axes = figure.add_axes((0, 0, 1, 1))  # names and title are outside; bbox_inches="tight" makes room for them
    _draw_cells(axes, values, limits, text, cell)
    for place, label in enumerate(labels):
        _label(axes, place, label, cell)
    title, words = captions
    caption(axes, title, 44, LOUD, size=12, weight="bold")
    caption(axes, words, 28, QUIET, size=9)
    _save(figure, path)


def save_ratings(table: Standings, title: str, path: Path) -> None:
    """Write the ratings with their 95 % intervals as PNG, the strongest player on top."""
    values = [(row.name, row.elo, row.error) for row in table.rows]
    starts = [place for place, row in enumerate(table.rows) if table.starts_island(row)]
    save_intervals(values, (title, f"Elo with 95 % intervals; {table.meaning}"), path, starts)


def save_intervals(
    rows: Sequence[tuple[str, float, float]], captions: tuple[str, str], path: Path, islands: Sequence[int] = ()
) -> None:
    """Write values with their intervals as PNG, the first on top, under two captions.

    A row is a name, its value and the half-width of the interval; `islands` are the rows that a line goes above.
    """
    from matplotlib.figure import Figure

    line = min(LINE, 2 * LARGEST / len(rows))
    figure = Figure(figsize=(6.4, line * (len(rows) + 1)), dpi=DPI)
    axes = figure.add_axes((0, 0, 1, 1))
    places = np.arange(len(rows))
    names, values, errors = zip(*rows, strict=True)
    if min(values) <= 0 <= max(values):
        axes.axvline(0, color=NO_SCORE, linewidth=1.5, zorder=0)
    axes.errorbar(values, places, xerr=errors, fmt="o", color=COLOURS[-1], markersize=5, capsize=3, linewidth=1.4)
    axes.set_yticks(places, [printable(name) for name in names], fontsize=min(10.5, 60 * line), parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=9, colors=QUIET)
    for place in islands:
        axes.axhline(place - 0.5, color=QUIET, linewidth=0.8)
    axes.grid(axis="x", color=NO_SCORE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    title, words = captions
    caption(axes, title, 24, LOUD, size=12, weight="bold")
    caption(axes, words, 8, QUIET, size=9)
    _save(figure, path)


def _save(figure: "Figure", path: Path) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # drawn as a box; the tables show the name
        figure.savefig(path, bbox_inches="tight", pad_inches=0.2)


def _draw_cells(
    axes: "Axes", values: Floats, limits: tuple[float, float], text: Callable[[float], str], cell: float
) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("score", COLOURS).with_extremes(bad=NO_SCORE)
    low, high = limits
    edges = np.arange(len(values) + 1) - 0.5
    # not imshow, which makes an image as large as the picture, of doubles: 600 MB for 60 players
    axes.pcolormesh(edges, edges, np.ma.masked_invalid(values), cmap=colours, vmin=low, vmax=high)
    axes.set(xlim=(edges[0], edges[-1]), ylim=(edges[-1], edges[0]), aspect="equal")
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value) and cell > CELL / 3:
            brightness = np.dot(colours((value - low) / (high - low))[:3], (0.299, 0.587, 0.114))
            ink = LOUD if brightness > 0.55 else "white"
            axes.text(j, i, text(float(value)), ha="center", va="center", color=ink, fontsize=11 * cell / CELL)
    axes.hlines(edges, edges[0], edges[-1], color="white", linewidth=2 * cell / CELL)
    axes.vlines(edges, edges[0], edges[-1], color="white", linewidth=2 * cell / CELL)
    axes.axis("off")


def _label(axes: "Axes", place: int, label: Label, cell: float) -> None:
    """Draw rank, name and the line below it beside a row, and the rank above its column."""
    shrink = max(cell / CELL, 0.45)
    name, below = label[0], label[1].replace("-", "\N{MINUS SIGN}")
    for x, y in ((-0.75, place), (place, -0.7)):
        axes.text(x, y, str(place + 1), ha="center", va="center", fontsize=10 * shrink, color=QUIET)
    written, size = printable(name), 10.5 * shrink
    axes.text(-1.0, place - 0.15, written, ha="right", va="center", fontsize=size, color=LOUD, parse_math=False)
    axes.text(-1.0, place + 0.18, below, ha="right", va="center", fontsize=8.5 * shrink, color=QUIET)


def caption(axes: "Axes", text: str, height: int, ink: str, size: int, weight: str = "normal") -> None:
    """Draw a line of text `height` points above the picture."""
    place, unit = ((0, 1), (0, height)), ("axes fraction", "offset points")
    axes.annotate(
        printable(text),
        *place,
        xycoords=unit[0],
        textcoords=unit[1],
        fontsize=size,
        weight=weight,
        color=ink,
        va="bottom",
        parse_math=False,
    )
