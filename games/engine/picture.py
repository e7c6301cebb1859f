"""Pictures of positions: one description, drawn as text, as an image, or by a screen.

A `Picture` is a grid of cells with pieces. Games fill it in; code that draws it is the same for all games.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from games.engine.glyphs import dots
from games.engine.palette import GROUNDS, INKS, SEATS, SIDES, Colour

MARKS = "●○▲■"
"""The piece of each seat; shape carries the meaning, colour only supports it."""
ASCII_MARKS = "XO#@"
SIDE_MARKS = {"white": "○", "black": "●"}
"""The piece of a seat that plays white or black, the same in every game, whoever begins."""
NOBODY = 100
"""In place of a seat: a card, a die or a stone that is nobody's."""
WHITE, BLACK = "♙♘♗♖♕♔", "♟♞♝♜♛♚"
"""Figures of chess as signs, from pawn to king."""
FILLED = str.maketrans(WHITE, BLACK)
"""Figures of white, as the filled ones of black: outlines look almost black."""
HIDDEN = "?"
"""Letter of a card or die that is not seen."""
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
"""Suits of cards, and how they are written where there are only letters."""
BACKGROUND, LINE, LAST = (250, 250, 247), (150, 150, 150), (40, 40, 40)
IN_ASCII = str.maketrans(dict(zip(MARKS, ASCII_MARKS, strict=True)) | SUITS)

Board = Literal["grid", "squares", "crossings", "hexagons", "points", "tiles", "bowls", "cards"]
"""Materials of boards: cells between lines, light and dark squares, crossings of lines where stones stand, hexagons
(each row half a cell further to the right than the one above), the points of a backgammon board (an odd number of rows,
the middle one between the players), tiles without lines that pieces fill, bowls
with numbers of seeds, or rows of cards."""


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
    """[R, C]: a figure (♞, or ⚂ for a die) that screens draw in place of a piece's letter, "" for none."""
    inks: NDArray[np.str_] | None = None
    """[R, C]: name of the colour of what is on a card, one of `palette.INKS`, "" for black."""
    action_origins: NDArray[np.int64] | None = None
    """[A, 2]: where the piece stands that an action moves, (-1, -1) if nowhere; in games of moving pieces."""
    notes: tuple[str, ...] = ()
    """Lines below the board: what is not on it."""
    board: Board = "grid"
    """What the board is made of."""
    surface: str = ""
    """What lies under the lines of a grid, one of `palette.GROUNDS`; other boards have their own."""
    sides: tuple[str, ...] = ()
    """"white" or "black" for each seat, in games that are played with these."""
    stars: tuple[tuple[int, int], ...] = ()
    """Crossings that are marked by a dot."""
    edges: tuple[int, int] | None = None
    """Seats that own the edges above and below, and those to the left and to the right."""
    rails: tuple[int, ...] = ()
    """Columns of a board of points that are none: the bar, and where pieces go that are off the board."""
    bottom_labels: tuple[str, ...] = ()
    """Labels of the columns below the board; empty for none."""
    pixels: NDArray[np.uint8] | None = None
    """[H, W, 3]: RGB pixels, row 0 on top, that are shown in place of board and notes where there are colours."""

    @property
    def slanted(self) -> bool:
        """True if each row stands half a cell further to the right than the one above it."""
        return self.board == "hexagons"

    def mark(self, seat: int) -> str:
        """Return the symbol of a seat's pieces."""
        return mark_of(seat, self.sides)

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

        def shown(label: str) -> str:
            return label.translate(IN_ASCII) if ascii_only else label

        def indent(row: int) -> str:
            return " " * (row * (cell + 1) // 2) if self.slanted else ""

        def rule(ends: str, row: int) -> str:
            return left + indent(row) + ends[0] + ends[1].join([across * cell] * columns) + ends[2]

        above, below = (
            (left + " " + " ".join(shown(label).center(cell) for label in labels)).rstrip()
            for labels in (self.column_labels, self.bottom_labels)
        )
        lines = [above, rule(top, 0)]
        for row in range(rows):
            cells = bar.join(self._cell_text(row, column, ascii_only) for column in range(columns))
            lines.append(f"{indent(row)}{shown(self.row_labels[row]):>{width}} {bar}{cells}{bar}")
        return "\n".join([*lines, rule(bottom, rows - 1), *([below] if below else []), *map(shown, self.notes)])

    @property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """Cells to mark: those that decided the game, or else that of the last move."""
        return self.winning or (() if self.last is None else (self.last,))

    def _cell_text(self, row: int, column: int, ascii_only: bool) -> str:
        seat = self.pieces[row, column]
        mark = " " if seat < 0 else self.mark(seat)
        if self.letters is not None and seat >= 0:
            mark = str(self.letters[row, column]) or mark
        mark = (mark.translate(IN_ASCII) if ascii_only else mark).rjust(self._mark_width())
        return f"[{mark}]" if (row, column) in self.marked else f" {mark} "

    def _mark_width(self) -> int:
        return 1 if self.letters is None else max(1, *(len(letter) for letter in self.letters.flat))

    def image(self, cell: int = 48) -> NDArray[np.uint8]:
        """Return the board as RGB pixels [R * cell, C * cell, 3]: discs and rings, marked cells in dark squares.

        A piece with a letter carries it, light on a disc, within a ring dark; white and black pieces are discs. A
        slanted board is wider by half a cell for each row but one. Pixels of the picture itself are returned as they
        are.
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
            for column in range(columns):
                tile = canvas[row * cell : (row + 1) * cell, begin + column * cell : begin + (column + 1) * cell]
                self._draw_ground(tile, row, column)
                if self.pieces[row, column] >= 0:
                    self._draw_piece(tile, row, column)
        return canvas

    def ground_of(self, row: int, column: int) -> str:
        """Return the surface of a cell, one of `palette.GROUNDS`; "" for none."""
        if self.board == "squares":
            return "dark" if (row + column) % 2 else "light"
        if self.board == "points" and column in self.rails:
            return "rail"
        return self.surface or {"crossings": "wood", "points": "felt", "cards": "felt", "bowls": "wood"}.get(
            self.board, ""
        )

    def colour_of(self, seat: int) -> Colour:
        """Return the colour of a seat's pieces, and of what is nobody's."""
        if seat == NOBODY:
            return INKS["black"]
        return SIDES[self.sides[seat]] if self.sides else SEATS[seat % len(SEATS)]

    def _draw_ground(self, tile: NDArray[np.uint8], row: int, column: int) -> None:
        """Draw an empty cell [N, N, 3]: its surface, and its edges or the lines that cross in it."""
        ground, cell = self.ground_of(row, column), len(tile)
        tile[:] = GROUNDS[ground] if ground else BACKGROUND
        if self.board == "crossings":
            middle, (rows, columns) = cell // 2, self.pieces.shape
            tile[middle, middle * (column == 0) : middle + 1 if column == columns - 1 else cell] = LAST
            tile[middle * (row == 0) : middle + 1 if row == rows - 1 else cell, middle] = LAST
            if (row, column) in self.stars:
                reach = cell // 12
                tile[middle - reach : middle + reach + 1, middle - reach : middle + reach + 1] = LAST
        elif self.board in ("grid", "hexagons", "tiles", "cards"):
            tile[0], tile[:, 0], tile[:, -1] = LINE, LINE, LINE
            if row == len(self.pieces) - 1:
                tile[-1] = LINE

    def _draw_piece(self, tile: NDArray[np.uint8], row: int, column: int) -> None:
        """Draw the piece of a cell [N, N, 3], with its letter."""
        seat, cell = int(self.pieces[row, column]), len(tile)
        offset = np.arange(cell) - (cell - 1) / 2
        radius = np.hypot(offset[:, None], offset[None, :]) / cell
        edge = np.maximum(np.abs(offset)[:, None], np.abs(offset)[None, :]) / cell
        letter = "" if self.letters is None else str(self.letters[row, column])
        colour, ring = self.colour_of(seat), seat % 2 == 1 and not self.sides
        if seat == NOBODY or (self.board == "cards" and letter):
            tile[edge < 0.42] = GROUNDS["back" if letter == HIDDEN else "face"]
            _write(tile, letter.translate(IN_ASCII), colour)
        else:
            tile[(radius < 0.38) & (radius > ((0.32 if letter else 0.24) if ring else 0.0))] = colour
            dark = ring or (bool(self.sides) and self.sides[seat] == "white")
            _write(tile, letter, (LAST if self.sides else colour) if dark else BACKGROUND)
        if (row, column) in self.marked:
            tile[(edge > 0.42) & (edge < 0.47)] = LAST


def mark_of(seat: int, sides: Sequence[str] = ()) -> str:
    """Return the symbol of a seat: that of the side that it plays, white or black, or its own.

    >>> mark_of(0), mark_of(0, ("white", "black"))
    ('●', '○')
    """
    return SIDE_MARKS[sides[seat]] if sides and seat < len(sides) else MARKS[seat % len(MARKS)]


def _write(tile: NDArray[np.uint8], text: str, colour: Colour) -> None:
    """Write a word in the middle of a cell [N, N, 3], where there is room for it."""
    cell = tile.shape[0]
    written = dots(text, scale=max(1, cell // 16))
    height, width = written.shape
    if 0 < width <= cell and height <= cell:
        top, left = (cell - height) // 2, (cell - width) // 2
        tile[top : top + height, left : left + width][written] = colour
