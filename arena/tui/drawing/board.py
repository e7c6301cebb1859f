"""A board as runs of text: pure functions from a game's picture to lines, and from screen coordinates to a cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arena.tui.drawing.cells import COLOURED, Terminal, TextRun, cell_runs
from arena.tui.drawing.layout import Layout
from arena.tui.drawing.looks import look_of
from arena.tui.drawing.scales import Scale, scales_of
from arena.tui.state.live_match import Cell
from games.engine.palette import Colour
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
    if not picture.pieces.size:
        return max(map(len, picture.notes), default=0), len(picture.notes)
    return Layout(picture, scale).extent


def cell_at(picture: Picture, scale: Scale, x: int, y: int, flipped: bool = False) -> Cell | None:
    """Return the cell drawn at column `x`, line `y`, None outside the board; a rule belongs to the cell before it."""
    return Layout(picture, scale, flipped).cell_at(x, y) if picture.pieces.size else None


def draw(
    view: BoardView,
    scale: Scale,
    cursor: Cell | None = None,
    flipped: bool = False,
    terminal: Terminal = COLOURED,
) -> list[list[TextRun]]:
    """Return the lines of a board, each as runs; `flipped` shows it from the other side of the table."""
    if view.picture.pixels is not None:
        return _half_blocks(view.picture.pixels, scale)
    if not view.picture.pieces.size:
        return [[TextRun(note, "label")] for note in view.picture.notes]
    layout = Layout(view.picture, scale, flipped)
    above, below = (_names(labels, layout) for labels in layout.labels)
    board = [line for row in range(len(layout.rows)) for line in _row_lines(view, layout, row, cursor, terminal)]
    if scale.frame:
        last = len(layout.rows) - 1
        board.append([_indent(layout, last), *_rule(layout, last + 1)])
    notes = [[TextRun(note, "label")] for note in view.picture.notes]
    return [_merged(line) for line in (*above, *board, *below, *notes)]


def _row_lines(
    view: BoardView, layout: Layout, row: int, cursor: Cell | None, terminal: Terminal
) -> list[list[TextRun]]:
    """Return the lines of a row, as shown, with the rule above it if there is one."""
    scale, picture = layout.scale, layout.picture
    lines = []
    if scale.frame if row == 0 else scale.row_gap:
        lines.append([_indent(layout, max(row - 1, 0)), *_rule(layout, row)])
    cells = [_cell(view, layout, row, column, cursor, terminal) for column in range(len(layout.columns))]
    left, between, right = _uprights(layout)
    for y in range(scale.height):
        label = picture.row_labels[layout.rows[row]] if y == scale.height // 2 else ""
        line = [_indent(layout, row, label), *left]
        for column, cell in enumerate(cells):
            line += [*(between if column else ()), *cell[y]]
        lines.append([*line, *right])
    return lines


def _indent(layout: Layout, row: int, label: str = "") -> TextRun:
    """Return what stands to the left of a row: its label, further right by its shift."""
    label = label.rjust(layout.margin - 1) + " " if layout.margin else ""
    return TextRun(" " * layout.shift(row) + label, "label")


def _uprights(layout: Layout) -> tuple[Sequence[TextRun], Sequence[TextRun], Sequence[TextRun]]:
    """Return what stands before the cells of a line, between two, and after them."""
    scale, picture = layout.scale, layout.picture
    ground = picture.ground_of(0, layout.picture.rails[0]) if picture.rails else picture.ground_of(0, 0)
    if picture.board in ("points", "cards"):
        frame = TextRun(" " * scale.frame, "line", ground=ground)
        return [frame], [TextRun(" " * scale.column_gap, "line", ground=ground)], [frame]
    between = TextRun("│" * scale.column_gap, "line", ground=ground)
    if picture.edges is None:
        frame = TextRun("│" * scale.frame, "line", ground=ground)
        return [frame], [between], [frame]
    side = TextRun("┃" * scale.frame, f"edge-{picture.edges[1]}", ground=ground)
    return [side], [between], [side]


def _rule(layout: Layout, row: int) -> list[TextRun]:
    """Return the rule above a row, as shown; below the last for the number of rows."""
    scale, picture, rows = layout.scale, layout.picture, len(layout.rows)
    ground = picture.ground_of(0, picture.rails[0]) if picture.rails else picture.ground_of(0, 0)
    cells = len(layout.columns)
    if picture.board in ("points", "cards"):
        return [TextRun(" " * layout.board_width, "line", ground=ground)]
    if picture.slanted and 0 < row < rows:
        return _brick_rule(layout)
    ends = "╭┬╮" if row == 0 else "╰┴╯" if row == rows else "├┼┤"
    if picture.edges is not None:
        ends = "┏┯┓" if row == 0 else "┗┷┛"
        role = f"edge-{picture.edges[0]}"
        return [TextRun(ends[0] + ends[1].join(["━" * scale.width] * cells) + ends[2], role, ground=ground)]
    middle = ends[1] if scale.column_gap else "─"
    if not scale.column_gap:
        return [TextRun(ends[0] + "─" * (scale.width * cells) + ends[2], "line", ground=ground)]
    return [TextRun(ends[0] + middle.join(["─" * scale.width] * cells) + ends[2], "line", ground=ground)]


def _brick_rule(layout: Layout) -> list[TextRun]:
    """Return the rule between two rows that are shifted by half a cell, so that every cell has six neighbours."""
    pitch, cells = layout.scale.pitch[0], len(layout.columns)
    signs = ["─"] * (cells * pitch + 1 + pitch // 2)
    for column in range(cells + 1):
        signs[column * pitch] = "┴"
        signs[column * pitch + pitch // 2] = "┬"
    if layout.picture.edges is None:
        signs[0], signs[-1] = "╰", "╮"
        return [TextRun("".join(signs), "line")]
    side = f"edge-{layout.picture.edges[1]}"
    half = pitch // 2
    signs[0], signs[-1] = "┗", "┓"
    signs[1:half], signs[-half:-1] = "━" * (half - 1), "━" * (half - 1)
    signs[half], signs[-half - 1] = "┳", "┻"
    line = "".join(signs)
    return [
        TextRun(line[: half + 1], side),
        TextRun(line[half + 1 : -half - 1], "line"),
        TextRun(line[-half - 1 :], side),
    ]


def room_for_pixels(columns: int, lines: int) -> Scale:
    """Return the scale of a picture of pixels that may take so many columns and lines in all."""
    return Scale(max(columns, 1), max(lines, 1))


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


def _names(labels: Sequence[str], layout: Layout) -> list[list[TextRun]]:
    """Return the line of column labels; no line if there are none."""
    if not any(labels):
        return []
    scale = layout.scale
    names = "".join(_name(labels[column], scale) for column in layout.columns)
    return [[TextRun(" " * (layout.margin + scale.frame) + names.rstrip(), "label")]]


def _name(label: str, scale: Scale) -> str:
    """Return the label of a column; without one where it would touch the next."""
    pitch = scale.pitch[0]
    return (label if len(label) < pitch else "").center(scale.width).ljust(pitch)


def _merged(line: Sequence[TextRun]) -> list[TextRun]:
    """Join neighbouring runs of one style: the cost of drawing grows with the number of runs."""
    groups = groupby((run for run in line if run.text), key=lambda run: run[1:])
    return [TextRun("".join(run.text for run in runs), *look) for look, runs in groups]


def _cell(
    view: BoardView, layout: Layout, row: int, column: int, cursor: Cell | None, terminal: Terminal
) -> tuple[tuple[TextRun, ...], ...]:
    """Return one cell, at a row and a column as shown, as lines of runs."""
    cell = layout.rows[row], layout.columns[column]
    empty = view.picture.pieces[cell] < 0
    look = look_of(layout, row, column)._replace(
        chance=view.chances.get(cell),
        is_target=cell in view.targets and not (empty and view.picture.board == "crossings"),  # too many dots
        is_last=cell in view.picture.marked,
        is_picked=view.picked == cell,
        is_chosen=cursor == cell,
    )
    return cell_runs(look, layout.scale, terminal)


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
    """Return the layout with the largest cells: panels beside the board or below it, or none where there is no room.

    Pixels are shown with the panels where they leave them more room, unless that is too little.
    """
    if picture.pixels is not None:
        return _arrange_pixels(picture, width, height)
    known = scales_of(picture)
    room = {
        "beside": (width - PANELS_WIDTH, height, known),
        "below": (width, height - PANELS_HEIGHT, [scale for scale in known if scale.frame or scale.height > 1]),
        "alone": (width, height, known),
    }
    fitting = [
        Arrangement(panels, scale)
        for panels, (columns, lines, scales) in room.items()
        for scale in _fitting(picture, scales, columns, lines)[:1]
    ]
    with_panels = [one for one in fitting if one.panels != "alone"]
    return max(with_panels or fitting, key=lambda one: _size(one.scale), default=Arrangement("alone", known[-1]))


def _size(scale: Scale) -> tuple[int, int]:
    """Return what makes a board larger: the height of its cells, then its lines."""
    return scale.height, scale.frame + scale.column_gap + scale.row_gap


def fit(picture: Picture, width: int, height: int) -> Scale:
    """Return the largest scale at which a board fits, the smallest if none does."""
    known = scales_of(picture)
    return next(iter(_fitting(picture, known, width, height)), known[-1])


def _fitting(picture: Picture, scales: Sequence[Scale], width: int, height: int) -> list[Scale]:
    """Return the scales at which a board fits."""
    sizes = ((scale, extent(picture, scale)) for scale in scales)
    return [scale for scale, (wide, high) in sizes if wide <= width and high <= height]


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
