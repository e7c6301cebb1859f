"""Boards as text, and back from a point to a cell."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from arena.match.match import Match
from arena.policy.registry import make_game
from arena.tui.drawing.board import Arrangement, BoardView, arrange, cell_at, draw, extent, room_for_pixels
from arena.tui.drawing.cells import BARE, BIG, FLAT, SCALES, SLANTED, SQUARE, TextRun
from arena.tui.drawing.figures import BLACK, WHITE, large
from games.engine.picture import Picture

DRAWN = [*itertools.product(["tic_tac_toe", "tic_tac_toe:m=6,n=4,k=4", "connect_four"], SCALES)]
DRAWN += [("hex:size=5", scale) for scale in SLANTED]
"""Games, each at every scale that it may be drawn at."""


def picture(name, *actions):
    game = make_game(name)
    match = Match(game, [("a", None)] * game.num_players)
    for action in actions:
        match.play(action)
    return game.picture(match.state)


def text(view, scale, **options):
    return ["".join(run.text for run in line).rstrip() for line in draw(view, scale, **options)]


def test_small_board_shows_pieces_last_move_targets_chances_and_cursor():
    view = BoardView(picture("tic_tac_toe", 4, 0), frozenset({(0, 1), (2, 2)}), {(2, 0): 0.05, (1, 0): 1.0})
    assert text(view, SQUARE, cursor=(2, 2)) == [
        "    a   b   c",
        "  ╭───┬───┬───╮",
        "1 │[○]│ · │   │",
        "  ├───┼───┼───┤",
        "2 │100│ ● │   │",
        "  ├───┼───┼───┤",
        "3 │ 5%│   │>·<│",
        "  ╰───┴───┴───╯",
    ]


def test_big_board_draws_discs_and_rings():
    view = BoardView(picture("tic_tac_toe:m=1,n=3,k=3", 0, 1), chances={(0, 2): 0.614})
    assert text(view, BIG, cursor=(0, 2)) == [
        "      a       b       c",
        "  ╭───────┬───────┬───────╮",
        "  │ ▄███▄ │┌▄▀▀▀▄┐│       │",
        "1 │ █████ │ █   █ │> 61% <│",
        "  │ ▀███▀ │└▀▄▄▄▀┘│       │",
        "  ╰───────┴───────┴───────╯",
    ]


def test_a_large_piece_carries_its_letter_and_a_card_is_its_cell():
    kings = replace(picture("tic_tac_toe:m=1,n=3,k=3", 0, 1), letters=np.array([["K", "k", ""]]), last=None)
    assert text(BoardView(kings), BIG)[2:5] == [
        "  │ ▄███▄ │ ▄▀▀▀▄ │       │",
        "1 │ █ K █ │ █ k █ │       │",
        "  │ ▀███▀ │ ▀▄▄▄▀ │       │",
    ]
    hand = replace(kings, cards=True, letters=np.array([["10", "?", ""]]))
    assert text(BoardView(hand), BIG)[2:5] == [
        "  │       │▒▒▒▒▒▒▒│       │",
        "1 │   10  │▒▒▒▒▒▒▒│       │",
        "  │       │▒▒▒▒▒▒▒│       │",
    ]


@pytest.mark.full
def test_a_large_chess_figure_is_drawn_in_lines_or_filled():
    """So sides differ by shape; in ASCII, which has no such shapes, by letters."""
    knights = replace(picture("tic_tac_toe:m=1,n=2,k=2", 0), figures=np.array([["♘", "♞"]]), last=None)
    knights = replace(knights, pieces=np.array([[0, 1]], np.int8), letters=np.array([["N", "n"]]))
    assert text(BoardView(knights), BIG)[2:5] == [
        "  │ ⢀⢔⢍⠢⡀ │ ▗▟█▙▖ │",
        "1 │ ⠣⠒⡱ ⢸ │ ▜▀███ │",
        "  │ ⢠⣊⣀⣀⡇ │ ▗███▌ │",
    ]
    assert text(BoardView(knights), BIG, ascii_only=True)[3] == "1 │ █ N █ │ █ n █ │"
    assert len({large(figure) for figure in WHITE + BLACK}) == 12


def test_flat_and_bare_boards_save_lines_and_columns():
    view = BoardView(picture("connect_four:rows=2,columns=3,k=3", 1))
    assert text(view, FLAT) == ["  1   2   3", "╭───┬───┬───╮", "│   │   │   │", "│   │[●]│   │", "╰───┴───┴───╯"]
    assert text(view, BARE) == [" 1  2  3", " ·  ·  ·", " · [●] ·"]


def test_flipped_board_is_turned_by_half():
    view = BoardView(picture("tic_tac_toe:m=2,n=2,k=2", 0))
    assert text(view, FLAT, flipped=True) == ["    b   a", "  ╭───┬───╮", "2 │   │   │", "1 │   │[●]│", "  ╰───┴───╯"]


def test_names_below_the_board_keep_to_its_columns_and_turn_with_it():
    view = BoardView(picture("kalah:houses=2,seeds=1", 0))
    above, *board, below = text(view, FLAT)
    assert (above, below) == ("        2   1", "        1   2")
    assert len(board) == 4
    turned = text(view, FLAT, flipped=True)
    assert (turned[0], turned[-1]) == (above, below)  # each player's own, from that player's left


def test_a_slanted_board_shifts_each_row_by_half_a_cell():
    view = BoardView(picture("hex:size=3,swap=false", 0, 4))
    assert text(view, FLAT)[:-1] == [
        "    a   b   c",
        "  ╭───┬───┬───╮",
        "1 │ ● │   │   │",
        "  2 │   │[○]│   │",
        "    3 │   │   │   │",
        "      ╰───┴───┴───╯",
    ]


@pytest.mark.parametrize(("name", "scale"), DRAWN)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_cell_is_found_where_its_piece_is_drawn(name, scale, flipped):
    """A cursor's brackets stand inside its cell, so both must point back at it."""
    view = BoardView(picture(name))
    rows, columns = view.picture.pieces.shape
    for cell in itertools.product(range(rows), range(columns)):
        lines = text(view, scale, cursor=cell, flipped=flipped)
        (found,) = [(line.index(">"), line.index("<"), y) for y, line in enumerate(lines) if ">" in line]
        for x in range(found[0], found[1] + 1):
            assert cell_at(view.picture, scale, x, found[2], flipped) == cell


@pytest.mark.parametrize(("name", "scale"), [*DRAWN, ("hex:size=11", FLAT), ("tic_tac_toe:m=12,n=5,k=4", BARE)])
def test_extent_is_the_size_of_the_drawing(name, scale):
    view = BoardView(picture(name))
    lines = draw(view, scale)
    width = max(sum(len(run.text) for run in line) for line in lines)
    assert (width, len(lines)) == extent(view.picture, scale)


def test_points_outside_the_board_are_no_cell():
    board = picture("tic_tac_toe")
    width, height = extent(board, SQUARE)
    assert cell_at(board, SQUARE, 0, 3) is None
    assert cell_at(board, SQUARE, 5, 0) is None
    assert cell_at(board, SQUARE, width + 4, 3) is None
    assert cell_at(board, SQUARE, 5, height + 1) is None


@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [
        ("tic_tac_toe", (80, 21), Arrangement("beside", BIG)),
        ("connect_four", (80, 21), Arrangement("beside", SQUARE)),
        ("tic_tac_toe:m=6,n=6,k=4", (80, 21), Arrangement("beside", SQUARE)),
        ("connect_four", (120, 32), Arrangement("beside", BIG)),
        ("connect_four:rows=6,columns=15,k=4", (80, 21), Arrangement("below", SQUARE)),
        ("connect_four:rows=9,columns=18,k=4", (80, 21), Arrangement("below", FLAT)),
        ("tic_tac_toe:m=19,n=19,k=5", (80, 21), Arrangement("alone", BARE)),
        ("tic_tac_toe:m=19,n=19,k=5", (160, 47), Arrangement("beside", SQUARE)),
        ("connect_four", (20, 5), Arrangement("alone", BARE)),
        ("hex:size=5", (160, 47), Arrangement("beside", SLANTED[0])),
        ("hex", (80, 21), Arrangement("below", FLAT)),
    ],
)
def test_the_largest_board_that_fits_is_chosen(name, size, expected):
    assert arrange(picture(name), *size) == expected


RED, GREEN, BLUE, WHITE_PIXEL = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def pixels(rows):
    return Picture.of_pixels(np.array(rows, np.uint8), ("a table",), 9)


def blocks(text, upper, lower):
    return TextRun(text, "pixels", colours=(upper, lower))


def test_a_character_shows_two_pixels():
    four = BoardView(pixels([[RED, GREEN], [BLUE, WHITE_PIXEL]]))
    assert draw(four, room_for_pixels(80, 24)) == [[blocks("▀", RED, BLUE), blocks("▀", GREEN, WHITE_PIXEL)]]
    odd = BoardView(pixels([[RED, RED], [BLUE, BLUE], [GREEN, GREEN]]))
    assert draw(odd, room_for_pixels(80, 24)) == [[blocks("▀▀", RED, BLUE)], [blocks("▀▀", GREEN, None)]]


def test_pixels_are_averaged_over_areas():
    checkered = np.zeros((8, 8, 3), np.uint8)
    checkered[::2, ::2] = checkered[1::2, 1::2] = 200
    grey = (100, 100, 100)
    assert draw(BoardView(pixels(checkered)), room_for_pixels(4, 24)) == [[blocks("▀▀▀▀", grey, grey)]] * 2


@pytest.mark.parametrize(
    ("shape", "room", "size"),
    [
        ((1000, 1000), (44, 20), (40, 20)),
        ((1000, 1000), (30, 20), (30, 15)),
        ((774, 891), (60, 20), (46, 20)),
        ((100, 1000), (60, 20), (60, 3)),
        ((1, 1000), (60, 20), (60, 1)),
        ((10, 6), (60, 20), (6, 5)),
        ((1000, 10), (0, 0), (1, 1)),
    ],
)
def test_pixels_keep_their_aspect_ratio(shape, room, size):
    image, scale = pixels(np.zeros((*shape, 3))), room_for_pixels(*room)
    assert extent(image, scale) == size
    lines = draw(BoardView(image), scale)
    assert (len("".join(run.text for run in lines[0])), len(lines)) == size


@pytest.mark.parametrize(
    ("size", "panels", "extents"),
    [((80, 22), "beside", (44, 22)), ((60, 30), "below", (48, 24)), ((20, 9), "alone", (18, 9))],
)
def test_pixels_are_shown_where_they_are_largest(size, panels, extents):
    image = pixels(np.zeros((500, 500, 3)))
    arrangement = arrange(image, *size)
    assert (arrangement.panels, extent(image, arrangement.scale)) == (panels, extents)
