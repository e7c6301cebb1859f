"""One cell of a board as runs of text at any scale: the piece or mark in it, and the brackets at its edges."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from arena.tui.drawing.figures import large
from arena.tui.state.words import mark, percent


@dataclass(frozen=True)
class Scale:
    """Size at which a board is drawn."""

    width: int
    """Width of the inside of a cell, in characters; of a picture made of pixels, the most that it may take in all."""
    height: int
    ruled_columns: bool = True
    """Draw a frame, and rules between the columns."""
    ruled_rows: bool = True
    """Draw rules between the rows."""


BIG, SQUARE = Scale(7, 3), Scale(3, 1)
FLAT, BARE = Scale(3, 1, ruled_rows=False), Scale(3, 1, ruled_rows=False, ruled_columns=False)
SCALES = (BIG, SQUARE, FLAT, BARE)
"""Scales from large to small."""
SLANTED = (Scale(7, 3, ruled_rows=False), FLAT, BARE)
"""Scales for slanted boards, whose shifted rows leave no place for rules between them."""

DISC, RING = (" ▄███▄ ", " █████ ", " ▀███▀ "), (" ▄▀▀▀▄ ", " █   █ ", " ▀▄▄▄▀ ")
TRIANGLE, FRAME = ("   ▄   ", "  ▟█▙  ", " ▟███▙ "), (" █▀▀▀█ ", " █   █ ", " █▄▄▄█ ")
BIG_PIECES = (DISC, RING, TRIANGLE, FRAME)
"""Pieces by seat, for cells of three lines."""
HIDDEN, BACK = "?", "▒"
"""Letter of a card or die that is hidden, and the pattern of its back."""
ROOM = (" ", BACK)
"""Characters that a bracket may replace."""


Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


class TextRun(NamedTuple):
    """Characters of one style."""

    text: str
    role: str
    """Kind of content: line, label, target, last, cursor, chance, seat-0, on-seat-0 (upon its piece), seat-1, ..."""
    chance: float = 0.0
    """Shade of the cell behind it, 0 to 1."""
    chosen: bool = False
    """True if the keyboard's cursor is on its cell."""
    colours: tuple[Colour, Colour | None] | None = None
    """Foreground and background in place of those of the theme; background None for that of the board."""


class CellLook(NamedTuple):
    """Everything that the drawing of a cell depends on."""

    seat: int
    """Seat of the piece, -1 for an empty cell."""
    figure: str = ""
    """Symbol drawn in place of the letter: ♞."""
    letter: str = ""
    is_card: bool = False
    chance: float | None = None
    """Probability of a move here; None if unknown."""
    is_target: bool = False
    is_last: bool = False
    is_picked: bool = False
    is_chosen: bool = False


CellLine = tuple[tuple[str, str], ...]
"""Texts with their roles."""


@lru_cache(4096)
def cell_runs(look: CellLook, scale: Scale) -> tuple[tuple[TextRun, ...], ...]:
    """Return a cell as lines of runs; cached, since boards have few distinct cells and are drawn often."""
    inside = _piece(look, scale) if look.seat >= 0 else _empty(look, scale)
    full = inside[0][0][1] == "chance" and scale.height == 1  # no room for brackets: the cursor shows by its colour
    edges, role = ([("", "")] * scale.height, "") if full else _edges(look, scale)
    return tuple(
        tuple(TextRun(text, part_role, look.chance or 0.0, look.is_chosen) for text, part_role in _bracketed(*line))
        for line in zip(inside, edges, [role] * scale.height, strict=True)
    )


def _piece(look: CellLook, scale: Scale) -> list[CellLine]:
    """Return the lines of an occupied cell: a card or its back, a symbol, or the seat's piece with its letter."""
    role = f"seat-{look.seat % 4}"
    if look.letter == HIDDEN:
        return [((BACK * scale.width, role),)] * scale.height
    if scale.height == 1 or look.is_card:
        return _in_the_middle(look.figure or look.letter or mark(look.seat), role, scale)
    if figure := large(look.figure):
        return [((line, role),) for line in figure]
    lines: list[CellLine] = [((line, role),) for line in BIG_PIECES[look.seat % len(BIG_PIECES)]]
    if look.letter:
        (middle, _), *_ = lines[1]
        lines[1] = (
            (middle[:2], role),
            (look.letter.center(3), f"on-{role}" if middle[3] == "█" else role),
            (middle[-2:], role),
        )
    return lines


def _empty(look: CellLook, scale: Scale) -> list[CellLine]:
    """Return the lines of an empty cell: the probability of a move here, a target's dot, or nothing."""
    if look.chance is not None:
        text = percent(look.chance)[: scale.width]  # "100" in a small cell
        return _in_the_middle(text if len(text) == 1 else text.rjust(3), "chance", scale)
    if look.is_target:
        return _in_the_middle("•" if scale.height == 3 else "·", "target", scale)
    return _in_the_middle("" if scale.ruled_columns else "·", "line", scale)  # without lines, dots show where cells are


def _in_the_middle(text: str, role: str, scale: Scale) -> list[CellLine]:
    lines: list[CellLine] = [((" " * scale.width, role),)] * scale.height
    lines[scale.height // 2] = ((text.center(scale.width), role),)
    return lines


def _edges(look: CellLook, scale: Scale) -> tuple[list[tuple[str, str]], str]:
    """Return the left and right bracket of each line of a cell, and the role of all of them."""
    edges, role, middle = [("", "")] * scale.height, "last", scale.height // 2
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


def _bracketed(line: CellLine, edges: tuple[str, str], role: str) -> list[tuple[str, str]]:
    """Put brackets at the edges of a line where there is room for them."""
    (left, right), parts = edges, list(line)
    text, part_role = parts[0]
    if left and text[0] in ROOM:
        parts[:1] = [(left, role), (text[1:], part_role)]
    text, part_role = parts[-1]
    if right and text[-1] in ROOM:
        parts[-1:] = [(text[:-1], part_role), (right, role)]
    return parts
