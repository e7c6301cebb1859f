"""Pictures as pixels: pieces that differ by their letters alone look different."""

from dataclasses import replace

import numpy as np
import pytest

from games.engine.palette import SEATS
from games.engine.picture import BACKGROUND, Picture


def image(letters, seats, cell=48):
    pieces = np.array([seats], np.int8)
    here = np.full(pieces.shape, -1)
    return Picture(pieces, here, np.full((1, 2), -1), ("",), ("",) * len(seats), letters=letters).image(cell)


def tile(letter, seat, cell=48):
    return image(np.array([[letter]]), [seat], cell)


@pytest.mark.parametrize("seat", [0, 1])
def test_letters_are_told_apart(seat):
    signs = ["", *"KQRBNP", *"0123456789", "10", "AS"]
    assert len({tile(sign, seat).tobytes() for sign in signs}) == len(signs)
    assert (tile("k", seat) == tile("K", seat)).all(), "the seat is told by disc and ring"


def test_a_letter_is_light_on_a_disc_and_dark_in_a_ring():
    plain, lettered = tile("", 0), tile("K", 0)
    changed = (plain != lettered).any(axis=2)
    assert (plain[changed] == SEATS[0]).all()
    assert (lettered[changed] == BACKGROUND).all()
    ring = (tile("♔", 1) != tile("K", 1)).any(axis=2)  # a sign that is not known is blank
    assert (tile("K", 1)[ring] == SEATS[1]).all()


def test_where_there_is_no_room_a_piece_is_plain():
    assert (tile("10", 0, cell=10) == tile("", 0, cell=10)).all()
    assert (image(None, [0, 1, -1]) == image(np.array([["", "", "K"]]), [0, 1, -1])).all(), "none on an empty cell"


def slanted(pieces, **more):
    board = np.array(pieces, np.int8)
    cells = np.arange(board.size).reshape(board.shape)
    where = np.argwhere(cells >= 0)
    labels = [tuple(map(str, range(1, size + 1))) for size in board.shape]
    return Picture(board, cells, where, labels[0], labels[1], board="hexagons", **more)


def test_a_slanted_board_in_text():
    assert slanted([[0, -1], [-1, 1], [-1, -1]], last=(1, 1)).text(ascii_only=True).splitlines() == [
        "    1   2",
        "  +---+---+",
        "1 | X |   |",
        "  2 |   |[O]|",
        "    3 |   |   |",
        "      +---+---+",
    ]


def test_a_slanted_board_in_pixels_is_the_straight_one_row_by_row_further_right():
    pieces = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    leaning, cell = slanted(pieces), 48
    image, upright = leaning.image(cell), replace(leaning, board="grid").image(cell)
    assert image.shape == (3 * cell, 4 * cell, 3)
    for row in range(3):
        lines = slice(row * cell, (row + 1) * cell)
        begin = row * cell // 2
        assert (image[lines, begin : begin + 3 * cell] == upright[lines]).all()
        outside = np.delete(image[lines], np.s_[begin : begin + 3 * cell], axis=1)
        assert (outside == BACKGROUND).all()
