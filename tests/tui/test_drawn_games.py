"""Every game of the catalogue as it is drawn, at its start, in its middle and at its end: files to be looked at."""

from functools import cache

import numpy as np
import pytest

from arena.match.match import Match
from arena.registry import GAMES, make_game
from arena.tui.drawing import BARE, SCALES, SLANTED, BoardView, draw, extent
from arena.tui.pictures import Frame, image
from arena.tui.theme import plain
from tests.tui.snapshots import check_text

NAMES = sorted(GAMES.names())


def played(name, seed):
    """All positions of a game of random moves; and what of each all seats may know."""
    game, rng = make_game(name), np.random.default_rng(seed)
    match = Match(game, [(agent, None) for agent in game.agents], seed)
    kept = [(match.state, match.shown_to(*range(game.num_players)))]
    while not match.over:
        match.play(int(rng.choice(np.flatnonzero(match.legal))))
        kept.append((match.state, match.shown_to(*range(game.num_players))))
    return kept


@cache
def pictures(name):
    """A game at its start, in its middle with closed hands, and at its end; of hands the longest of some."""
    game = make_game(name)
    games = [played(name, seed) for seed in range(1 if game.perfect_information else 12)]
    longest = max(games, key=len)
    middle = longest[min(len(longest) // 2, 120)]
    return [
        game.picture(longest[0][0]),
        game.picture(middle[not game.perfect_information]),
        game.picture(longest[-1][0]),
    ]


def lines(picture, scale, **options):
    return ["".join(run.text for run in line).rstrip() for line in draw(BoardView(picture), scale, **options)]


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_drawn_as_it_was(name):
    drawn = [
        f"{stage}\n" + "\n".join(lines(picture, SLANTED[1] if picture.slanted else SCALES[1]))
        for stage, picture in zip(("start", "middle", "end"), pictures(name), strict=True)
    ]
    check_text("\n\n".join(drawn) + "\n", f"game-{name}")


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_what_it_says_at_every_scale_and_in_ascii(name):
    for picture in pictures(name):
        for scale in SLANTED if picture.slanted else SCALES:
            for flipped in (False, True):
                drawn = lines(picture, scale, flipped=flipped)
                width, height = extent(picture, scale)
                assert max(map(len, drawn)) <= width
                assert len(drawn) == height
                in_ascii = [plain(line) for line in drawn]
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
    for picture in pictures(name):
        drawn = image(Frame(picture, ("● ada", "○ bob")))
        assert drawn.mode == "RGB"
        assert 100 <= drawn.width <= 1200
        colours = drawn.getcolors(2**24)
        assert len(colours) > 2 or not (picture.pieces >= 0).any()


def test_the_smallest_scale_has_room_for_what_is_on_a_full_screen():
    """No game of the catalogue needs more than 80 x 24 but for notes that are cut."""
    for name in NAMES:
        for picture in pictures(name):
            width, height = extent(picture, BARE)
            assert height <= 22, name
            assert width <= 80, name
