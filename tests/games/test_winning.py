"""The cells that decided a game are marked in its picture."""

import numpy as np
import pytest

from arena.match.replay import empty_seats
from arena.policy.registry import make_game


def picture_after(name, moves):
    game = make_game(name)
    match = empty_seats(game, ["a", "b"], 0)
    for move in moves.split():
        match.play(game.parse_action(match.state, move))
    return game.picture(match.state), match.over


WON = {
    "four in a column": ("connect_four", "1 2 1 2 1 2 1", {(2, 0), (3, 0), (4, 0), (5, 0)}),
    "a diagonal": ("connect_four", "1 2 2 3 3 4 3 4 4 6 4", {(5, 0), (4, 1), (3, 2), (2, 3)}),
    "five at once, from the middle": ("connect_four:k=3", "1 1 2 2 4 4 5 5 3", {(5, c) for c in range(5)}),
    "a diagonal of marks": ("tic_tac_toe", "a1 b1 a2 b3 c3 c2 b2", {(0, 0), (1, 1), (2, 2)}),
    "five of gomoku": ("gomoku", "h8 a1 i8 b1 j8 c1 k8 d1 l8", {(7, c) for c in range(7, 12)}),
    "a chain of hex": ("hex:size=3,swap=false", "a1 b1 a2 b2 a3", {(0, 0), (1, 0), (2, 0)}),
    "across in hex": ("hex:size=3,swap=false", "c3 a1 a3 b1 b3 c1", {(0, 0), (0, 1), (0, 2)}),
}


@pytest.mark.parametrize(("name", "moves", "cells"), WON.values(), ids=WON.keys())
def test_the_cells_that_decided(name, moves, cells):
    picture, over = picture_after(name, moves)
    assert over
    assert set(picture.winning) == cells
    assert picture.text().count("[") == len(cells)
    before, _ = picture_after(name, moves.rpartition(" ")[0])
    assert before.winning == ()
    assert before.text().count("[") == 1


def test_the_image_marks_every_cell_of_the_line():
    picture, _ = picture_after("connect_four", "1 2 1 2 1 2 1")
    dark = (picture.image(20) == (40, 40, 40)).all(axis=2)
    marked = {(y // 20, x // 20) for y, x in np.argwhere(dark)}
    assert marked == set(picture.winning)
