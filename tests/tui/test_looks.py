"""Requirements of every size, of both themes, and of screens without colour."""

import pytest
from textual.geometry import Size

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.drawing.board import extent
from arena.tui.screens.play import PlayScreen
from arena.tui.screens.watch import WatchScreen
from arena.tui.state.pace import SLOWEST
from arena.tui.widgets.board import Board
from arena.tui.widgets.moves import Moves
from arena.tui.widgets.players import Players
from tests.tui.agents import FirstLegal
from tests.tui.helpers import last_line, screen_text, shows, step, until

pytestmark = pytest.mark.full

GAMES = ["tic_tac_toe", "tic_tac_toe:m=6,n=6,k=4", "connect_four"]
LONG = "ppo:runs/connect-four-of-last-tuesday/snapshot-0005"


def watch(name, agent="left"):
    agents = [(agent, FirstLegal()), ("right", FirstLegal())]
    return ArenaApp(WatchScreen(make_game(name), agents, speed=SLOWEST))


def play(name):
    return ArenaApp(PlayScreen(make_game(name), [("bot", FirstLegal())]))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("size", [(80, 24), (120, 35), (160, 50)])
async def test_everything_is_seen_when_watching(name, size):
    app = watch(name)
    async with app.run_test(size=size) as pilot:
        await step(pilot, 4)
        await shows(pilot, "arena › watch › ", "game 1 of 10", "0 – 0", "● left", "○ right", "thinks", "moves", "1. ")
        board = app.screen.query_one(Board)
        assert board.region in app.screen.region
        assert board.size == Size(*extent(board.view.picture, board.scale))
        keys = ("␣ pause", "←→ step", "+− speed", "o thoughts", "s save", "n next game", "? help", "q back")
        await until(pilot, lambda: all(key in last_line(app) for key in keys))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_everything_is_seen_when_playing(name, size):
    app = play(name)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        await shows(pilot, "arena › play › ", "● you", "○ bot", "to move", "move ›", "your move")
        keys = ("↵ play", "tab hint", "^u undo", "^r resign", "? help", "^q back")
        await until(pilot, lambda: all(key in last_line(app) for key in keys))


@pytest.mark.parametrize(
    ("name", "panels"), [("connect_four:rows=6,columns=15,k=4", True), ("tic_tac_toe:m=19,n=19,k=5", False)]
)
async def test_a_large_board_on_a_small_screen_takes_the_room_of_the_panels(name, panels):
    app = watch(name)
    async with app.run_test(size=(80, 24)) as pilot:
        await step(pilot, 2)
        board = app.screen.query_one(Board)
        assert board.region in app.screen.region
        assert app.screen.query_one(Players).region.area > 0 if panels else not app.screen.query_one(Players).region
        assert not app.screen.query_one(Moves).region


async def test_the_layout_follows_the_size_of_the_terminal():
    app = watch("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await step(pilot, 2)
        small = app.screen.query_one(Board).size
        await pilot.resize_terminal(160, 50)
        await until(pilot, lambda: app.screen.query_one(Board).size.area > small.area)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: app.screen.query_one(Board).size == small)
        await pilot.resize_terminal(30, 8)
        await shows(pilot, "60 columns", "16 lines", "30 and 8")


async def test_a_long_name_is_cut_and_pushes_nothing_away():
    app = watch("connect_four", LONG)
    async with app.run_test(size=(80, 24)) as pilot:
        await step(pilot, 2)
        await shows(pilot, "players", LONG[-8:])
        line = next(line for line in screen_text(app).splitlines() if LONG[-8:] in line)
        assert "…" in line
        assert line.split(LONG[-8:])[1].split()[0] == "0"


def contrast(one, other):
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2; 3 is asked of graphics, 4.5 of text)."""

    def luminance(colour):
        channels = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized[:3]]
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def colour_of(app, role):
    return app.screen.query_one(Board).get_visual_style(f"board--{role}").foreground


@pytest.mark.parametrize("theme", ["arena-dark", "arena-light"])
async def test_pieces_stand_out_on_both_themes(theme):
    app = watch("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        app.theme = theme
        await pilot.pause()
        background = app.screen.query_one(Board).background_colors[1]
        for seat in range(4):
            assert contrast(background, colour_of(app, f"seat-{seat}")) >= 3
        assert contrast(background, colour_of(app, "chance")) >= 4.5


async def test_ctrl_t_changes_the_theme_and_the_colours_with_it():
    app = watch("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        dark = colour_of(app, "seat-0")
        await pilot.press("ctrl+t")
        assert app.theme == "arena-light"
        assert colour_of(app, "seat-0") != dark
        await pilot.press("ctrl+t")
        assert (app.theme, colour_of(app, "seat-0")) == ("arena-dark", dark)


async def test_without_colour_the_shapes_tell_everything(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = play("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn)
        await pilot.press("4", "enter")
        await until(pilot, lambda: app.screen.sitting.my_turn and len(app.screen.match.positions) == 3)
        await shows(pilot, "▗███▖", "└▙▄▟┘", "│  ·  │", "│> · <│")
        styles = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        greys = [style.color.triplet for style in styles if style and style.color and style.color.triplet]
        assert greys
        assert all(red == green == blue for red, green, blue in greys)
