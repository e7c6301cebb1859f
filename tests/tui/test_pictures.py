"""Pictures of all remaining screens, and of screens on a light theme, without colour, in ASCII."""

from pathlib import Path

import pytest

import arena.tui.screens
from arena.match.time_control import TimeControl
from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.drawing.theme import LIGHT
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.home import HomeScreen
from arena.tui.screens.play import PlayScreen
from arena.tui.screens.watch import WatchScreen
from arena.tui.state.pace import SLOWEST
from tests.tui.agents import FirstLegal, Telling
from tests.tui.helpers import click_cell, my_turn, shows, step, type_move, until
from tests.tui.snapshots import FOLDER, check_snapshot

pytestmark = pytest.mark.full

SHARED = {"__init__", "base", "dialog", "keys", "palette", "walk"}
"""Modules of what screens have in common; each other one is called after its screen."""
CLOCK = r"\d:\d\d"


def play(name, *others, **terms):
    others = others or (("bot", Telling()),)
    return ArenaApp(PlayScreen(make_game(name), others, PlayOptions(seed=1, **terms)))


def watch(name):
    agents = [("first", Telling()), ("second", Telling())]
    return ArenaApp(WatchScreen(make_game(name), agents, speed=SLOWEST))


async def after_moves(pilot, count):
    """Pause, and step so many moves into the game."""
    await pilot.press("space")
    await step(pilot, count)
    await shows(pilot, "q back")


def test_every_screen_has_a_picture():
    screens = {path.stem for path in Path(arena.tui.screens.__path__[0]).glob("*.py")} - SHARED
    pictured = {path.stem.partition("-")[0] for path in FOLDER.glob("*.svg")}
    assert screens - pictured == set()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_hint(size):
    app = play("connect_four")
    async with app.run_test(size=size) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "4")
        await my_turn(pilot, 2)
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.sitting.hints.answer)
        await shows(pilot, "bot would play", "q back")
        check_snapshot(app, f"play-hint-{size[0]}x{size[1]}")


async def test_what_an_agent_thought():
    app = play("tic_tac_toe")
    async with app.run_test(size=(100, 30)) as pilot:
        for number, cell in enumerate(("b1", "b2", "a3")):
            await my_turn(pilot, 2 * number)
            await type_move(pilot, cell)
        await until(pilot, lambda: app.screen.sitting.position.verdict)
        await pilot.press("o", "left")
        await shows(pilot, "○ bot thought", "n: next game", "q back")
        check_snapshot(app, "play-thoughts-100x30")


async def test_a_piece_in_hand():
    app = play("chess", control=TimeControl(300.0))
    async with app.run_test(size=(120, 40)) as pilot:
        await my_turn(pilot)
        await click_cell(pilot, 7, 1)
        await shows(pilot, "where to?", "q back")
        check_snapshot(app, "play-chess-120x40", CLOCK)


async def test_a_hand_to_play_from():
    app = play("leduc_holdem", ("bot", FirstLegal()))
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await shows(pilot, "or ›", "q back")
        check_snapshot(app, "play-leduc_holdem-80x24")


async def test_the_curtain():
    app = play("kuhn_poker", ("Ada", None))
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "it is your turn")
        check_snapshot(app, "curtain-80x24")


async def test_help_over_a_game():
    app = watch("go")
    async with app.run_test(size=(80, 24)) as pilot:
        await after_moves(pilot, 1)
        await pilot.press("question_mark")
        await shows(pilot, "pause, or go on", "esc closes")
        check_snapshot(app, "help-80x24", CLOCK)


async def test_the_rules_over_a_game():
    app = watch("hex")
    async with app.run_test(size=(80, 24)) as pilot:
        await after_moves(pilot, 1)
        await pilot.press("f1")
        await shows(pilot, "How it is played", "esc closes")
        check_snapshot(app, "rules-80x24", CLOCK)


async def test_a_question_over_a_game():
    app = watch("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await after_moves(pilot, 2)
        await pilot.press("g")
        await shows(pilot, "go to move")
        check_snapshot(app, "prompt-80x24", CLOCK)


async def test_the_menu_of_a_game(tmp_path):
    app = ArenaApp(HomeScreen(tmp_path / "runs", str(tmp_path / "arena.db")))
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "0 runs", "backgammon", "q quit")
        await until(pilot, lambda: len(app.screen._traits) > 20, 60)
        await pilot.press("enter")
        await shows(pilot, "go through its stored matches")
        check_snapshot(app, "menu-80x24", r"\d\d agents")


async def test_on_a_light_ground():
    app = watch("connect_four")
    async with app.run_test(size=(120, 40)) as pilot:
        app.theme = LIGHT.name
        await after_moves(pilot, 9)
        await pilot.press("o")
        await shows(pilot, "second thinks")
        check_snapshot(app, "watch-light-120x40", CLOCK)


async def test_without_colour(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = play("connect_four")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await type_move(pilot, "4")
        await my_turn(pilot, 2)
        await shows(pilot, "your move", "q back")
        check_snapshot(app, "play-no-colour-80x24")


@pytest.mark.parametrize(("name", "size"), [("connect_four", (80, 24)), ("chess", (120, 40))])
async def test_in_ascii(name, size, monkeypatch):
    monkeypatch.setenv("ARENA_ASCII", "1")
    app = watch(name)
    async with app.run_test(size=size) as pilot:
        await after_moves(pilot, 3)
        check_snapshot(app, f"watch-ascii-{name}-{size[0]}x{size[1]}", CLOCK)
