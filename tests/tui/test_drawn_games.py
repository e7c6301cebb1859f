"""Every game of the catalogue as it is drawn, at its start, in its middle and at its end: files to be looked at."""

from functools import cache

import numpy as np
import pytest

from arena.match.files import WrittenMatch
from arena.match.match import Match
from arena.policy.registry import GAMES, make_game
from arena.tui.app import ArenaApp
from arena.tui.drawing.board import BoardView, draw, extent
from arena.tui.drawing.cells import Terminal
from arena.tui.drawing.figures import font
from arena.tui.drawing.pictures import DARK, LIGHT, Frame, image
from arena.tui.drawing.scales import scales_of
from arena.tui.screens.replay import ReplayScreen
from arena.tui.state.live_match import LiveMatch
from arena.tui.state.plain import plain
from tests.tui.helpers import shows, until
from tests.tui.snapshots import check_snapshot, check_text

pytestmark = pytest.mark.full

NAMES = sorted(GAMES.names())
ON_A_SCREEN = ["backgammon", "chess", "connect_four", "go", "hanabi", "hex", "leduc_poker", "tron"]
"""Boards of each shape, with dice, hands and notes; what the others draw is in `game-NAME.txt`."""


def played(game, seed):
    """A game of random moves."""
    match, rng = Match(game, [(agent, None) for agent in game.agents], seed), np.random.default_rng(seed)
    while not match.over:
        match.play(int(rng.choice(np.flatnonzero(match.legal))))
    return WrittenMatch.of(match.record(), game)


@cache
def longest(name):
    """A game of random moves, where hands are hidden the longest of some; and the number of its middle."""
    game = make_game(name)
    games = [played(game, seed) for seed in range(1 if game.perfect_information else 12)]
    match = max(games, key=lambda one: len(one.actions))
    return match, min((len(match.actions) + 1) // 2, 120)


@cache
def pictures(name):
    """Its start, its middle with closed hands, and its end."""
    match, middle = longest(name)
    positions = LiveMatch(match.game).unroll(match)
    return [positions[0].picture, positions[middle].closed or positions[middle].picture, positions[-1].picture]


def full_lines(picture, scale, **options):
    return ["".join(run.text for run in line) for line in draw(BoardView(picture), scale, **options)]


def lines(picture, scale, **options):
    return [line.rstrip() for line in full_lines(picture, scale, **options)]


def line_high(picture):
    """The largest scale with cells of one line."""
    return next(scale for scale in scales_of(picture) if scale.height == 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_drawn_as_it_was(name):
    drawn = [
        f"{stage}\n" + "\n".join(lines(picture, line_high(picture), terminal=Terminal(colours=False)))
        for stage, picture in zip(("start", "middle", "end"), pictures(name), strict=True)
    ]
    check_text("\n\n".join(drawn) + "\n", f"game-{name}")


@pytest.mark.parametrize("name", ON_A_SCREEN)
async def test_the_middle_of_a_game_on_a_large_screen(name):
    match, middle = longest(name)
    app = ArenaApp(ReplayScreen(match, "match 1", at=middle))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.screen.shown == middle and app.screen.jobs.current is None)
        await shows(pilot, f"{middle} of {len(match.actions)}", "q back")
        check_snapshot(app, f"replay-{name}-120x40")


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_what_it_says_at_every_scale_and_in_ascii(name):
    for picture in pictures(name):
        for scale in scales_of(picture)[-6:]:
            for flipped in (False, True):
                drawn = full_lines(picture, scale, flipped=flipped)
                width, height = extent(picture, scale)
                assert max(map(len, drawn)) <= width
                assert len(drawn) == height
                in_ascii = list(
                    map(plain, full_lines(picture, scale, flipped=flipped, terminal=Terminal(ascii_only=True)))
                )
                assert all(line.isascii() for line in in_ascii)
                assert list(map(len, in_ascii)) == list(map(len, drawn))
                assert "?" not in "".join(in_ascii), "a sign that has no likeness in ASCII"


@pytest.mark.parametrize("name", NAMES)
def test_the_pieces_of_different_seats_differ_without_colour(name):
    """By shape or letter, on the screen and in ASCII; hands and houses by the row that they stand in."""
    picture = pictures(name)[-1]
    signs = {}
    for cell, seat in np.ndenumerate(picture.pieces):
        if seat >= 0:
            row, _ = cell
            figure = "" if picture.figures is None else picture.figures[cell]
            letter = "" if picture.letters is None else picture.letters[cell]
            signs.setdefault(plain(figure or letter), set()).add((int(seat), row))
    for sign, owners in signs.items():
        if sign:
            rows = [{row for seat, row in owners if seat == own} for own in {seat for seat, _ in owners}]
            assert not set.intersection(*rows) or len(rows) == 1, f"{sign!r} may be anybody's"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_drawn_as_an_image(name):
    picture = pictures(name)[1]
    drawn = image(Frame(picture, ("● ada", "○ bob")))
    assert drawn.mode == "RGB"
    assert 100 <= drawn.width <= 1200
    assert len(drawn.getcolors(2**24)) > 2 or not (picture.pieces >= 0).any()


def test_the_smallest_scale_has_room_for_what_is_on_a_full_screen():
    """No game of the catalogue needs more than 80 x 24 but for notes that are cut."""
    for name in NAMES:
        for picture in pictures(name):
            width, height = extent(picture, scales_of(picture)[-1])
            assert height <= 22, name
            assert width <= 80, name


def test_the_bishops_of_white_are_light_on_an_image():
    game = make_game("chess")
    drawn = np.asarray(image(Frame(game.picture(game.initial))).convert("L"))
    bottom, left = drawn.shape[0] - 45, drawn.shape[1] - 16 - 6 * 64  # of the board, of its third file
    rows = (drawn[top + 4 : top + 60, left + 4 : left + 60] for top in (bottom - 512, bottom - 64))
    black, white = (np.mean(cell > 240) for cell in rows)
    assert black == 0
    assert white > 0.12, "a bishop of this size covers about a sixth of its cell, its edge apart"


def test_a_board_is_drawn_on_dark_ground_as_well():
    game = make_game("connect_four")
    on_light, on_dark = (np.asarray(image(Frame(game.picture(game.initial)), paper)) for paper in (LIGHT, DARK))
    assert on_light.shape == on_dark.shape
    assert tuple(on_light[0, 0]) == LIGHT.ground
    assert tuple(on_dark[0, 0]) == DARK.ground
    assert on_light.mean() > 200
    assert on_dark.mean() < 60


def test_notes_that_are_tables_keep_their_columns_on_an_image():
    letters = font(15, mono=True)
    notes = make_game("matrix_game").picture(make_game("matrix_game").initial).notes
    assert len({letters.getlength(note[:12]) for note in notes if len(note) > 12}) == 1
