"""What a position looks like: one description, drawn as text, as an image, or by a screen.

A `Picture` is a grid of cells with pieces. Games fill it in; whoever draws it knows no game.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MARKS = "●○▲■"
"""The piece of each seat; shape carries the meaning, colour only supports it."""
ASCII_MARKS = "XO#@"
COLOURS = ((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167))
"""Colour of each seat, RGB, from the Okabe-Ito set that colour-blind people can tell apart."""
BACKGROUND, LINE, LAST = (250, 250, 247), (150, 150, 150), (40, 40, 40)


@dataclass(frozen=True)
class Picture:
    """A board of R rows and C columns, row 0 on top."""

    pieces: NDArray[np.int8]
    """[R, C]: the seat whose piece stands on a cell, -1 for none."""
    cell_actions: NDArray[np.int64]
    """[R, C]: the action that pointing at a cell means, -1 for none."""
    action_cells: NDArray[np.int64]
    """[A, 2]: row and column where an action takes place in this position, (-1, -1) if nowhere."""
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    last: tuple[int, int] | None = None
    """Cell of the last move."""

    def text(self, ascii_only: bool = False) -> str:
        """The board in lines of text, the last move in brackets.

        >>> import numpy as np
        >>> picture = Picture(np.array([[0, -1]]), np.array([[0, 1]]), np.array([[0, 0], [0, 1]]), ("",), ("a", "b"))
        >>> print(picture.text(ascii_only=True))
           a   b
         +---+---+
         | X |   |
         +---+---+
        """
        rows, columns = self.pieces.shape
        width = max(len(label) for label in self.row_labels)
        left = " " * (width + 1)
        bar, across, top, bottom = ("|", "-", "+++", "+++") if ascii_only else ("│", "─", "╭┬╮", "╰┴╯")

        def rule(ends: str) -> str:
            return left + ends[0] + ends[1].join([across * 3] * columns) + ends[2]

        heading = left + " " + " ".join(label.center(3) for label in self.column_labels)
        lines = [heading.rstrip(), rule(top)]
        for row in range(rows):
            cells = bar.join(self._cell_text(row, column, ascii_only) for column in range(columns))
            lines.append(f"{self.row_labels[row]:>{width}} {bar}{cells}{bar}")
        return "\n".join([*lines, rule(bottom)])

    def _cell_text(self, row: int, column: int, ascii_only: bool) -> str:
        seat = self.pieces[row, column]
        mark = " " if seat < 0 else (ASCII_MARKS if ascii_only else MARKS)[seat]
        return f"[{mark}]" if self.last == (row, column) else f" {mark} "

    def image(self, cell: int = 48) -> NDArray[np.uint8]:
        """The board as RGB pixels [R * cell, C * cell, 3]: discs and rings, a dark square round the last move."""
        rows, columns = self.pieces.shape
        canvas = np.empty((rows * cell, columns * cell, 3), np.uint8)
        canvas[:] = BACKGROUND
        canvas[::cell], canvas[:, ::cell], canvas[-1], canvas[:, -1] = LINE, LINE, LINE, LINE
        offset = np.arange(cell) - (cell - 1) / 2
        radius = np.hypot(offset[:, None], offset[None, :]) / cell
        for row, column in np.argwhere(self.pieces >= 0):
            seat = self.pieces[row, column]
            tile = canvas[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
            tile[(radius < 0.38) & (radius > (0.0 if seat % 2 == 0 else 0.24))] = COLOURS[seat % len(COLOURS)]
            if self.last == (row, column):
                edge = np.maximum(np.abs(offset)[:, None], np.abs(offset)[None, :]) / cell
                tile[(edge > 0.42) & (edge < 0.47)] = LAST
        return canvas
