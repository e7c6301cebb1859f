"""Pictures of pixels in terminals with graphics of their own, and in those without, by the real command on a pty."""

import os
import sys

import numpy as np
import pytest

from arena.tui.drawing.graphics import _row_marks
from tests.env.hosted.worlds import painting, spec
from tests.tiers import mostly_slow
from tests.tui.pixel_terminal import CELL, PixelTerminal

WATCH = [sys.executable, "-m", "arena", "watch", spec("painted"), *["random"] * 3, "--speed", "0.01"]
"""A match of a move every four seconds."""
RIGHT = "\x1b[C"


@pytest.fixture
def started():
    terminals = []

    def start(*arguments, **options):
        terminals.append(PixelTerminal(*arguments, **options))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


def moves_shown(terminal):
    """How many moves have led to the picture on the screen; None if it is not a whole one, or not the only one."""
    return next((moves for moves in range(12) if shows(terminal, painting(moves))), None)


def shows(terminal, pixels):
    """Whether a picture is on the screen; a pixel is as wide as a cell and half as high, sixel counts in percent."""
    picture = terminal.picture()
    if terminal.graphics == "sixel":
        pixels = pixels.repeat(CELL[1] // 2, axis=0).repeat(CELL[0], axis=1)
    return picture is not None and picture.shape == pixels.shape and np.abs(picture - pixels.astype(int)).max() <= 2


@pytest.mark.full
@pytest.mark.parametrize("graphics", mostly_slow(["sixel", "kitty"], {"kitty"}, "watches in a terminal"))
def test_a_match_is_shown_in_pixels_and_leaves_nothing_behind(started, graphics):
    terminal = started(WATCH, graphics, size=(140, 40))
    terminal.wait_for(lambda: moves_shown(terminal) is not None)
    terminal.press(" ")
    terminal.wait_for(lambda: "paused" in terminal.text())
    moves = moves_shown(terminal)
    terminal.press(RIGHT)
    terminal.wait_for(lambda: moves_shown(terminal) == moves + 1)
    terminal.press("?")
    terminal.wait_for(lambda: "esc closes" in terminal.text() and "▀" in terminal.text())
    assert not terminal.has_pictures()
    terminal.press("?")
    terminal.wait_for(lambda: moves_shown(terminal) == moves + 1)
    for size in ((100, 30), (160, 45)):
        terminal.resize(*size)
        terminal.wait_for(lambda: moves_shown(terminal) == moves + 1)
    terminal.press("q")
    assert terminal.end() == 0
    assert not terminal.has_pictures()
    assert not terminal.images


@pytest.mark.full
@pytest.mark.parametrize("graphics", ["none", "mute"])
def test_other_terminals_get_half_blocks(started, graphics):
    terminal = started(WATCH, graphics)
    terminal.wait_for(lambda: "▀" in terminal.text())
    assert terminal.asked == ["size", "attributes"]
    terminal.press("q")
    assert terminal.end() == 0
    assert not terminal.images  # and a sixel image would have failed the terminal


@pytest.mark.full
@pytest.mark.parametrize("environment", [{"ARENA_ASCII": "1"}, {"NO_COLOR": "1"}])
def test_a_terminal_without_colours_or_unicode_is_not_asked(started, environment):
    terminal = started(WATCH, "sixel", environment=environment)
    terminal.wait_for(lambda: "sees" in terminal.text())
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.asked == []


@pytest.mark.full
def test_keys_that_were_typed_before_are_for_the_screen(started):
    terminal = started(WATCH, "sixel", typed="q")
    assert terminal.end() == 0
    assert terminal.asked == []


def test_rows_are_numbered_by_the_marks_of_the_protocol():
    """Against the list of a library, whose package asks the terminal when it is imported: not here."""
    import subprocess

    code = "from textual_image.renderable.tgp import _NUMBER_TO_DIACRITIC as marks; print(*marks)"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    marks = [chr(int(number)) for number in listed.stdout.split()]
    assert len(_row_marks()) > 100
    assert _row_marks() == marks[: len(_row_marks())]
