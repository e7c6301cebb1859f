"""Sizes at which a board is drawn: those that suit what it is made of, from large to small."""

from dataclasses import dataclass
from functools import lru_cache

from games.engine.picture import Board, Picture


@dataclass(frozen=True)
class Scale:
    """Size at which a board is drawn."""

    width: int
    """Width of a cell without its lines, in characters; of a picture made of pixels, the most that it may take."""
    height: int
    column_gap: int = 0
    """Columns between cells."""
    row_gap: int = 0
    """Lines between cells."""
    frame: int = 0
    """Columns and lines around all cells."""

    @property
    def pitch(self) -> tuple[int, int]:
        """Columns from one cell to the next, and lines."""
        return self.width + self.column_gap, self.height + self.row_gap


def ruled(height: int) -> Scale:
    """Return the scale of cells between lines, about square on a screen, of so many lines."""
    return Scale(2 * height + 1, height, 1, 1, 1)


LARGEST = 16
"""Lines of the largest cells."""
SQUARE = ruled(1)
FLAT, BARE = Scale(3, 1, 1, 0, 1), Scale(3, 1)
"""Without lines between the rows, and without any."""


def scales_of(picture: Picture) -> tuple[Scale, ...]:
    """Return the scales at which a picture may be drawn, the largest first."""
    longest = 0
    if picture.letters is not None:
        longest = max((len(letter) for letter in picture.letters.flat), default=0)
    return _scales(picture.board, longest)


@lru_cache(64)
def _scales(board: Board, longest: int) -> tuple[Scale, ...]:
    heights = range(LARGEST, 1, -1)
    if board == "cards":
        return _card_scales(longest + 2)
    if board == "squares":
        return (*(Scale(2 * h + 1, h) for h in heights), BARE)
    if board == "crossings":
        return (*(Scale(2 * h + 1, h) for h in heights), BARE, Scale(2, 1))
    if board in ("points", "tiles", "bowls"):
        return (*(Scale(2 * h + 1, h, frame=1) for h in heights), Scale(3, 1, frame=1), BARE)
    grown = (*(ruled(h) for h in heights if h > 2 or longest == 0), SQUARE, FLAT, BARE)
    return tuple(Scale(max(s.width, longest + (s.width > 3)), *_rest(s)) for s in grown)


def _rest(scale: Scale) -> tuple[int, int, int, int]:
    return scale.height, scale.column_gap, scale.row_gap, scale.frame


def _card_scales(width: int) -> tuple[Scale, ...]:
    """Return scales of cards that are at least so wide."""
    large = (Scale(max(w, width), h, 1, 1, 1) for w, h in ((13, 9), (11, 7), (8, 5), (5, 3)))
    least = max(width, 3)
    return (*large, Scale(least, 1, 1, 1, 1), Scale(least, 1, 1, 0, 1), Scale(least, 1, 1))
