"""Pictures of positions: one description, drawn as text, as an image, or by a screen.

A `Picture` is a grid of cells with pieces. Games fill it in; code that draws it is the same for all games.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from games.engine.glyphs import dots

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
    winning: tuple[tuple[int, int], ...] = ()
    """Cells that decided the game: a line, a chain; empty while it goes on, and in games without any."""
    letters: NDArray[np.str_] | None = None
    """[R, C]: a letter (of a card two signs) for each piece ("" for plain ones), where pieces are of several kinds.

    "?" stands for a card or a die that is not seen.
    """
    figures: NDArray[np.str_] | None = None
    """[R, C]: a figure (♞) that screens draw in place of a piece's letter, "" for none."""
    action_origins: NDArray[np.int64] | None = None
    """[A, 2]: where the piece stands that an action moves, (-1, -1) if nowhere; in games of moving pieces."""
    notes: tuple[str, ...] = ()
    """Lines below the board: what is not on it."""
    cards: bool = False
    """True if pieces with letters are cards or dice."""
    slanted: bool = False
    """Each row stands half a cell further to the right than the one above it, as on a board of hexagons."""
    bottom_labels: tuple[str, ...] = ()
    """Labels of the columns below the board; empty for none."""
    pixels: NDArray[np.uint8] | None = None
    """[H, W, 3]: RGB pixels, row 0 on top, that are shown in place of board and notes where there are colours."""

    @classmethod
    def of_text(cls, text: str, num_actions: int) -> "Picture":
        """Return a picture without a board: lines of text alone, of a game with so many actions."""
        nowhere = np.full((num_actions, 2), -1)
        return cls(
            np.zeros((0, 0), np.int8), np.zeros((0, 0), np.int64), nowhere, (), (), notes=tuple(text.split("\n"))
        )

    @classmethod
    def of_pixels(cls, pixels: NDArray[np.uint8], notes: Sequence[str], num_actions: int) -> "Picture":
        """Return a picture without a board: RGB pixels [H, W, 3], and lines that stand for them in text.

        >>> Picture.of_pixels(np.zeros((2, 2, 3), np.uint8), ("all", "dark"), num_actions=9).text()
        'all\\ndark'
        """
        return replace(cls.of_text("", num_actions), notes=tuple(notes), pixels=pixels)

    def text(self, ascii_only: bool = False) -> str:
        """Return the board as lines of text, with the last move in brackets.

        >>> import numpy as np
        >>> picture = Picture(np.array([[0, -1]]), np.array([[0, 1]]), np.array([[0, 0], [0, 1]]), ("",), ("a", "b"))
        >>> print(picture.text(ascii_only=True))
           a   b
         +---+---+
         | X |   |
         +---+---+
        """
        rows, columns = self.pieces.shape
        if not rows:
            return "\n".join(self.notes)
        width = max(len(label) for label in self.row_labels)
        left = " " * (width + 1)
        cell = 2 + self._mark_width()
        bar, across, top, bottom = ("|", "-", "+++", "+++") if ascii_only else ("│", "─", "╭┬╮", "╰┴╯")

        def indent(row: int) -> str:
            return " " * (row * (cell + 1) // 2) if self.slanted else ""

        def rule(ends: str, row: int) -> str:
            return left + indent(row) + ends[0] + ends[1].join([across * cell] * columns) + ends[2]

        above, below = (
            (left + " " + " ".join(label.center(cell) for label in labels)).rstrip()
            for labels in (self.column_labels, self.bottom_labels)
        )
        lines = [above, rule(top, 0)]
        for row in range(rows):
            cells = bar.join(self._cell_text(row, column, ascii_only) for column in range(columns))
            lines.append(f"{indent(row)}{self.row_labels[row]:>{width}} {bar}{cells}{bar}")
        return "\n".join([*lines, rule(bottom, rows - 1), *([below] if below else []), *self.notes])

    @property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """Cells to mark: those that decided the game, or else that of the last move."""
        return self.winning or (() if self.last is None else (self.last,))

    def _cell_text(self, row: int, column: int, ascii_only: bool) -> str:
        seat = self.pieces[row, column]
        mark = " " if seat < 0 else (ASCII_MARKS if ascii_only else MARKS)[seat % len(MARKS)]
        if self.letters is not None and seat >= 0:
            mark = str(self.letters[row, column]) or mark
        mark = mark.rjust(self._mark_width())
        return f"[{mark}]" if (row, column) in self.marked else f" {mark} "

    def _mark_width(self) -> int:
        return 1 if self.letters is None else max(1, *(len(letter) for letter in self.letters.flat))

    def image(self, cell: int = 48) -> NDArray[np.uint8]:
        """Return the board as RGB pixels [R * cell, C * cell, 3]: discs and rings, marked cells in dark squares.

        A piece with a letter carries it, light on a disc, within a ring dark. A slanted board is wider by half a cell
        for each row but one. Pixels of the picture itself are returned as they are.
        """
        if self.pixels is not None:
            return self.pixels.copy()
        rows, columns = self.pieces.shape
        begins = [row * cell // 2 if self.slanted else 0 for row in range(rows)]
        if not rows:
            return np.full((cell, cell, 3), BACKGROUND, np.uint8)
        canvas = np.empty((rows * cell, begins[-1] + columns * cell, 3), np.uint8)
        canvas[:] = BACKGROUND
        for row, begin in enumerate(begins):
            band = canvas[row * cell : (row + 1) * cell, begin : begin + columns * cell]
            band[0], band[:, ::cell], band[:, -1] = LINE, LINE, LINE
        canvas[-1, begins[-1] :] = LINE
        offset = np.arange(cell) - (cell - 1) / 2
        radius = np.hypot(offset[:, None], offset[None, :]) / cell
        for row, column in np.argwhere(self.pieces >= 0):
            seat = self.pieces[row, column]
            start = begins[row] + column * cell
            tile = canvas[row * cell : (row + 1) * cell, start : start + cell]
            letter = "" if self.letters is None else str(self.letters[row, column])
            ring, colour = seat % 2 == 1, COLOURS[seat % len(COLOURS)]
            tile[(radius < 0.38) & (radius > ((0.32 if letter else 0.24) if ring else 0.0))] = colour
            _write(tile, letter, colour if ring else BACKGROUND)
            if (row, column) in self.marked:
                edge = np.maximum(np.abs(offset)[:, None], np.abs(offset)[None, :]) / cell
                tile[(edge > 0.42) & (edge < 0.47)] = LAST
        return canvas


def _write(tile: NDArray[np.uint8], text: str, colour: tuple[int, int, int]) -> None:
    """Write a word in the middle of a cell [N, N, 3], where there is room for it."""
    cell = tile.shape[0]
    written = dots(text, scale=max(1, cell // 16))
    height, width = written.shape
    if 0 < width <= cell and height <= cell:
        top, left = (cell - height) // 2, (cell - width) // 2
        tile[top : top + height, left : left + width][written] = colour
