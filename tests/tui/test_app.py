"""The application: screens one above the other, themes, and terminals that know nothing but ASCII."""

import asyncio
import threading
import time
from contextlib import contextmanager
from typing import ClassVar

import pytest
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList, Static

from arena.base.errors import UsageError
from arena.tui.app import ArenaApp
from arena.tui.drawing.theme import DARK, LIGHT
from arena.tui.screens.base import ArenaScreen
from arena.tui.screens.keys import COMMON_KEYS
from arena.tui.state.intents import LeagueIntent, OpenScreen
from arena.tui.state.plain import ascii_only, plain
from tests.tui.helpers import notice, screen_text, shows, until
from tests.tui.terminal import ARENA, Terminal, require_tmux

pytestmark = pytest.mark.full


class Named(ArenaScreen):
    """Shows its name; o opens another."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o,O", "other", "open", tooltip="open another"),
        *COMMON_KEYS,
    ]

    def compose_body(self) -> ComposeResult:
        yield Static(f"this is {self.places[-1]}")

    def action_other(self) -> None:
        self.post_message(OpenScreen(LeagueIntent("screen")))


class Opener:
    """Opens screens named by a folder; remembers what is open, and in which thread it was made ready."""

    def __init__(self, wait_s=0.0):
        self.wait_s, self.open, self.threads, self.asked = wait_s, [], [], 0

    @contextmanager
    def __call__(self, intent):
        self.asked += 1
        time.sleep(self.wait_s)
        if intent.folder == "wrong":
            raise UsageError("there is no such screen")
        self.threads.append(threading.current_thread())
        self.open.append(intent.folder)
        try:
            yield Named("other", intent.folder)
        finally:
            self.open.remove(intent.folder)


async def test_a_screen_opens_on_top_and_back_leads_to_the_one_below():
    opener = Opener()
    app = ArenaApp(Named("first"), opener)
    async with app.run_test() as pilot:
        await pilot.press("o")
        await shows(pilot, "this is screen", "arena › other › screen")
        assert opener.open == ["screen"]
        assert opener.threads[0] is not threading.main_thread()
        await pilot.press("o")
        await until(pilot, lambda: len(opener.open) == 2)
        await pilot.press("q")
        await until(pilot, lambda: len(opener.open) == 1)
        await pilot.press("q")
        await shows(pilot, "this is first")
        await until(pilot, lambda: opener.open == [])
        assert notice(app) == ""
        await pilot.press("q")
    assert app.return_code == 0


async def test_a_dialog_is_no_screen_to_go_back_to():
    app = ArenaApp(Named("first"), Opener())
    async with app.run_test() as pilot:
        await pilot.press("question_mark")
        await shows(pilot, "open another", "find a command by name")
        await pilot.press("q")
        await shows(pilot, "this is first")
        await pilot.press("q")
    assert app.return_code == 0


async def test_leaving_gives_back_what_open_screens_hold():
    opener = Opener()
    app = ArenaApp(Named("first"), opener)
    async with app.run_test() as pilot:
        await pilot.press("o")
        await until(pilot, lambda: opener.open)
        await pilot.press("ctrl+c")
    assert app.return_code == 130
    assert opener.open == []


class Slow(Named):
    """Shows in a part of its own what it has learnt, which it learns at the moment when that part goes."""

    class Part(Static):
        def on_unmount(self):
            self.screen.learnt.set()

    def __init__(self):
        super().__init__("slow")
        self.learnt, self.ended = asyncio.Event(), False

    def compose_body(self) -> ComposeResult:
        yield self.Part()

    @work
    async def on_mount(self) -> None:
        try:
            await self.learnt.wait()
            self.query_one(self.Part).update("too late")
        finally:
            self.ended = True


@pytest.mark.parametrize("key", ["q", None])
async def test_what_comes_home_while_a_screen_goes_breaks_nothing(key):
    app, screen = ArenaApp(Named("first"), Opener()), Slow()
    async with app.run_test() as pilot:
        app.push_screen(screen)
        await pilot.pause()
        if key:
            await pilot.press(key)
            await shows(pilot, "this is first")
    assert screen.ended


async def test_what_is_wrong_is_said_and_nothing_opens():
    opener = Opener()
    app = ArenaApp(Named("first"), opener)
    async with app.run_test() as pilot:
        app.post_message(OpenScreen(LeagueIntent("wrong")))
        await until(pilot, lambda: notice(app) == "there is no such screen")
        assert opener.open == []
        app.post_message(OpenScreen(LeagueIntent("fine")))
        await until(pilot, lambda: opener.open == ["fine"])


async def test_impatient_keys_open_one_screen():
    opener = Opener(wait_s=2.0)
    app = ArenaApp(Named("first"), opener)
    async with app.run_test() as pilot:
        await pilot.press("o", "o", "o")
        assert "opening: arena league screen --ui …" in screen_text(app)
        await until(pilot, lambda: opener.open)
        assert opener.asked == 1


async def test_without_an_opener_nothing_opens():
    app = ArenaApp(Named("first"))
    async with app.run_test() as pilot:
        await pilot.press("o")
        assert "this is first" in screen_text(app)


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_page_keys_in_a_palette_whose_list_has_no_room_yet_do_no_harm(key):
    app = ArenaApp(Named("first"), Opener())
    async with app.run_test() as pilot:
        await pilot.press("colon")
        await shows(pilot, "Open another")
        commands = app.screen.query_one(OptionList)
        commands.display = False  # as before the first answer to what was typed
        await pilot.pause()
        commands.clear_options().add_options(["late", "later"])
        commands.highlighted = 0
        await pilot.press(key, key)
        assert commands.highlighted == 0
        commands.display = True
        await until(pilot, lambda: commands.scrollable_content_region)
        await pilot.press("pagedown")
        assert commands.highlighted == 1


async def test_the_palette_does_what_the_keys_do():
    app = ArenaApp(Named("first"), Opener())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("colon")
        await shows(pilot, "Open another", "Light or dark", "Quit")
        assert screen_text(app).count("Open another") == 1  # though a letter and its capital do it
        await pilot.press(*"open an", "enter")
        await shows(pilot, "this is screen")


@pytest.mark.parametrize("theme", [DARK, LIGHT])
async def test_both_themes_are_ours_and_readable(theme):
    app = ArenaApp(Named("first"))
    async with app.run_test() as pilot:
        app.theme = theme.name
        await pilot.pause()
        variables = app.get_css_variables()
        assert {"seat-0", "seat-1", "seat-2", "seat-3", "good", "bad"} <= variables.keys()


async def test_a_theme_of_textual_has_colours_of_seats_too():
    app = ArenaApp(Named("first"))
    async with app.run_test() as pilot:
        app.theme = "nord"
        await pilot.pause()
        assert app.get_css_variables()["seat-0"].lower() == "#56b4e9"


@pytest.mark.parametrize(("wish", "told"), [("1", True), ("0", False)])
def test_the_environment_decides_on_ascii(monkeypatch, wish, told):
    monkeypatch.setenv("ARENA_ASCII", wish)
    assert ascii_only() is told


def test_a_locale_of_c_is_taken_at_its_word(monkeypatch):
    monkeypatch.delenv("ARENA_ASCII")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    told = ascii_only()
    monkeypatch.setenv("LC_ALL", "C")
    assert (told, ascii_only()) == (False, True)


def test_plain_text_takes_as_many_columns():
    drawing = "╭─ ● ○ ▲ ■ ┤⣀⡤⠤│ › → ½ ± ▁▂▃▄▅▆▇█ ♔♞ é"
    assert plain(drawing).isascii()
    assert len(plain(drawing)) == len(drawing)
    assert plain("\x1b[1;31mas it is\x1b[0m") == "\x1b[1;31mas it is\x1b[0m"
    assert len({plain(sign) for sign in "●○▲■"}) == 4


def test_a_terminal_of_ascii_is_sent_nothing_else(tmp_path):
    require_tmux()
    terminal = Terminal()
    try:
        terminal.enter(f"cd {tmp_path}; clear; ARENA_ASCII=1 {ARENA}; echo status=$?")
        screen = terminal.wait_for("0 runs")
        assert screen.isascii()
        assert "+- play or watch -" in screen
        terminal.press("q")
        terminal.wait_for("status=0")
    finally:
        terminal.close()
