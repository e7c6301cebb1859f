"""One cell of a board as runs of text, at any scale: the piece or the sign in it, and the brackets at its edges."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from arena.tui.figures import large
from arena.tui.words import mark, percent


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

DISC, RING = (" ▄███▄ ", " █████ ", " ▀███▀ "), (" ▄▀▀▀▄ ", " █   █ ", " ▀▄▄▄▀ ")
TRIANGLE, FRAME = ("   ▄   ", "  ▟█▙  ", " ▟███▙ "), (" █▀▀▀█ ", " █   █ ", " █▄▄▄█ ")
BIG_PIECES = (DISC, RING, TRIANGLE, FRAME)
"""Pieces of each seat where a cell has three lines."""
HIDDEN, BACK = "?", "▒"
"""What stands for a card or a die that is not seen, and the pattern of its back."""
ROOM = (" ", BACK)
"""What a bracket may take the place of."""


class Run(NamedTuple):
    """Characters of one look."""

    text: str
    role: str
    """What it shows: line, label, target, last, cursor, chance, seat-0, on-seat-0 (upon its piece), seat-1, ..."""
    chance: float = 0.0
    """Shade of the cell behind it, 0 to 1."""
    chosen: bool = False
    """Whether the keyboard's cursor is on its cell."""


class Look(NamedTuple):
    """All that the drawing of a cell depends on."""

    seat: int
    """-1 for an empty cell."""
    figure: str = ""
    """♞: drawn in place of the letter."""
    letter: str = ""
    is_card: bool = False
    chance: float | None = None
    """None where none is told."""
    is_target: bool = False
    is_last: bool = False
    is_picked: bool = False
    is_chosen: bool = False


Line = tuple[tuple[str, str], ...]
"""Texts with their roles."""


@lru_cache(4096)
def drawn(look: Look, scale: Scale) -> tuple[tuple[Run, ...], ...]:
    """A cell of some look, as lines of runs: boards have few looks, and are drawn often."""
    inside = _piece(look, scale) if look.seat >= 0 else _empty(look, scale)
    full = inside[0][0][1] == "chance" and scale.height == 1  # no room for brackets: the cursor shows by its colour
    edges, role = ([("", "")] * scale.height, "") if full else _edges(look, scale)
    return tuple(
        tuple(Run(text, part_role, look.chance or 0.0, look.is_chosen) for text, part_role in _bracketed(*line))
        for line in zip(inside, edges, [role] * scale.height, strict=True)
    )


def _piece(look: Look, scale: Scale) -> list[Line]:
    """What stands on a cell: a card with its sign or its back, a figure, or the piece of a seat with its letter."""
    role = f"seat-{look.seat % 4}"
    if look.letter == HIDDEN:
        return [((BACK * scale.width, role),)] * scale.height
    if scale.height == 1 or look.is_card:
        return _in_the_middle(look.figure or look.letter or mark(look.seat), role, scale)
    if figure := large(look.figure):
        return [((line, role),) for line in figure]
    lines: list[Line] = [((line, role),) for line in BIG_PIECES[look.seat % len(BIG_PIECES)]]
    if look.letter:
        (middle, _), *_ = lines[1]
        lines[1] = (
            (middle[:2], role),
            (look.letter.center(3), f"on-{role}" if middle[3] == "█" else role),
            (middle[-2:], role),
        )
    return lines


def _empty(look: Look, scale: Scale) -> list[Line]:
    """A cell where nothing stands: the chance that something will, or that it may."""
    if look.chance is not None:
        text = percent(look.chance)[: scale.width]  # "100" in a small cell
        return _in_the_middle(text if len(text) == 1 else text.rjust(3), "chance", scale)
    if look.is_target:
        return _in_the_middle("•" if scale.height == 3 else "·", "target", scale)
    return _in_the_middle("" if scale.ruled_columns else "·", "line", scale)  # without lines, dots show where cells are


def _in_the_middle(text: str, role: str, scale: Scale) -> list[Line]:
    lines: list[Line] = [((" " * scale.width, role),)] * scale.height
    lines[scale.height // 2] = ((text.center(scale.width), role),)
    return lines


def _edges(look: Look, scale: Scale) -> tuple[list[tuple[str, str]], str]:
    """What stands at the left and right edge of each line of a cell, and its role."""
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


def _bracketed(line: Line, edges: tuple[str, str], role: str) -> list[tuple[str, str]]:
    """A line with brackets at its edges, where there is room for them."""
    (left, right), parts = edges, list(line)
    text, its_role = parts[0]
    if left and text[0] in ROOM:
        parts[:1] = [(left, role), (text[1:], its_role)]
    text, its_role = parts[-1]
    if right and text[-1] in ROOM:
        parts[-1:] = [(text[:-1], its_role), (right, role)]
    return parts
