"""One cell of a board as runs of text at any scale: its ground, the piece or mark in it, and brackets at its edges."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from arena.tui.drawing import shapes
from arena.tui.drawing.scales import Scale
from arena.tui.state.words import percent
from games.engine.cards import DICE, PIPS
from games.engine.palette import Colour
from games.engine.picture import BLACK, FILLED, HIDDEN, MARKS, SUITS, WHITE

BACK = "▒"
"""Pattern of the back of a card or die that is hidden."""
ROOM = f" ─▔░{BACK}▗▖▝▘▟▙▜▛"
"""Characters that a bracket may replace: what is empty, and the rounded corners of a piece."""
SHADE = "░"
"""Pattern of dark squares where there are no colours."""
FILL = 0.94
"""Part of a cell that a piece fills, across."""
SOLID = "█▒▓░"
"""Pieces by seat that fill their cells."""
DICE_FIGURES = frozenset(DICE)
CROSSINGS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""Crossings by the bits of the lines that leave them: 1 up, 2 right, 4 down, 8 left."""


@dataclass(frozen=True)
class Terminal:
    """Abilities of a terminal."""

    ascii_only: bool = False
    """Letters stand for symbols of pieces."""
    colours: bool = True
    """Without colours white and black are told apart by shape, and light and dark squares by a pattern."""


COLOURED = Terminal()


class TextRun(NamedTuple):
    """Characters of one style."""

    text: str
    role: str
    """Kind of content: line, label, target, last, cursor, chance, seat-0, white, black, ink-red, edge-0, spike-0 ...;
    on-seat-0, on-white for what is written upon a piece, beside-spike-0 for the surface that covers a part of it."""
    chance: float = 0.0
    """Shade of the cell behind it, 0 to 1."""
    chosen: bool = False
    """True if the keyboard's cursor is on its cell."""
    colours: tuple[Colour, Colour | None] | None = None
    """Foreground and background in place of those of the theme; background None for that of the board."""
    ground: str = ""
    """Surface behind it, one of `palette.GROUNDS`; "" for that of the screen."""
    last: bool = False
    """True if the last move took place in its cell, which has no room for brackets."""


class CellLook(NamedTuple):
    """Everything that the drawing of a cell depends on."""

    seat: int
    """Seat of the piece, -1 for an empty cell."""
    role: str = ""
    """Colour of the piece: seat-0, white, black, ink-red."""
    mark: str = ""
    """Symbol of the seat."""
    figure: str = ""
    """Symbol drawn in place of the letter: ♞."""
    letter: str = ""
    form: str = "piece"
    """A piece, a card, a bowl, or a tile that fills its cell."""
    ground: str = ""
    crossing: int = 0
    """Lines that cross here, by bits as in `CROSSINGS`; 0 for a cell between lines."""
    is_star: bool = False
    spike: tuple[float, float, int] | None = None
    """Width of a backgammon point at the top and the bottom of the cell, and its colour (0 or 1)."""
    chance: float | None = None
    """Probability of a move here; None if unknown."""
    is_target: bool = False
    is_last: bool = False
    is_picked: bool = False
    is_chosen: bool = False


CellLine = tuple[tuple[str, str], ...]
"""Texts with their roles."""


@lru_cache(8192)
def cell_runs(look: CellLook, scale: Scale, terminal: Terminal) -> tuple[tuple[TextRun, ...], ...]:
    """Return a cell as lines of runs; cached, since boards have few distinct cells and are drawn often."""
    inside = _piece(look, scale, terminal) if look.seat >= 0 else _empty(look, scale, terminal)
    full = scale.width < 3 or (inside[0][0][1] == "chance" and scale.height == 1)  # no room for brackets
    edges, role = ([("", "")] * scale.height, "") if full else _edges(look, scale)
    ground = _ground(look, terminal)
    dark = ground == "dark" and not terminal.colours
    return tuple(
        tuple(
            TextRun(
                text.replace(" ", SHADE) if dark and part_role in ("line", look.role) else text,
                part_role,
                look.chance or 0.0,
                look.is_chosen,
                ground=ground,
                last=look.is_last and scale.width < 3,
            )
            for text, part_role in _bracketed(*line)
        )
        for line in zip(inside, edges, [role] * scale.height, strict=True)
    )


def _ground(look: CellLook, terminal: Terminal) -> str:
    """Return the surface of a cell: that of its card or die, that of the last move, or the board's."""
    if look.seat >= 0 and (look.form == "card" or look.figure in DICE_FIGURES):
        return "back" if look.letter == HIDDEN else "face"
    return (
        f"last-{look.ground}" if look.is_last and look.ground in ("light", "dark") and terminal.colours else look.ground
    )


def _piece(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return the lines of an occupied cell: a card or its back, a symbol, or the seat's piece with its letter."""
    if look.letter == HIDDEN:
        return [((BACK * scale.width, look.role),)] * scale.height
    if look.form == "card" or look.figure in DICE_FIGURES:
        return _card(look, scale, terminal)
    if look.form == "tile":
        return _tile(look, scale, terminal)
    if look.form == "bowl":
        return _bowl(look, scale, terminal)
    white_shape = look.role == "white" and not terminal.colours
    if look.figure and not terminal.ascii_only:
        if scale.height > 2 and look.figure in WHITE + BLACK:
            drawn = shapes.figure(look.figure, scale.width, scale.height, outlined=white_shape)
            return [((line, look.role),) for line in drawn]
        text = look.figure if white_shape else look.figure.translate(FILLED)
        return _in_the_middle(text, look.role, look, scale)
    if scale.height == 1 or (scale.height == 2 and look.letter and terminal.ascii_only):
        mark = look.letter or (MARKS[0] if look.role == "white" and terminal.colours else look.mark)
        return _in_the_middle(mark, look.role, look, scale)
    return _disc(look, scale, terminal)


def _disc(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return the piece of a seat, with its letter."""
    if look.role in ("white", "black"):
        outlined = look.role == "white" and (terminal.ascii_only or not terminal.colours)
        form = shapes.RING if outlined else shapes.DISC
    else:
        form = look.seat % len(shapes.FORMS)
    drawn = shapes.piece(form, scale.width, scale.height, 0.96 if look.crossing else FILL, not scale.row_gap)
    lines: list[CellLine] = [((line, look.role),) for line in drawn]
    middle = scale.height // 2
    if look.letter:
        lines[middle] = _upon(drawn[middle], look)
    return lines


def _bowl(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return a bowl with its number."""
    if scale.height < 3:
        return _on_blank(look.letter, f"on-{look.role}", scale)
    form = shapes.DISC if terminal.colours else shapes.RING
    drawn = shapes.piece(form, scale.width, scale.height, FILL, not scale.row_gap)
    lines: list[CellLine] = [((line, look.role),) for line in drawn]
    lines[scale.height // 2] = _upon(drawn[scale.height // 2], look)
    return lines


def _upon(line: str, look: CellLook) -> CellLine:
    """Return a line of a piece with its letter in the middle."""
    text = look.letter.center(max(len(look.letter), 3))
    begin = (len(line) - len(text)) // 2
    upon = f"on-{look.role}" if line[begin] == "█" else look.role
    return (line[:begin], look.role), (text, upon), (line[begin + len(text) :], look.role)


def _tile(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return a filled cell, with its letter."""
    fill = SOLID[0 if terminal.colours else look.seat % len(SOLID)] * scale.width
    lines: list[CellLine] = [((fill, look.role),)] * scale.height
    if look.letter:
        lines[scale.height // 2] = ((look.letter.center(scale.width), f"on-{look.role}"),)
    return lines


def _card(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return a card: its text in two corners and its suit in the middle, or a die with its pips."""
    blank: CellLine = ((" " * scale.width, look.role),)
    if scale.height < 3 or (terminal.ascii_only and look.figure):
        return _on_blank(look.letter, look.role, scale)
    if look.figure in DICE_FIGURES:
        pips = PIPS[DICE.index(look.figure) + 1]
        step = max(scale.width // 3, 1)
        rows = ["".join(pip.center(step) for pip in pips[3 * i : 3 * i + 3]).center(scale.width) for i in range(3)]
        lines = [blank] * scale.height
        for i, row in enumerate(rows):
            lines[scale.height // 2 + (i - 1) * max((scale.height - 1) // 3, 1)] = ((row, look.role),)
        return lines
    suit = look.letter[-1] if look.letter[-1] in SUITS else ""
    if not suit:
        return _on_blank(look.letter, look.role, scale)
    first = ((f" {look.letter}".ljust(scale.width), look.role),)
    last = ((f"{look.letter} ".rjust(scale.width), look.role),)
    middle = ((suit.center(scale.width), look.role),) if scale.height >= 5 else blank
    inner = [blank] * ((scale.height - 3) // 2)
    return [first, *inner, middle, *inner, last]


def _empty(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return the lines of an empty cell: the probability of a move here, a target's dot, or nothing."""
    if look.chance is not None:
        text = percent(look.chance)
        text = text.rstrip("%").rjust(2) if scale.width < 3 else text[: scale.width]  # "100" in a small cell
        return _in_the_middle(
            text if len(text) == 1 else text.rjust(3) if scale.width > 2 else text, "chance", look, scale
        )
    if look.crossing:
        return _lines_of(look, scale)
    if look.is_target:
        return _in_the_middle("•" if scale.height > 2 else "·", "target", look, scale)
    if look.spike is not None:
        return _spike(look, scale, terminal)
    framed = (scale.frame or look.ground) and look.form != "tile"
    return _in_the_middle(
        "" if framed else "·", "line", look, scale
    )  # without lines between them, dots show where cells are


def _in_the_middle(text: str, role: str, look: CellLook, scale: Scale) -> list[CellLine]:
    """Return what is empty around a text, with the text in its middle line."""
    if look.crossing:
        lines = _lines_of(look, scale)
        (line, line_role), *_ = lines[scale.height // 2]
        begin = (scale.width - len(text) + 1) // 2 if scale.width > 2 else 0
        around = (line[:begin], line_role), (text, role), (line[begin + len(text) :], line_role)
        lines[scale.height // 2] = tuple(part for part in around if part[0])
        return lines
    return _on_blank(text, role, scale)


def _on_blank(text: str, role: str, scale: Scale) -> list[CellLine]:
    lines: list[CellLine] = [((" " * scale.width, role),)] * scale.height
    lines[scale.height // 2] = ((text.center(scale.width), role),)
    return lines


def _spike(look: CellLook, scale: Scale, terminal: Terminal) -> list[CellLine]:
    """Return a slice of a backgammon point."""
    assert look.spike is not None
    begin, end, colour = look.spike
    if scale.height == 1 and scale.width % 2 and terminal.colours and not terminal.ascii_only:
        left, middle, right = shapes.thin_spike(scale.width, begin, end)
        is_tip = middle != "█"
        return [((left, "" if is_tip else f"beside-spike-{colour}"), (middle + right, f"spike-{colour}"))]
    return [((line, f"spike-{colour}"),) for line in shapes.spike(scale.width, scale.height, begin, end)]


def _lines_of(look: CellLook, scale: Scale) -> list[CellLine]:
    """Return the lines that cross in a cell; a star is a dot."""
    crossing, centre = look.crossing, (scale.width - 1) // 2
    across, sign = "─", "•" if look.is_star else CROSSINGS[crossing]
    if scale.height % 2 == 0:  # the middle is the upper edge of the line below it
        across = "▔"
        sign = "▀" if look.is_star else "│" if crossing & 4 else across
    left = (across if crossing & 8 else " ") * centre
    right = (across if crossing & 2 else " ") * (scale.width - 1 - centre)
    rows = [" " * scale.width] * scale.height
    middle = scale.height // 2
    for y in range(scale.height):
        if (y < middle and crossing & 1) or (y > middle and crossing & 4):
            rows[y] = "│".center(scale.width)
    rows[middle] = f"{left}{sign}{right}"
    return [((row, "line"),) for row in rows]


def _edges(look: CellLook, scale: Scale) -> tuple[list[tuple[str, str]], str]:
    """Return the left and right bracket of each line of a cell, and the role of all of them."""
    edges, role, middle = [("", "")] * scale.height, "last", scale.height // 2
    if look.is_last and scale.height > 1:
        edges[0], edges[-1] = ("┌", "┐"), ("└", "┘")
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
        parts[:1] = [(left, role), *([(text[1:], part_role)] if text[1:] else [])]
    text, part_role = parts[-1]
    if right and text[-1] in ROOM:
        parts[-1:] = [*([(text[:-1], part_role)] if text[:-1] else []), (right, role)]
    return parts
