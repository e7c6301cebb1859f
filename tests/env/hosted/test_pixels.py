"""Environments that render pixels alone: what people see of them on screens and in files."""

import os
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest
from PIL import Image

from arena.env import hosted
from arena.match.match import Match
from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.drawing.pictures import Frame, image, save_gif, save_png
from arena.tui.screens.boards import BoardsScreen
from arena.tui.screens.watch import WatchScreen
from arena.tui.state.pace import SLOWEST
from arena.tui.widgets.board import Board
from games.engine.picture import Picture
from tests.env.hosted.worlds import Drawn
from tests.tui.helpers import last_line, screen_text, step, until

TICTACTOE = "pettingzoo:pettingzoo.classic.tictactoe_v3"
POKER = "pettingzoo:pettingzoo.classic.texas_holdem_v4"


def nobody(game):
    return [(f"player {seat}", None) for seat in range(game.num_players)]


def series(name, screen=WatchScreen):
    game = make_game(name)
    players = [(f"random {seat}", make_agent("random", game)) for seat in range(game.num_players)]
    return screen(game, [players, players] if screen is BoardsScreen else players, speed=SLOWEST)


def colours_of(app):
    """The colours of the half blocks on the screen, [N, 2, 3]."""
    segments = [segment for strip in app.screen._compositor.render_strips() for segment in strip]
    styles = [segment.style for segment in segments if segment.text.strip() and set(segment.text) == {"▀"}]
    return np.array([(style.color.triplet, style.bgcolor.triplet) for style in styles])


def test_a_game_in_the_open_is_shown_to_everybody():
    game = make_game(TICTACTOE)
    match = Match(game, nobody(game))
    match.play(4)
    pictures = [game.picture(state) for state in (match.state, match.shown_to(0), match.shown_to(1))]
    assert all(picture.pixels.shape == (480, 480, 3) for picture in pictures)
    assert "player_2 sees" in pictures[0].text()
    middle, corner = pictures[0].pixels[160:320, 160:320], pictures[0].pixels[:160, :160]
    assert len(np.unique(middle.reshape(-1, 3), axis=0)) > len(np.unique(corner.reshape(-1, 3), axis=0))
    assert np.array_equal(pictures[0].image(), pictures[0].pixels)


def test_a_seat_is_not_shown_what_is_hidden_from_it():
    game = make_game(POKER)
    match = Match(game, nobody(game), seed=1)
    assert game.picture(match.state).pixels is not None
    for seat in range(2):
        picture = game.picture(match.shown_to(seat))
        assert picture.pixels is None
        assert f"player_{seat} sees" in picture.text()


def test_a_game_that_has_been_shown_can_be_sent_to_another_process():
    game = make_game(TICTACTOE)
    match = Match(game, nobody(game))
    match.play(4)
    pixels = game.picture(match.state).pixels
    assert np.array_equal(cloudpickle.loads(cloudpickle.dumps(game)).picture(match.state).pixels, pixels)


def test_environments_with_a_wrapper_of_their_own_are_drawn():
    game = make_game("pettingzoo:mpe2.simple_spread_v3")
    assert game.picture(game.initial).pixels.shape == (480, 480, 3)


def test_environments_that_play_render_nothing():
    game = make_game(TICTACTOE)
    playing = game.make_env()
    playing.reset(0)
    assert playing.board() is None
    assert playing.copy() is not None


@pytest.mark.full
def test_no_window_is_opened():
    program = f"import os; from arena.policy.registry import make_game; make_game({TICTACTOE!r}); "
    program += "print(os.environ['SDL_VIDEODRIVER'])"
    bare = {name: value for name, value in os.environ.items() if name != "SDL_VIDEODRIVER"}
    for own, driver in ((bare, "dummy"), (bare | {"SDL_VIDEODRIVER": "offscreen"}, "offscreen")):
        done = subprocess.run([sys.executable, "-c", program], env=own, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [driver]


@pytest.mark.parametrize(
    "drawn", [None, "a word", np.zeros((4, 4)), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)]
)
def test_nonsense_is_not_drawn(drawn):
    game = hosted(lambda: Drawn(lambda moves: drawn), "drawn")
    picture = game.picture(game.initial)
    assert picture.pixels is None
    assert picture.text().startswith("first sees\n")


def test_an_environment_that_fails_to_draw_is_played_on():
    game = hosted(lambda: Drawn(lambda moves: np.full((2, 3, 3), 6 // (moves - 2), np.int64).astype(np.uint8)), "drawn")
    match = Match(game, nobody(game))
    shown = []
    for _ in range(4):
        shown.append(game.picture(match.state).pixels is not None)
        match.play(int(np.flatnonzero(match.legal)[0]))
    assert shown == [True, True, False, True]


def test_positions_that_look_alike_share_their_pixels():
    game = hosted(lambda: Drawn(lambda moves: np.full((2, 3, 3), moves // 2, np.uint8)), "drawn")
    match = Match(game, nobody(game))
    drawn = []
    for _ in range(4):
        drawn.append(game.picture(match.state).pixels)
        match.play(int(np.flatnonzero(match.legal)[0]))
    assert drawn[0] is drawn[1]
    assert drawn[2] is drawn[3]
    assert [int(pixels[0, 0, 0]) for pixels in drawn] == [0, 0, 1, 1]


def test_files_show_the_pixels_themselves(tmp_path):
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (40, 60, 3)).astype(np.uint8)
    frame = Frame(Picture.of_pixels(pixels, ("a table",), 9), ("first", "move 1"))
    written = np.asarray(Image.open(save_png(frame, tmp_path / "position.png")))
    assert np.array_equal(written, np.asarray(image(frame)))
    places = np.lib.stride_tricks.sliding_window_view(written[:, :, 0], pixels.shape[:2])
    ((top, left),) = np.argwhere((places == pixels[:, :, 0]).all(axis=(2, 3)))
    assert np.array_equal(written[top : top + 40, left : left + 60], pixels)
    few = Frame(Picture.of_pixels(pixels // 128 * 255, (), 9))
    with Image.open(save_gif([few, few], tmp_path / "game.gif")) as gif:
        shown = np.asarray(gif.convert("RGB"))
    assert np.array_equal(shown[16:56, 16:76], few.picture.pixels)


@pytest.mark.full
async def test_a_watched_game_is_shown_in_half_blocks():
    app = ArenaApp(series(TICTACTOE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space")
        await step(pilot, 3)
        await until(pilot, lambda: len(colours_of(app)) > 0)
        board = app.screen.query_one(Board)
        wide, high = board.size
        assert wide == 2 * high >= 30
        colours = colours_of(app).reshape(-1, 3)
        assert len(np.unique(colours, axis=0)) > 4
        assert (colours.max(axis=1) != colours.min(axis=1)).any()
        assert "sees" not in screen_text(app)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: board.size.height > high)
        assert board.size.width == 2 * board.size.height


@pytest.mark.full
async def test_many_watched_games_are_shown_in_half_blocks():
    app = ArenaApp(series(TICTACTOE, BoardsScreen))
    async with app.run_test(size=(100, 30)) as pilot:
        boards = app.screen.query(Board)
        await until(pilot, lambda: all(board.size.height > 10 for board in boards) and len(colours_of(app)))
        assert all(board.size.width == 2 * board.size.height for board in boards)


@pytest.mark.parametrize("variable", ["NO_COLOR", "ARENA_ASCII"])
@pytest.mark.full
async def test_without_colours_or_half_blocks_the_table_is_shown(variable, monkeypatch):
    monkeypatch.setenv(variable, "1")
    app = ArenaApp(series(TICTACTOE))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "player_1 sees" in screen_text(app))
        assert len(colours_of(app)) == 0


@pytest.mark.full
async def test_hands_are_open_where_the_whole_is_drawn():
    app = ArenaApp(series(POKER))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space")
        await until(pilot, lambda: "cards" in last_line(app))
        assert "sees" in screen_text(app)
        await pilot.press("c")
        await until(pilot, lambda: len(colours_of(app)) > 0)
        assert "sees" not in screen_text(app)
