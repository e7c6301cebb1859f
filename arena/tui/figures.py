"""Chess figures as large as a cell of seven columns and three lines: drawn once as dots, shown filled or as outlines.

Those of black are filled, of quarter blocks; those of white are outlines, of braille dots. So shape tells them apart.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

WHITE, BLACK = "♙♘♗♖♕♔", "♟♞♝♜♛♚"
HEIGHT, WIDTH = 12, 10
"""Dots of a drawing: four a line and two a column, as braille has them."""
PAWN = """
..........
..........
....##....
...####...
...####...
....##....
....##....
....##....
...####...
...####...
..######..
.########.
"""
KNIGHT = """
....##....
...####...
..######..
.###.####.
##########
####.#####
.#...#####
....######
...######.
..#######.
.########.
.########.
"""
BISHOP = """
....##....
....##....
..##.###..
..##.###..
..######..
...####...
...####...
...####...
....##....
....##....
.########.
.########.
"""
ROOK = """
.##.##.##.
.##.##.##.
.########.
..######..
..######..
..######..
..######..
..######..
..######..
..######..
.########.
.########.
"""
QUEEN = """
#...##...#
#...##...#
##..##..##
##.####.##
##########
##########
.########.
.########.
..######..
..######..
.########.
.########.
"""
KING = """
....##....
....##....
..######..
....##....
.###..###.
##########
##########
.########.
..######..
..######..
.########.
.########.
"""
DRAWINGS = dict(zip(WHITE + BLACK, (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING) * 2, strict=True))
QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the quarters that are filled: 1 for the upper left, 2 for the upper right, 4 and 8 for the lower ones."""
BRAILLE = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""What each dot adds to the number of a character."""


@cache
def large(figure: str) -> tuple[str, ...]:
    """Three lines of seven columns; empty for a sign that is no figure."""
    if figure not in DRAWINGS:
        return ()
    dots = np.array([[sign == "#" for sign in line] for line in DRAWINGS[figure].split()])
    return tuple(f" {line} " for line in (_outlined(dots) if figure in WHITE else _filled(dots)))


def _filled(dots: NDArray[np.bool_]) -> list[str]:
    """Quarter blocks, each of two dots one above the other."""
    blocks = dots.reshape(HEIGHT // 4, 2, 2, WIDTH // 2, 2).any(axis=2)  # [line, half, column, side]
    codes = (blocks * np.array([[1, 2], [4, 8]])[:, None, :]).sum(axis=(1, 3))
    return ["".join(QUARTERS[code] for code in line) for line in codes]


def _outlined(dots: NDArray[np.bool_]) -> list[str]:
    """Braille, of the dots that have an empty neighbour."""
    wide = np.pad(dots, 1)
    inner = wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    edge = (dots & ~inner).reshape(HEIGHT // 4, 4, WIDTH // 2, 2)
    codes = (edge * BRAILLE[:, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + code) if code else " " for code in line) for line in codes]
