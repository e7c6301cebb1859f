"""Chess symbols for cells of seven columns and three lines, drawn from one bitmap each, filled or outlined.

Black's are filled, in quarter blocks; White's are outlines, in braille dots. So shape tells them apart, not colour.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

WHITE, BLACK = "♙♘♗♖♕♔", "♟♞♝♜♛♚"
HEIGHT, WIDTH = 12, 10
"""Dots of a bitmap: four a line and two a column, as braille has them."""
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
"""Quarter blocks by the bits of their filled quarters: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
BRAILLE = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""Bit of each dot in the code of a braille character."""


@cache
def large(figure: str) -> tuple[str, ...]:
    """Return three lines of seven columns; empty if `figure` is no chess symbol."""
    if figure not in DRAWINGS:
        return ()
    dots = np.array([[sign == "#" for sign in line] for line in DRAWINGS[figure].split()])
    return tuple(f" {line} " for line in (_outlined(dots) if figure in WHITE else _filled(dots)))


def _filled(dots: NDArray[np.bool_]) -> list[str]:
    """Return lines of quarter blocks; each quarter covers two dots, one above the other."""
    blocks = dots.reshape(HEIGHT // 4, 2, 2, WIDTH // 2, 2).any(axis=2)  # [line, half, column, side]
    codes = (blocks * np.array([[1, 2], [4, 8]])[:, None, :]).sum(axis=(1, 3))
    return ["".join(QUARTERS[code] for code in line) for line in codes]


def _outlined(dots: NDArray[np.bool_]) -> list[str]:
    """Return lines of braille, of the dots that have an empty neighbour."""
    wide = np.pad(dots, 1)
    inner = wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    edge = (dots & ~inner).reshape(HEIGHT // 4, 4, WIDTH // 2, 2)
    codes = (edge * BRAILLE[:, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + code) if code else " " for code in line) for line in codes]
