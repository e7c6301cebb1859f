"""Boards as SVG: the picture of a position, whatever its game, in colours that the stylesheet gives.

Everything is drawn in cells: a cell is 1 wide. Texts are escaped here; the rest is numbers and names of classes.
"""

from collections.abc import Iterable, Iterator
from html import escape

import numpy as np

from games.engine.cards import DICE, PIPS
from games.engine.geometry import SLANT, corner_steps, owned_edges
from games.engine.palette import BOWL, GROUNDS, INKS, LAST_GROUNDS, SEATS, SEATS_ON_DARK, SIDES, SPIKES, Colour
from games.engine.picture import BLACK, FILLED, HIDDEN, NOBODY, WHITE, Picture

PIXELS_A_CELL = 52


def svg_of(picture: Picture, title: str) -> str:
    """Return a board as an SVG element; "" for a picture without a board, whose notes say everything."""
    return "".join(_Board(picture).elements(title)) if picture.pieces.size else ""


def colour_rules() -> str:
    """Return the rules of a stylesheet for the colours of boards, those of seats in either theme."""
    plain = {f"ground-{name}": colour for name, colour in GROUNDS.items()}
    plain |= {f"last-{name}": colour for name, colour in LAST_GROUNDS.items()}
    plain |= {f"side-{name}": colour for name, colour in SIDES.items()} | {"bowl": BOWL}
    plain |= {f"spike-{number}": colour for number, colour in enumerate(SPIKES)}
    plain |= {f"ink-{name}": colour for name, colour in INKS.items()}
    rules = [f".{name}{{fill:{_rgb(colour)}}}" for name, colour in plain.items()]
    for number in range(len(SEATS)):
        rules += [f".seat-{number}{{fill:var(--seat-{number})}}", f".ring-{number}{{stroke:var(--seat-{number})}}"]
        rules.append(f".mark-{number}{{color:var(--seat-{number})}}")
    light, dark = (_variables(colours) for colours in (SEATS, SEATS_ON_DARK))
    return "\n".join([f":root{{{light}}}", f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}", *rules])


def _variables(colours: Iterable[Colour]) -> str:
    return "".join(f"--seat-{number}:{_rgb(colour)};" for number, colour in enumerate(colours))


def _rgb(colour: Colour) -> str:
    return f"rgb({','.join(map(str, colour))})"


def _text(x: float, y: float, text: str, size: float, kind: str) -> str:
    return f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size:.4g}" class="{kind}">{escape(text)}</text>'


def _box(x: float, y: float, half_x: float, half_y: float, kind: str) -> str:
    """Return a rectangle round a point."""
    return (
        f'<rect x="{x - half_x:.4g}" y="{y - half_y:.4g}" width="{2 * half_x:.4g}" height="{2 * half_y:.4g}"'
        f' class="{kind}"/>'
    )


def _disc(x: float, y: float, radius: float, kind: str) -> str:
    return f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{radius:.4g}" class="{kind}"/>'


def _polygon(points: Iterable[tuple[float, float]], kind: str, shape: str = "polygon") -> str:
    return f'<{shape} points="{" ".join(f"{x:.4g},{y:.4g}" for x, y in points)}" class="{kind}"/>'


class _Board:
    """Draws a picture of R rows and C columns."""

    def __init__(self, picture: Picture):
        self._picture = picture
        self._rows, self._columns = picture.pieces.shape

    def elements(self, title: str) -> Iterator[str]:
        """Yield the SVG element in pieces: grounds, lines, marked squares, pieces, marks, labels."""
        picture, cells = self._picture, list(np.ndindex(self._rows, self._columns))
        left = 0.25 + 0.24 * max(map(len, picture.row_labels), default=0)
        above, below = 0.5 if any(picture.column_labels) else 0.15, 0.5 if any(picture.bottom_labels) else 0.15
        width = left + self._columns + (self._rows - 1) / 2 * picture.slanted + 0.15
        height = above + below + ((self._rows - 1 + 4 / 3) * SLANT if picture.slanted else self._rows)
        size = f'width="{PIXELS_A_CELL * width:.0f}" height="{PIXELS_A_CELL * height:.0f}"'
        yield f'<svg class="board" role="img" viewBox="{-left:.4g} {-above:.4g} {width:.4g} {height:.4g}" {size}>'
        yield f"<title>{escape(title)}</title>"
        for draw in (self._ground, self._lines):
            for cell in cells:
                yield from draw(*cell)
        if picture.edges is not None:
            yield from self._edges(*picture.edges)
        squares = picture.board == "squares"
        if squares:
            yield from (
                _box(*self._middle(*cell), 0.5, 0.5, f"last-{picture.ground_of(*cell)}") for cell in picture.marked
            )
        for cell in cells:
            if picture.pieces[cell] >= 0:
                yield from self._piece(*cell)
        if not squares:
            yield from (self._mark(*cell) for cell in picture.marked)
        yield from self._labels()
        yield "</svg>"

    def _middle(self, row: int, column: int) -> tuple[float, float]:
        if self._picture.slanted:
            return column + row / 2 + 0.5, (row + 2 / 3) * SLANT
        return column + 0.5, row + 0.5

    def _corners(self, row: int, column: int, inset: float = 0.0) -> list[tuple[float, float]]:
        """Return the corners of a cell, clockwise from the top or the upper left."""
        x, y = self._middle(row, column)
        return [(x + dx, y + dy) for dx, dy in corner_steps(0.5 - inset, self._picture.slanted)]

    def _ground(self, row: int, column: int) -> Iterator[str]:
        if ground := self._picture.ground_of(row, column):
            yield _polygon(self._corners(row, column), f"ground-{ground}")

    def _lines(self, row: int, column: int) -> Iterator[str]:
        """Draw what an empty cell shows: its edges, the lines that cross in it, or a backgammon point at its base."""
        picture, (x, y) = self._picture, self._middle(row, column)
        if picture.board == "crossings":
            across = [(x - 0.5 * (column > 0), y), (x + 0.5 * (column < self._columns - 1), y)]
            down = [(x, y - 0.5 * (row > 0)), (x, y + 0.5 * (row < self._rows - 1))]
            yield from (_polygon(points, "line", "polyline") for points in (across, down))
            if (row, column) in picture.stars:
                yield _disc(x, y, 0.09, "star")
        elif picture.board == "points" and row in (0, self._rows - 1) and column not in picture.rails:
            way = 1 if row == 0 else -1
            before = sum(other not in picture.rails for other in range(column))
            base, tip = y - way * 0.5, y + way * (self._rows // 2 - 0.6)
            yield _polygon([(x - 0.5, base), (x + 0.5, base), (x, tip)], f"spike-{(before + (way < 0)) % 2}")
        elif picture.board in ("grid", "hexagons", "tiles"):
            yield _polygon(self._corners(row, column), "line" if picture.ground_of(row, column) else "edge")

    def _edges(self, across: int, down: int) -> Iterator[str]:
        """Draw the four edges of a board of hexagons in the colours of the seats that own them."""
        for seat, cell, places in owned_edges(self._rows, self._columns, across, down):
            corners = self._corners(*cell)
            yield _polygon([corners[place] for place in places], f"owner ring-{seat}", "polyline")

    def _piece(self, row: int, column: int) -> Iterator[str]:
        """Draw a disc or a ring with its letter, a figure, a card or its back, a die, a bowl or a filled cell."""
        picture, (x, y) = self._picture, self._middle(row, column)
        seat = int(picture.pieces[row, column])
        text = "" if picture.letters is None else str(picture.letters[row, column])
        figure = "" if picture.figures is None else str(picture.figures[row, column])
        if text == HIDDEN:
            yield _box(x, y, 0.38, 0.45, "card ground-back")
        elif figure and figure in WHITE + BLACK:
            side = "white" if figure in WHITE else "black"
            yield _text(x, y, figure.translate(FILLED) + "\ufe0e", 0.86, f"figure side-{side}")
        elif figure in DICE and figure:
            yield _box(x, y, 0.36, 0.36, "card ground-face")
            for pip in (place for place, dot in enumerate(PIPS[DICE.index(figure) + 1]) if dot != " "):
                yield _disc(x + (pip % 3 - 1) * 0.21, y + (pip // 3 - 1) * 0.21, 0.06, "ink-black")
        elif picture.board == "cards" or seat == NOBODY:
            ink = "" if picture.inks is None else str(picture.inks[row, column])
            yield _box(x, y, 0.38, 0.45, "card ground-face")
            yield _text(x, y, text, min(0.4, 1.1 / max(len(text), 1)), f"ink-{ink or 'black'}")
        elif picture.board == "bowls":
            yield _disc(x, y, 0.44, "bowl")
            yield _text(x, y, text, 0.4, "ground-face")
        elif picture.board == "tiles":
            yield _box(x, y, 0.5, 0.5, self._colour(seat))
            yield _text(x, y, text, 0.6, "paper")
        else:
            yield from self._stone(x, y, seat, text)

    def _stone(self, x: float, y: float, seat: int, text: str) -> Iterator[str]:
        """Draw a disc, or the ring of a second seat, with its letter; white and black are discs with an edge."""
        sides = self._picture.sides
        if sides:
            yield _disc(x, y, 0.47 if self._picture.board == "crossings" else 0.41, f"stone {self._colour(seat)}")
            yield _text(x, y, text, 0.42, f"side-{'black' if sides[seat] == 'white' else 'white'}")
        elif seat % 2:
            number = seat % len(SEATS)
            yield _disc(x, y, 0.345 if text else 0.315, f"{'thin ' if text else ''}ring ring-{number}")
            yield _text(x, y, text, 0.42, self._colour(seat))
        else:
            yield _disc(x, y, 0.38, self._colour(seat))
            yield _text(x, y, text, 0.42, "paper")

    def _mark(self, row: int, column: int) -> str:
        """Mark the last move, or what decided the game: by a dot on a stone, or by the edge of the cell."""
        picture = self._picture
        if picture.board == "crossings" and picture.sides and 0 <= picture.pieces[row, column] < NOBODY:
            white = picture.sides[int(picture.pieces[row, column])] == "white"
            return _disc(*self._middle(row, column), 0.14, f"side-{'black' if white else 'white'}")
        lit = "marked lit" if picture.ground_of(row, column) else "marked"
        return _polygon(self._corners(row, column, 0.04), lit)

    def _labels(self) -> Iterator[str]:
        picture = self._picture
        for row, label in enumerate(picture.row_labels):
            x, y = self._middle(row, 0)
            yield _text(x - 0.6 - 0.11 * len(label), y, label, 0.32, "label")
        for row, labels, step in ((0, picture.column_labels, -0.75), (self._rows - 1, picture.bottom_labels, 0.75)):
            for column, label in enumerate(labels):
                x, y = self._middle(row, column)
                yield _text(x, y + step, label, 0.32, "label")

    def _colour(self, seat: int) -> str:
        """Return the class of a seat's colour: that of its side, or its own."""
        sides = self._picture.sides
        if seat == NOBODY:
            return "ink-black"
        return f"side-{sides[seat]}" if sides else f"seat-{seat % len(SEATS)}"
