"""Looks of cells: everything that the drawing of one cell depends on, taken from the picture of the board."""

from arena.tui.drawing.cells import CellLook
from arena.tui.drawing.layout import Layout
from arena.tui.state.live_match import Cell
from games.engine.picture import NOBODY, Picture

FORMS = {"cards": "card", "tiles": "tile", "bowls": "bowl"}
"""Form of the pieces on boards where they are no pieces."""


def look_of(layout: Layout, row: int, column: int) -> CellLook:
    """Return the look of the cell at a row and a column, as they are shown, without marks."""
    picture, cell = layout.picture, (layout.rows[row], layout.columns[column])
    seat = int(picture.pieces[cell])
    return CellLook(
        seat,
        role_of(picture, cell),
        picture.mark(seat) if 0 <= seat < NOBODY else "",
        "" if picture.figures is None else str(picture.figures[cell]),
        "" if picture.letters is None else str(picture.letters[cell]),
        FORMS.get(picture.board, "piece"),
        picture.ground_of(*cell),
        _crossing(layout, row, column) if picture.board == "crossings" else 0,
        cell in picture.stars,
        _spike(layout, row, column) if picture.board == "points" else None,
    )


def role_of(picture: Picture, cell: Cell) -> str:
    """Return the colour of the piece on a cell: what is printed on a card, white or black, or that of its seat."""
    seat = int(picture.pieces[cell])
    hidden = picture.letters is not None and picture.letters[cell] == "?"
    if seat == NOBODY or (picture.board == "cards" and not hidden):
        return f"ink-{(picture.inks is not None and str(picture.inks[cell])) or 'black'}"
    if picture.board == "bowls":
        return "bowl"
    return picture.sides[seat] if picture.sides and seat >= 0 else f"seat-{seat % 4}"


def _crossing(layout: Layout, row: int, column: int) -> int:
    """Return the lines that leave a crossing: 1 up, 2 right, 4 down, 8 left."""
    last_row, last_column = len(layout.rows) - 1, len(layout.columns) - 1
    return (row > 0) + 2 * (column < last_column) + 4 * (row < last_row) + 8 * (column > 0)


def _spike(layout: Layout, row: int, column: int) -> tuple[float, float, int] | None:
    """Return the slice of a backgammon point in a cell, None between the halves and beside the points."""
    half, rails = len(layout.rows) // 2, layout.picture.rails
    if row == half or layout.columns[column] in rails:
        return None
    before = sum(layout.columns[other] not in rails for other in range(column))
    if row < half:
        return 1 - row / half, 1 - (row + 1) / half, before % 2
    up = len(layout.rows) - 1 - row
    return 1 - (up + 1) / half, 1 - up / half, (before + 1) % 2
