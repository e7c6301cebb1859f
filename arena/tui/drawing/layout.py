"""Places of the cells of a board on a screen, in columns and lines, and back from a point to a cell."""

from dataclasses import dataclass

from arena.tui.drawing.scales import Scale
from arena.tui.state.live_match import Cell
from games.engine.picture import Picture


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of the cells of a picture at a scale, with labels; `flipped` shows it from the other side of the table."""

    picture: Picture
    scale: Scale
    flipped: bool = False

    @property
    def rows(self) -> range:
        """Rows from top to bottom, as they are shown."""
        return range(self.picture.pieces.shape[0])[:: -1 if self.flipped else 1]

    @property
    def columns(self) -> range:
        """Columns from left to right, as they are shown."""
        return range(self.picture.pieces.shape[1])[:: -1 if self.flipped else 1]

    @property
    def margin(self) -> int:
        """Columns taken by the labels of the rows."""
        longest = max(len(label) for label in self.picture.row_labels)
        return longest + 1 if longest else 0

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Column labels above and below the board; a single set stays above even if flipped."""
        above, below = self.picture.column_labels, self.picture.bottom_labels
        return (below, above) if self.flipped and below else (above, below)

    @property
    def board_width(self) -> int:
        """Columns of a row of cells with its frame."""
        scale, columns = self.scale, len(self.columns)
        return columns * scale.pitch[0] - scale.column_gap + 2 * scale.frame

    def shift(self, row: int) -> int:
        """Return the columns by which a row, as shown, is further right than the first: half a cell each if slanted."""
        return max(row, 0) * (self.scale.pitch[0] // 2) if self.picture.slanted else 0

    @property
    def extent(self) -> tuple[int, int]:
        """Columns and lines that the board takes, with labels and notes."""
        rows, scale, notes = len(self.rows), self.scale, self.picture.notes
        width = self.margin + self.board_width + self.shift(rows - 1)
        height = rows * scale.pitch[1] - scale.row_gap + 2 * scale.frame + sum(map(any, self.labels))
        return max(width, *map(len, notes), 0), height + len(notes)

    def cell_at(self, x: int, y: int) -> Cell | None:
        """Return the cell drawn at column `x`, line `y`, None outside; what is between cells belongs to the first."""
        (across, down), frame = self.scale.pitch, self.scale.frame
        row = (y - int(any(self.labels[0])) - frame) // down
        column = (x - self.margin - frame - self.shift(row)) // across
        if not (0 <= row < len(self.rows) and 0 <= column < len(self.columns)):
            return None
        return self.rows[row], self.columns[column]
