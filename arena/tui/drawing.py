"""A board as runs of text: pure functions from a game's picture to lines, and from a point back to a cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from arena.tui.cells import BARE, SCALES, SLANTED, Look, Run, Scale, drawn
from arena.tui.table import Cell
from games.engine.picture import Picture


@dataclass(frozen=True, eq=False)
class BoardView:
    """What a board shows at one moment."""

    picture: Picture
    targets: frozenset[Cell] = frozenset()
    """Cells with a dot, beside what stands there: here the person may move."""
    chances: Mapping[Cell, float] = field(default_factory=dict)
    """Chance that a move takes place in a cell."""
    seat: int = 0
    """Whose chances those are."""
    picked: Cell | None = None
    """Cell of the piece that the person has in hand."""


def extent(picture: Picture, scale: Scale) -> tuple[int, int]:
    """Columns and lines of text that a board takes."""
    rows, columns = picture.pieces.shape
    width = _margin(picture) + columns * (scale.width + scale.ruled_columns) + scale.ruled_columns
    width += _shift(picture, scale, rows - 1)
    height = rows * scale.height + 2 * scale.ruled_columns + (rows - 1) * scale.ruled_rows
    height += sum(map(any, (picture.column_labels, picture.bottom_labels)))
    return max(width, *map(len, picture.notes), 0), height + len(picture.notes)


def cell_at(picture: Picture, scale: Scale, x: int, y: int, flipped: bool = False) -> Cell | None:
    """The cell drawn at column `x` and line `y`, None outside the board; a line belongs to the cell before it."""
    rows, columns = picture.pieces.shape
    row = (y - int(any(_labels(picture, flipped)[0])) - scale.ruled_columns) // (scale.height + scale.ruled_rows)
    across = x - _margin(picture) - scale.ruled_columns - _shift(picture, scale, row)
    column = across // (scale.width + scale.ruled_columns)
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    return (rows - 1 - row, columns - 1 - column) if flipped else (row, column)


def draw(
    view: BoardView, scale: Scale, cursor: Cell | None = None, flipped: bool = False, ascii_only: bool = False
) -> list[list[Run]]:
    """The lines of a board, each as runs; `flipped` shows it from the other side of the table.

    With `ascii_only`, letters stand for figures, of which ASCII has none.
    """
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
            lines.append([Run(label, "label"), *_row(cells, y, scale)])
    if scale.ruled_columns:
        lines.append(_rule("╰┴╯", scale, len(columns), margin + _shift(picture, scale, len(rows) - 1)))
    lines += [*below, *([Run(note, "label")] for note in picture.notes)]
    return [_merged(line) for line in lines]


def _shift(picture: Picture, scale: Scale, row: int) -> int:
    """How far to the right a row is drawn, counted from the top: half a cell more than the one above if slanted."""
    return max(row, 0) * (scale.width + scale.ruled_columns) // 2 if picture.slanted else 0


def _margin(picture: Picture) -> int:
    """Columns taken by the labels of the rows."""
    longest = max(len(label) for label in picture.row_labels)
    return longest + 1 if longest else 0


def _labels(picture: Picture, flipped: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the columns are called above and below the board; one set of names stands above, whoever looks."""
    above, below = picture.column_labels, picture.bottom_labels
    return (below, above) if flipped and below else (above, below)


def _names(labels: Sequence[str], columns: range, scale: Scale, margin: int) -> list[list[Run]]:
    """The line of the columns' names; none where they have no names."""
    if not any(labels):
        return []
    pitch = scale.width + scale.ruled_columns
    names = "".join(labels[column].center(scale.width).ljust(pitch) for column in columns)
    return [[Run(" " * (margin + scale.ruled_columns) + names, "label")]]


def _rule(ends: str, scale: Scale, columns: int, margin: int) -> list[Run]:
    return [Run(" " * margin + ends[0] + ends[1].join(["─" * scale.width] * columns) + ends[2], "line")]


def _row(cells: Sequence[Sequence[Sequence[Run]]], y: int, scale: Scale) -> list[Run]:
    """Line `y` of a row of cells, with lines between them."""
    line = Run("│", "line")
    if not scale.ruled_columns:
        return [run for cell in cells for run in cell[y]]
    return [line, *(run for cell in cells for run in (*cell[y], line))]


def _merged(line: Sequence[Run]) -> list[Run]:
    """The same line with neighbours of one look joined: a terminal is drawn run by run."""
    groups = groupby(line, key=lambda run: run[1:])
    return [Run("".join(run.text for run in runs), *look) for look, runs in groups]


def _cell(view: BoardView, cell: Cell, scale: Scale, chosen: bool, ascii_only: bool) -> tuple[tuple[Run, ...], ...]:
    """One cell as lines of runs."""
    picture = view.picture
    look = Look(
        int(picture.pieces[cell]),
        "" if ascii_only or picture.figures is None else str(picture.figures[cell]),
        "" if picture.letters is None else str(picture.letters[cell]),
        picture.cards,
        view.chances.get(cell),
        cell in view.targets,
        picture.last == cell,
        view.picked == cell,
        chosen,
    )
    return drawn(look, scale)


@dataclass(frozen=True)
class Arrangement:
    """How a match is laid out on a screen."""

    panels: str
    """Where the panels stand: beside the board, below it, or nowhere (alone)."""
    scale: Scale


PANELS_WIDTH, PANELS_HEIGHT = 36, 6
"""The least that panels need beside the board, and what they take below it."""


def arrange(picture: Picture, width: int, height: int) -> Arrangement:
    """The largest board that fits, with panels beside it if possible, else below, else without."""
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
