"""A board as runs of text: pure functions from a game's picture to lines, and from a point back to a cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from arena.tui.table import Cell
from arena.tui.words import mark, percent
from games.engine.picture import Picture


@dataclass(frozen=True)
class Scale:
    """How large a board is drawn."""

    width: int
    """Of the inside of a cell, in characters."""
    height: int
    ruled_columns: bool = True
    """A frame, and lines between the columns."""
    ruled_rows: bool = True
    """Lines between the rows."""


BIG, SQUARE = Scale(7, 3), Scale(3, 1)
FLAT, BARE = Scale(3, 1, ruled_rows=False), Scale(3, 1, ruled_rows=False, ruled_columns=False)
SCALES = (BIG, SQUARE, FLAT, BARE)
"""From large to small."""
SLANTED = (Scale(7, 3, ruled_rows=False), FLAT, BARE)
"""Those of boards whose rows are shifted, which leaves no place for lines between them."""

BIG_PIECES = ((" ▄███▄ ", " █████ ", " ▀███▀ "), (" ▄▀▀▀▄ ", " █   █ ", " ▀▄▄▄▀ "))
"""Pieces of the first two seats at the big scale; others are drawn as their sign."""


HIDDEN, BACK = "?", "▒"
"""What stands for a card or a die that is not seen, and the pattern of its back."""


class Run(NamedTuple):
    """Characters of one look."""

    text: str
    role: str
    """What it shows: line, label, target, last, cursor, chance, seat-0, seat-1, ..."""
    chance: float = 0.0
    """Shade of the cell behind it, 0 to 1."""
    chosen: bool = False
    """Whether the keyboard's cursor is on its cell."""


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
    height = _headline(picture) + rows * scale.height + 2 * scale.ruled_columns + (rows - 1) * scale.ruled_rows
    return max(width, *map(len, picture.notes), 0), height + len(picture.notes)


def cell_at(picture: Picture, scale: Scale, x: int, y: int, flipped: bool = False) -> Cell | None:
    """The cell drawn at column `x` and line `y`, None outside the board; a line belongs to the cell before it."""
    rows, columns = picture.pieces.shape
    row = (y - _headline(picture) - scale.ruled_columns) // (scale.height + scale.ruled_rows)
    across = x - _margin(picture) - scale.ruled_columns - _shift(picture, scale, row)
    column = across // (scale.width + scale.ruled_columns)
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    return (rows - 1 - row, columns - 1 - column) if flipped else (row, column)


def draw(view: BoardView, scale: Scale, cursor: Cell | None = None, flipped: bool = False) -> list[list[Run]]:
    """The lines of a board, each as runs; `flipped` shows it from the other side of the table."""
    picture, margin = view.picture, _margin(view.picture)
    turn = -1 if flipped else 1
    rows, columns = range(picture.pieces.shape[0])[::turn], range(picture.pieces.shape[1])[::turn]
    lines = []
    if _headline(picture):
        pitch = scale.width + scale.ruled_columns
        names = "".join(picture.column_labels[column].center(scale.width).ljust(pitch) for column in columns)
        lines.append([Run(" " * (margin + scale.ruled_columns) + names, "label")])
    if scale.ruled_columns:
        lines.append(_rule("╭┬╮", scale, len(columns), margin))
    for i, row in enumerate(rows):
        if i > 0 and scale.ruled_rows:
            lines.append(_rule("├┼┤", scale, len(columns), margin))
        cells = [_cell(view, (row, column), scale, cursor == (row, column)) for column in columns]
        shift = " " * _shift(picture, scale, i)
        for y in range(scale.height):
            label = picture.row_labels[row] if y == scale.height // 2 else ""
            label = shift + (label.rjust(margin - 1) + " " if margin else "")
            lines.append([Run(label, "label"), *_row(cells, y, scale)])
    if scale.ruled_columns:
        lines.append(_rule("╰┴╯", scale, len(columns), margin + _shift(picture, scale, len(rows) - 1)))
    lines += [[Run(note, "label")] for note in picture.notes]
    return [_merged(line) for line in lines]


def _shift(picture: Picture, scale: Scale, row: int) -> int:
    """How far to the right a row is drawn, counted from the top: half a cell more than the one above if slanted."""
    return max(row, 0) * (scale.width + scale.ruled_columns) // 2 if picture.slanted else 0


def _margin(picture: Picture) -> int:
    """Columns taken by the labels of the rows."""
    longest = max(len(label) for label in picture.row_labels)
    return longest + 1 if longest else 0


def _headline(picture: Picture) -> int:
    """Lines taken by the labels of the columns."""
    return int(any(picture.column_labels))


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


class _Look(NamedTuple):
    """All that the drawing of a cell depends on."""

    seat: int
    """-1 for an empty cell."""
    sign: str
    chance: float | None
    """None where none is told."""
    is_target: bool
    is_last: bool
    is_picked: bool
    is_chosen: bool


def _cell(view: BoardView, cell: Cell, scale: Scale, chosen: bool) -> tuple[tuple[Run, Run, Run], ...]:
    """One cell as lines of runs: two edges that may hold brackets, and what is between them."""
    picture = view.picture
    return _drawn(
        _Look(
            int(picture.pieces[cell]),
            _sign(picture, cell),
            view.chances.get(cell),
            cell in view.targets,
            picture.last == cell,
            view.picked == cell,
            chosen,
        ),
        scale,
    )


@lru_cache(4096)
def _drawn(look: _Look, scale: Scale) -> tuple[tuple[Run, Run, Run], ...]:
    """A cell of some look: boards have few, and are drawn often."""
    chance = look.chance or 0.0
    inside, role = _inside(look, scale)
    full = role == "chance" and scale.height == 1  # no room for brackets: the cursor shows by its colour alone
    edges, edge_role = ([(" ", " ")] * scale.height, role) if full else _edges(look, scale)
    return tuple(
        (
            _edge(left, text[0], edge_role, role)._replace(chance=chance, chosen=look.is_chosen),
            Run(text[1:-1], role, chance, look.is_chosen),
            _edge(right, text[-1], edge_role, role)._replace(chance=chance, chosen=look.is_chosen),
        )
        for text, (left, right) in zip(inside, edges, strict=True)
    )


def _edge(bracket: str, sign: str, edge_role: str, role: str) -> Run:
    """A bracket where there is room for it, or else what stands there."""
    return Run(bracket, edge_role) if bracket != " " and sign in " ▒" else Run(sign, role)


def _inside(look: _Look, scale: Scale) -> tuple[list[str], str]:
    """The lines of a cell without its brackets, and their role."""
    seat, sign = look.seat, look.sign
    if seat >= 0 and sign == HIDDEN:
        return [BACK * scale.width] * scale.height, f"seat-{seat % 4}"
    if seat >= 0 and not sign and scale.height == 3 and seat < len(BIG_PIECES):
        return list(BIG_PIECES[seat]), f"seat-{seat}"
    if seat >= 0:
        text, role = sign or mark(seat), f"seat-{seat % 4}"
    elif look.chance is not None:
        text, role = percent(look.chance)[: scale.width], "chance"  # "100" in a small cell
        text = text if len(text) == 1 else text.rjust(3)
    elif look.is_target:
        text, role = "·", "target"
    else:
        text, role = "" if scale.ruled_columns else "·", "line"  # without lines, dots show where the cells are
    lines = [" " * scale.width] * scale.height
    lines[scale.height // 2] = text.center(scale.width)
    return lines, role


def _edges(look: _Look, scale: Scale) -> tuple[list[tuple[str, str]], str]:
    """What stands at the left and right edge of each line of a cell, and its role."""
    edges, role, middle = [(" ", " ")] * scale.height, "last", scale.height // 2
    if look.is_last and scale.height == 3:
        edges[0], edges[2] = ("┌", "┐"), ("└", "┘")
    elif look.is_last:
        edges[0] = ("[", "]")
    if look.is_target and look.seat >= 0:
        edges[middle], role = ("·", "·"), "target"
    if look.is_picked:
        edges[middle], role = ("(", ")"), "cursor"
    if look.is_chosen:
        edges[middle], role = (">", "<"), "cursor"
    return edges, role


def _sign(picture: Picture, cell: Cell) -> str:
    """The figure or the letters of a piece; "" for a plain one."""
    signs = (grid[cell] for grid in (picture.figures, picture.letters) if grid is not None)
    return str(next(filter(None, signs), ""))


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
