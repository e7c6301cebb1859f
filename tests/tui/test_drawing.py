"""Boards as text, and back from a point to a cell."""

from dataclasses import replace

import numpy as np
import pytest

from arena.match.match import Match
from arena.policy.registry import make_game
from arena.tui.drawing.board import Arrangement, BoardView, arrange, cell_at, draw, extent, room_for_pixels
from arena.tui.drawing.cells import Terminal, TextRun
from arena.tui.drawing.figures import BLACK, WHITE
from arena.tui.drawing.scales import BARE, FLAT, SQUARE, Scale, ruled, scales_of
from arena.tui.drawing.shapes import DISC, EIGHTHS, figure, piece, thin_spike
from arena.tui.state.words import mark
from games.engine.picture import Picture

BOARDS = ["tic_tac_toe", "tic_tac_toe:m=6,n=4,k=4", "connect_four", "hex:size=5", "gomoku", "othello:size=4"]
BOARDS += ["chess", "backgammon", "tron", "kalah", "gin_rummy"]
BIG = ruled(3)
MONOCHROME, ASCII = Terminal(colours=False), Terminal(ascii_only=True)


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
        "  │ ▄███▄ │┌▄█▀█▄┐│       │",
        "1 │▐█████▌│▐█   █▌│> 61% <│",
        "  │ ▀███▀ │└▀█▄█▀┘│       │",
        "  ╰───────┴───────┴───────╯",
    ]


def test_a_large_piece_carries_its_letter():
    kings = replace(picture("tic_tac_toe:m=1,n=3,k=3", 0, 1), letters=np.array([["K", "k", ""]]), last=None)
    assert text(BoardView(kings), BIG)[3] == "1 │▐█ K █▌│▐█ k █▌│       │"


def cards(letters, figures=None):
    """Cards of one seat, in a row."""
    shown = picture(f"tic_tac_toe:m=1,n={len(letters)},k=1")
    seats, labels = np.zeros((1, len(letters)), np.int8), ("",) * len(letters)
    figures = None if figures is None else np.array([figures])
    return replace(
        shown, pieces=seats, letters=np.array([letters]), figures=figures, board="cards", column_labels=labels
    )


def test_cards_show_rank_and_suit_in_two_corners_and_their_backs_nothing():
    assert text(BoardView(cards(["T♥", "?"])), Scale(5, 3, 1, 1, 1))[1:-1] == [
        "    T♥   ▒▒▒▒▒",
        "1        ▒▒▒▒▒",
        "     T♥  ▒▒▒▒▒",
    ]
    assert text(BoardView(cards(["T♥", "Q"])), Scale(4, 1, 1, 0, 0)) == ["1  T♥   Q"]


def test_a_die_shows_its_pips_where_there_is_room():
    dice = BoardView(cards(["5", "2"], ["⚄", "⚁"]))
    assert text(dice, Scale(7, 3, 1, 1, 1))[1:-1] == ["    •   •   •", "1     •", "    •   •       •"]
    assert text(dice, Scale(3, 1, 1)) == ["1  5   2"]
    assert text(dice, Scale(7, 3, 1, 1, 1), terminal=ASCII)[2] == "1     5       2"


def test_the_public_card_is_shown_once():
    game = make_game("leduc_poker")
    state = game.initial.copy()
    state["cards"] = 0, 1, 4
    shown = game.picture(state)
    assert shown.row_labels == ("● 1", "○ 2", "table")
    assert shown.letters.tolist() == [["J♠"], ["J♥"], ["K♠"]]
    assert shown.inks.tolist() == [["black"], ["red"], ["black"]]


@pytest.mark.full
def test_a_large_chess_figure_is_drawn_in_lines_where_there_are_no_colours():
    """So sides differ by shape; in ASCII, which has no such shapes, by letters."""
    knights = replace(picture("tic_tac_toe:m=1,n=2,k=2", 0), figures=np.array([["♘", "♞"]]), last=None)
    knights = replace(knights, pieces=np.array([[0, 1]], np.int8), letters=np.array([["N", "n"]]))
    knights = replace(knights, sides=("white", "black"))
    outlined, filled = (
        [line[3:-1].split("│") for line in text(BoardView(knights), BIG, terminal=terminal)[2:5]]
        for terminal in (MONOCHROME, Terminal())
    )
    assert [line[0].strip() for line in outlined] == ["⢀⢔⢍⠢⡀", "⠣⠒⡱ ⢸", "⢠⣊⣀⣀⡇"]
    assert [line[1] for line in outlined] == [line[1] for line in filled]
    assert [line[0] for line in filled] == [line[1] for line in filled], "black and white tell them apart"
    assert " N " in text(BoardView(knights), BIG, terminal=ASCII)[3]
    assert len({figure(one, 7, 3, one in WHITE) for one in WHITE + BLACK}) == 12
    assert len({figure(one, 13, 6, outlined=False) for one in WHITE}) == 6


def roles(view, scale, **options):
    """The role and the ground of each character of a board, by line."""
    return [[(run.role, run.ground) for run in line for _ in run.text] for line in draw(view, scale, **options)]


def test_squares_are_light_and_dark_with_a_light_one_to_the_right_of_white():
    drawn = roles(BoardView(picture("chess")), BARE)
    squares = [[ground for _, ground in line[3::3]] for line in drawn[1:9]]  # behind the number of the row
    assert squares == [["light", "dark"] * 4, ["dark", "light"] * 4] * 4
    assert {role for role, _ in drawn[1]} == {"label", "black"}
    assert {role for role, _ in drawn[8]} == {"label", "white"}


def test_without_colours_dark_squares_are_shaded_and_white_is_outlined():
    first, second, *_, last, _ = text(BoardView(picture("chess")), BARE, terminal=MONOCHROME)[1:]
    assert first == "8  ♜ ░♞░ ♝ ░♛░ ♚ ░♝░ ♞ ░♜░"
    assert second == "7 ░♟░ ♟ ░♟░ ♟ ░♟░ ♟ ░♟░ ♟"
    assert last == "1 ░♖░ ♘ ░♗░ ♕ ░♔░ ♗ ░♘░ ♖"


def test_white_is_white_whoever_begins():
    """One convention for screens, images, legends and sentences: a ring is white, a disc is black."""
    for name in ("chess", "go", "checkers", "othello", "gomoku", "breakthrough", "backgammon"):
        shown = make_game(name).picture(make_game(name).initial)
        for seat, side in enumerate(shown.sides):
            assert mark(seat, shown.sides) == shown.mark(seat) == {"white": "○", "black": "●"}[side]
            assert (min(shown.colour_of(seat)) > 230) == (side == "white")
    assert make_game("chess").picture(make_game("chess").initial).sides[0] == "white"
    assert make_game("go").picture(make_game("go").initial).sides[0] == "black"


def test_stones_stand_on_crossings_with_star_points():
    board = BoardView(picture("gomoku:size=7", 24, 0))
    assert text(board, BARE) == [
        "   a  b  c  d  e  f  g",
        "7 [●]─┬──┬──┬──┬──┬──┐",
        "6  ├──┼──┼──┼──┼──┼──┤",
        "5  ├──┼──•──┼──•──┼──┤",
        "4  ├──┼──┼──●──┼──┼──┤",
        "3  ├──┼──•──┼──•──┼──┤",
        "2  ├──┼──┼──┼──┼──┼──┤",
        "1  └──┴──┴──┴──┴──┴──┘",
    ]
    assert text(board, BARE, terminal=MONOCHROME)[1] == "7 [○]─┬──┬──┬──┬──┬──┐"
    assert text(board, Scale(2, 1))[1] == "7 ●─┬─┬─┬─┬─┬─┐"
    assert [run.last for run in draw(board, Scale(2, 1))[1] if "●" in run.text] == [True], "underlined"


def test_backgammon_has_points_a_bar_and_dice():
    drawn = roles(BoardView(picture("backgammon")), BARE)
    upper = [drawn[5][3 * column + 1] for column in range(14)]
    assert [ground for _, ground in upper] == ["felt"] * 6 + ["rail"] + ["felt"] * 6 + ["rail"]
    assert [role for role, _ in drawn[1][4:18:3]] == ["spike-1", "spike-0", "spike-1", "black", "spike-1"]
    game = make_game("backgammon")
    state = game.initial.copy()
    state["dice"], state["uses"], state["turn"], state["current_player"] = (5, 5), (3, 0), 1, 1
    thrown = game.picture(state)
    assert [str(figure) for figure in thrown.figures[5] if figure] == ["⚄"] * 3
    faces = roles(BoardView(thrown), BARE)[6]
    assert [ground for _, ground in faces].count("face") == 9


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
    assert (above, below) == ("          2   1", "          1   2")
    assert len(board) == 4
    turned = text(view, FLAT, flipped=True)
    assert (turned[0], turned[-1]) == (above, below)  # each player's own, from that player's left


def test_a_slanted_board_shifts_each_row_by_half_a_cell():
    view = BoardView(picture("hex:size=3,swap=false", 0, 4))
    assert text(view, FLAT)[:-1] == [
        "    a   b   c",
        "  ┏━━━┯━━━┯━━━┓",
        "1 ┃ ● │   │   ┃",
        "  2 ┃   │[○]│   ┃",
        "    3 ┃   │   │   ┃",
        "      ┗━━━┷━━━┷━━━┛",
    ]


def test_every_cell_of_a_hex_board_touches_six_others_and_its_edges_are_coloured():
    view = BoardView(picture("hex:size=3,swap=false", 0, 4))
    assert text(view, SQUARE)[:-1] == [
        "    a   b   c",
        "  ┏━━━┯━━━┯━━━┓",
        "1 ┃ ● │   │   ┃",
        "  ┗━┳─┴─┬─┴─┬─┻━┓",
        "  2 ┃   │[○]│   ┃",
        "    ┗━┳─┴─┬─┴─┬─┻━┓",
        "    3 ┃   │   │   ┃",
        "      ┗━━━┷━━━┷━━━┛",
    ]
    drawn = roles(view, SQUARE)
    assert {role for role, _ in drawn[1]} == {role for role, _ in drawn[7]} == {"label", "edge-0"}
    assert [role for role, _ in drawn[3] if role != "label"] == ["edge-1"] * 3 + ["line"] * 9 + ["edge-1"] * 3


@pytest.mark.full
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_cell_is_found_where_it_is_drawn(name, flipped):
    """At small and large scales: the characters under the cursor, and no others, must point back at its cell."""
    shown = picture(name)
    cells = list(np.ndindex(shown.pieces.shape))
    for scale in scales_of(shown)[-8::3]:
        for cell in cells if len(cells) <= 25 else cells[::5]:  # of most boards, some in every row and column
            lines = draw(BoardView(shown), scale, cursor=cell, flipped=flipped)
            chosen = [[run.chosen for run in line for _ in run.text] for line in lines]
            places = [(x, y) for y, line in enumerate(chosen) for x, here in enumerate(line) if here]
            assert len(places) == scale.width * scale.height
            assert {cell_at(shown, scale, x, y, flipped) for x, y in places} == {cell}


@pytest.mark.parametrize("name", [*BOARDS, "hex:size=11", "tic_tac_toe:m=12,n=5,k=4"])
def test_extent_is_the_size_of_the_drawing(name):
    view = BoardView(picture(name))
    for scale in scales_of(view.picture):
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
        ("tic_tac_toe", (80, 21), Arrangement("beside", ruled(5))),
        ("connect_four", (80, 21), Arrangement("beside", ruled(2))),
        ("connect_four", (120, 32), Arrangement("beside", ruled(4))),
        ("connect_four", (200, 57), Arrangement("beside", ruled(8))),
        ("connect_four:rows=6,columns=15,k=4", (80, 21), Arrangement("below", SQUARE)),
        ("connect_four:rows=9,columns=18,k=4", (80, 21), Arrangement("below", FLAT)),
        ("tic_tac_toe:m=19,n=19,k=5", (80, 21), Arrangement("alone", BARE)),
        ("tic_tac_toe:m=19,n=19,k=5", (160, 47), Arrangement("beside", SQUARE)),
        ("connect_four", (20, 5), Arrangement("alone", BARE)),
        ("hex", (80, 21), Arrangement("below", FLAT)),
        ("hex", (200, 57), Arrangement("beside", ruled(3))),
        ("chess", (80, 21), Arrangement("beside", Scale(5, 2))),
        ("chess", (200, 57), Arrangement("beside", Scale(13, 6))),
        ("go", (80, 21), Arrangement("beside", Scale(2, 1))),
        ("go", (200, 57), Arrangement("beside", Scale(5, 2))),
        ("go:size=9", (200, 57), Arrangement("beside", Scale(13, 6))),
        ("chess", (60, 80), Arrangement("below", Scale(7, 3))),
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


def test_points_of_backgammon_are_triangles_in_cells_of_one_line():
    lines = draw(BoardView(picture("backgammon")), Scale(3, 1, frame=1))
    point = [[run.text for run in line if "spike" in run.role] for line in lines]
    slices = [thin_spike(3, 1 - row / 5, 0.8 - row / 5) for row in range(5)]
    covered = [8 - EIGHTHS.index(left) for left, _, _ in slices]
    assert covered == [EIGHTHS.index(right) for _, _, right in slices[:3]] + [0, 8], "as wide on both sides"
    assert covered[:4] == sorted(covered[:4], reverse=True)
    assert [middle for _, middle, _ in slices] == ["█", "█", "█", "█", "╹"]
    assert "▏" in point[1] + point[2], "the felt covers a part of the point"
    assert not [
        run
        for line in draw(BoardView(picture("backgammon")), BARE, terminal=MONOCHROME)
        for run in line
        if run.text == "▏"
    ]


@pytest.mark.parametrize("height", [2, 3, 5])
def test_discs_above_each_other_do_not_touch(height):
    top, *_, bottom = piece(DISC, 2 * height + 1, height, 0.9, apart=True)
    assert not set(top) & set("█▟▙▛▜▀▐▌")
    assert set(bottom) & set("█▀")
