"""A real terminal for end-to-end tests: a shell in tmux, typed into and read from outside."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARENA = f"{sys.executable} -m arena"
MODES = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag} #{keypad_cursor_flag}"


class Terminal:
    """A shell in a tmux server of its own, without anybody's configuration."""

    def __init__(self, width: int = 80, height: int = 24):
        self._folder = Path(tempfile.mkdtemp(prefix="arena-"))  # short: a socket's path has at most some 100 characters
        self._socket = self._folder / "tmux"
        shell = "env -u NO_COLOR -u COLUMNS -u LINES PS1='$ ' TERM=screen-256color sh"
        size = ("-x", str(width), "-y", str(height))
        self.tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(self._folder), shell)
        self.wait_for(lambda text: "$" in text)

    def tmux(self, *arguments: str) -> str:
        """Run a tmux command; returns what it prints."""
        command = ["tmux", "-u", "-S", str(self._socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names: `Up`, `Enter`, `C-c`."""
        self.tmux("send-keys", "--", *keys)

    def type(self, text: str) -> None:
        """Type a text as it is."""
        self.tmux("send-keys", "-l", "--", text)

    def enter(self, text: str) -> None:
        """Type a text as it is, and enter."""
        self.type(text)
        self.press("Enter")

    def screen(self) -> str:
        """Return the text on the screen."""
        return self.tmux("capture-pane", "-p")

    def wait_for(self, condition, seconds: float = 300) -> str:
        """The screen as soon as the condition (a function of its text, or a pattern) holds; fails after so long."""
        found = condition if callable(condition) else re.compile(condition).search
        deadline = time.monotonic() + seconds
        while not found(text := self.screen()):
            assert time.monotonic() < deadline, f"{condition!r} did not come to pass:\n{text}"
            time.sleep(0.05)
        return text

    def modes(self) -> str:
        """Return what a program may leave behind: the other screen, a hidden cursor, mouse reports, key modes."""
        return self.tmux("display-message", "-p", MODES)

    def settings(self) -> str:
        """The modes of the terminal and of its line (echo, signals, ...); for a shell that waits for a command."""
        file = self._folder / "stty"
        file.unlink(missing_ok=True)
        self.enter(f"stty -g > {file}.new; mv {file}.new {file}")
        deadline = time.monotonic() + 120
        while not file.exists():
            assert time.monotonic() < deadline, f"the shell does not answer:\n{self.screen()}"
            time.sleep(0.02)
        return self.modes() + file.read_text()

    def close(self) -> None:
        """End the shell and its tmux server."""
        self.tmux("kill-server")
        shutil.rmtree(self._folder)


def is_over(screen: str) -> object:
    """Return whether a screen shows the result of a game."""
    return re.search(r"after \d moves", screen)


def moves_of(screen: str) -> list[str]:
    """Return the moves of tic-tac-toe in the list of moves."""
    return [cell for line in re.findall(r"\b\d\. (.*)", screen) for cell in re.findall(r"\b[abc][123]\b", line)]


def play_to_the_end(terminal: Terminal) -> None:
    """Play tic-tac-toe: type one cell after the other; those that are taken are refused.

    What says whose turn it is is the list of moves: a screen that is read while it is drawn may still say "your move"
    when the agent is to move, and a cell that is typed then stays in the line.
    """
    screen = terminal.wait_for("your move")
    for cell in (column + row for column in "abc" for row in "123"):
        played = len(moves_of(screen))
        terminal.enter(cell)
        screen = terminal.wait_for(
            lambda text, cell=cell, played=played: (
                is_over(text) or f"'{cell}' is not" in text or len(moves_of(text)) == played + 2
            )
        )
        if is_over(screen):
            return
    terminal.wait_for(is_over)


def require_tmux() -> None:
    """Skip where there is no tmux; fail in continuous integration, where there must be."""
    if shutil.which("tmux") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("tmux is not installed, and CI=true asks for the end-to-end tests")
        pytest.skip("tmux is not installed")
