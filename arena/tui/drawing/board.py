"""A board as runs of text: pure functions from a game's picture to lines, and from screen coordinates to a cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arena.tui.drawing.cells import BARE, SCALES, SLANTED, CellLook, Colour, Scale, TextRun, cell_runs
from arena.tui.state.live_match import Cell
from games.engine.picture import Picture


@dataclass(frozen=True, eq=False)
class BoardView:
    """Snapshot of a board, ready to draw."""

    picture: Picture
    targets: frozenset[Cell] = frozenset()
    """Cells marked with a dot: the player at the keyboard may move here."""
    chances: Mapping[Cell, float] = field(default_factory=dict)
    """Probability that a move takes place in a cell."""
    seat: int = 0
    """Seat whose probabilities those are."""
    picked: Cell | None = None
    """Cell of the piece that the player has picked up."""


def extent(picture: Picture, scale: Scale) -> tuple[int, int]:
    """Return the columns and lines of text that a board takes."""
    if picture.pixels is not None:
        columns, rows = _reduced_size(picture.pixels, scale)
        return columns, (rows + 1) // 2
    rows, columns = picture.pieces.shape
    if not rows:
        return max(map(len, picture.notes), default=0), len(picture.notes)
    width = _margin(picture) + columns * (scale.width + scale.ruled_columns) + scale.ruled_columns
    width += _shift(picture, scale, rows - 1)
    height = rows * scale.height + 2 * scale.ruled_columns + (rows - 1) * scale.ruled_rows
    height += sum(map(any, (picture.column_labels, picture.bottom_labels)))
    return max(width, *map(len, picture.notes), 0), height + len(picture.notes)


def cell_at(picture: Picture, scale: Scale, x: int, y: int, flipped: bool = False) -> Cell | None:
    """Return the cell drawn at column `x`, line `y`, None outside the board; a rule belongs to the cell before it."""
    rows, columns = picture.pieces.shape
    if not rows:
        return None
    row = (y - int(any(_labels(picture, flipped)[0])) - scale.ruled_columns) // (scale.height + scale.ruled_rows)
    across = x - _margin(picture) - scale.ruled_columns - _shift(picture, scale, row)
    column = across // (scale.width + scale.ruled_columns)
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    return (rows - 1 - row, columns - 1 - column) if flipped else (row, column)


def draw(
    view: BoardView, scale: Scale, cursor: Cell | None = None, flipped: bool = False, ascii_only: bool = False
) -> list[list[TextRun]]:
    """Return the lines of a board, each as runs; `flipped` shows it from the other side of the table.

    With `ascii_only`, letters stand for symbols of pieces.
    """
    if view.picture.pixels is not None:
        return _half_blocks(view.picture.pixels, scale)
    if not view.picture.pieces.size:
        return [[TextRun(note, "label")] for note in view.picture.notes]
    picture, margin = view.picture, _margin(view.picture)
    turn = -1 if flipped else 1
    rows, columns = range(picture.pieces.shape[0])[::turn], range(picture.pieces.shape[1])[::turn]
    above, below = (_names(labels, columns, scale, margin) for labels in _labels(picture, flipped))
    lines = [*above]
    if scale.ruled_columns:
        lines.append(_rule("╭┬╮", scale, len(columns), margin))
    for i, row in enumerate(rows):
        if i > 0 and scale.ruled_rows:
            lines.append(_rule("├┼┤", scale, len(columns), margin))
        cells = [_cell(view, (row, column), scale, cursor == (row, column), ascii_only) for column in columns]
        shift = " " * _shift(picture, scale, i)
        for y in range(scale.height):
            label = picture.row_labels[row] if y == scale.height // 2 else ""
            label = shift + (label.rjust(margin - 1) + " " if margin else "")
            lines.append([TextRun(label, "label"), *_row(cells, y, scale)])
    if scale.ruled_columns:
        lines.append(_rule("╰┴╯", scale, len(columns), margin + _shift(picture, scale, len(rows) - 1)))
    lines += [*below, *([TextRun(note, "label")] for note in picture.notes)]
    return [_merged(line) for line in lines]


def room_for_pixels(columns: int, lines: int) -> Scale:
    """Return the scale of a picture of pixels that may take so many columns and lines in all."""
    return Scale(max(columns, 1), max(lines, 1), ruled_columns=False, ruled_rows=False)


def _reduced_size(pixels: NDArray[np.uint8], scale: Scale) -> tuple[int, int]:
    """Return width and height of pixels [H, W, 3] scaled down to fit; a character is one wide and two high."""
    height, width = pixels.shape[:2]
    factor = min(1.0, scale.width / width, 2 * scale.height / height)
    return max(round(width * factor), 1), max(round(height * factor), 1)


def _half_blocks(pixels: NDArray[np.uint8], scale: Scale) -> list[list[TextRun]]:
    """Return pixels [H, W, 3] as lines of half blocks, each character two pixels, one above the other."""
    columns, height = _reduced_size(pixels, scale)
    reduced = np.asarray(Image.fromarray(pixels).resize((columns, height), Image.Resampling.BOX))  # averages areas
    rows: list[list[Colour]] = [[(red, green, blue) for red, green, blue in row] for row in reduced.tolist()]
    lower_rows: list[Sequence[Colour | None]] = [*rows[1::2], [None] * columns]  # one more, for an odd height
    return [
        _merged([TextRun("▀", "pixels", colours=colours) for colours in zip(upper, lower, strict=True)])
        for upper, lower in zip(rows[::2], lower_rows, strict=False)
    ]


def _shift(picture: Picture, scale: Scale, row: int) -> int:
    """Return the columns by which a row is shifted right: half a cell more than the row above if slanted."""
    return max(row, 0) * (scale.width + scale.ruled_columns) // 2 if picture.slanted else 0


def _margin(picture: Picture) -> int:
    """Return the columns taken by the labels of the rows."""
    longest = max(len(label) for label in picture.row_labels)
    return longest + 1 if longest else 0


def _labels(picture: Picture, flipped: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the column labels above and below the board; a single set stays above even if flipped."""
    above, below = picture.column_labels, picture.bottom_labels
    return (below, above) if flipped and below else (above, below)


def _names(labels: Sequence[str], columns: range, scale: Scale, margin: int) -> list[list[TextRun]]:
    """Return the line of column labels; no line if there are none."""
    if not any(labels):
        return []
    pitch = scale.width + scale.ruled_columns
    names = "".join(labels[column].center(scale.width).ljust(pitch) for column in columns)
    return [[TextRun(" " * (margin + scale.ruled_columns) + names, "label")]]


def _rule(ends: str, scale: Scale, columns: int, margin: int) -> list[TextRun]:
    return [TextRun(" " * margin + ends[0] + ends[1].join(["─" * scale.width] * columns) + ends[2], "line")]


def _row(cells: Sequence[Sequence[Sequence[TextRun]]], y: int, scale: Scale) -> list[TextRun]:
    """Return line `y` of a row of cells, with rules between them."""
    line = TextRun("│", "line")
    if not scale.ruled_columns:
        return [run for cell in cells for run in cell[y]]
    return [line, *(run for cell in cells for run in (*cell[y], line))]


def _merged(line: Sequence[TextRun]) -> list[TextRun]:
    """Join neighbouring runs of one style: the cost of drawing grows with the number of runs."""
    groups = groupby(line, key=lambda run: run[1:])
    return [TextRun("".join(run.text for run in runs), *look) for look, runs in groups]


def _cell(view: BoardView, cell: Cell, scale: Scale, chosen: bool, ascii_only: bool) -> tuple[tuple[TextRun, ...], ...]:
    """Return one cell as lines of runs."""
    picture = view.picture
    look = CellLook(
        int(picture.pieces[cell]),
        "" if ascii_only or picture.figures is None else str(picture.figures[cell]),
        "" if picture.letters is None else str(picture.letters[cell]),
        picture.cards,
        view.chances.get(cell),
        cell in view.targets,
        cell in picture.marked,
        view.picked == cell,
        chosen,
    )
    return cell_runs(look, scale)


@dataclass(frozen=True)
class Arrangement:
    """Layout of a match on a screen."""

    panels: str
    """Place of the panels: "beside" the board, "below" it, or "alone" (no panels)."""
    scale: Scale


PANELS_WIDTH, PANELS_HEIGHT = 36, 6
"""Minimum width of panels beside the board, and their height below it."""
PIXELS_WIDTH = 16
"""Width of a picture of pixels below which it takes the room of the panels."""


def arrange(picture: Picture, width: int, height: int) -> Arrangement:
    """Return the largest layout that fits: panels beside the board if possible, else below, else none.

    Pixels are shown with the panels where they leave them more room, unless that is too little.
    """
    if picture.pixels is not None:
        return _arrange_pixels(picture, width, height)
    known = SLANTED if picture.slanted else SCALES
    room = {
        "beside": (width - PANELS_WIDTH, height, known[:-1]),
        "below": (width, height - PANELS_HEIGHT, known[1:-1]),
        "alone": (width, height, known[1:]),
    }
    for panels, (columns, lines, scales) in room.items():
        for scale in scales:
            wide, high = extent(picture, scale)
            if wide <= columns and high <= lines:
                return Arrangement(panels, scale)
    return Arrangement("alone", BARE)


def _arrange_pixels(picture: Picture, width: int, height: int) -> Arrangement:
    """Return the layout in which pixels are largest beside or above the panels; without panels in a small terminal."""
    layouts = [
        Arrangement("beside", room_for_pixels(width - PANELS_WIDTH, height)),
        Arrangement("below", room_for_pixels(width, height - PANELS_HEIGHT)),
    ]
    largest = max(layouts, key=lambda layout: extent(picture, layout.scale))
    alone = Arrangement("alone", room_for_pixels(width, height))
    wanted = min(PIXELS_WIDTH, extent(picture, alone.scale)[0])
    return largest if extent(picture, largest.scale)[0] >= wanted else alone
