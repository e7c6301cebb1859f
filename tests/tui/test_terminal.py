"""End to end in a real terminal: a game is played, and the terminal is left as it was found."""

import os
import signal
import sys
import time

import pytest

from tests.tui.terminal import ARENA, ROOT, Terminal, moves_of, play_to_the_end, require_tmux

pytestmark = pytest.mark.full

THINKING = """
import os, pathlib, sys
from arena.policy.registry import make_game
from arena.tui.app import launch
from arena.tui.screens.play import PlayScreen
from arena.tui.parts.sitting import PlayOptions
from tests.tui.agents import Patient
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
sys.exit(launch(PlayScreen(make_game("tic_tac_toe"), [("slow", Patient())], PlayOptions(seat=1))))
"""


@pytest.fixture
def terminal():
    require_tmux()
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.fixture
def thinking(tmp_path):
    """A command that plays an agent which thinks for half a minute, and the file where its process number goes."""
    script, number = tmp_path / "thinking.py", tmp_path / "pid"
    script.write_text(THINKING)
    return f"PYTHONPATH={ROOT} {sys.executable} {script} {number}", number


def test_a_game_is_played_and_the_terminal_is_as_before(terminal):
    before = terminal.settings()
    terminal.enter(f"clear; {ARENA} play tic_tac_toe random; echo status=$?")
    terminal.wait_for("arena › play › tic_tac_toe")
    assert terminal.modes() not in before  # so that the comparison below can fail
    play_to_the_end(terminal)
    terminal.press("q")
    screen = terminal.wait_for("status=0")
    assert "arena › play" not in screen
    assert terminal.settings() == before


def test_ctrl_c_leaves_with_130_and_a_clean_terminal(terminal):
    before = terminal.settings()
    terminal.enter(f"{ARENA} watch connect_four random random; echo status=$?")
    terminal.wait_for("thinks")
    terminal.press("C-c")
    screen = terminal.wait_for(r"status=\d+")
    assert "status=130" in screen
    assert "Traceback" not in screen
    assert terminal.settings() == before


def test_a_thinking_agent_keeps_nobody_from_leaving(terminal, thinking):
    before = terminal.settings()
    terminal.enter(f"{thinking[0]}; echo status=$?")
    terminal.wait_for("thinks 1 s")
    terminal.press("C-q")
    terminal.wait_for("status=0", seconds=10)
    assert terminal.settings() == before


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_polite_end_from_outside_leaves_a_clean_terminal(terminal, thinking, number, status):
    before = terminal.settings()
    command, file = thinking
    terminal.enter(f"{command}; echo status=$?")
    terminal.wait_for("to move|thinks")
    os.kill(int(file.read_text()), number)
    terminal.wait_for(f"status={status}", seconds=10)
    assert terminal.settings() == before


def test_bad_input_never_takes_over_the_terminal(terminal):
    terminal.enter(f"clear; {ARENA} play tic_tac_to random; echo status=$?")
    screen = terminal.wait_for(r"status=\d")
    assert "arena: unknown game 'tic_tac_to'; did you mean 'tic_tac_toe'?" in screen
    assert "status=2" in screen


def test_a_program_that_is_told_to_go_on_reads_the_terminal_once(terminal, thinking):
    command, number = thinking
    terminal.enter(f"{command}; echo status=$?")
    terminal.wait_for("thinks 1 s")
    pid = int(number.read_text())
    threads = len(os.listdir(f"/proc/{pid}/task"))
    for _ in range(5):  # as a terminal does that is closed
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.1)
    assert len(os.listdir(f"/proc/{pid}/task")) == threads
    terminal.press("C-c")
    terminal.wait_for("status=130", seconds=20)


def test_a_suspended_program_goes_on(terminal, thinking):
    command, number = thinking
    terminal.enter(f"{command}; echo status=$?")
    terminal.wait_for("thinks 1 s")
    os.kill(int(number.read_text()), signal.SIGTSTP)
    terminal.wait_for("Stopped")
    terminal.enter("clear; fg")
    terminal.wait_for("thinks")
    terminal.press("C-c")
    terminal.wait_for(lambda text: text.rstrip().endswith("$"), seconds=20)


def test_a_suspended_tournament_gives_the_cursor_back(terminal):
    terminal.enter(f"{ARENA} tournament connect_four mcts:20 mcts:10 --games 50000 --store t.db")
    terminal.wait_for("games/s")
    assert terminal.tmux("display-message", "-p", "#{cursor_flag}").strip() == "0"
    terminal.press("C-z")
    terminal.wait_for("Stopped")
    assert terminal.tmux("display-message", "-p", "#{cursor_flag}").strip() == "1"
    terminal.enter("clear; fg")
    terminal.wait_for("games/s")
    terminal.press("C-c")
    terminal.wait_for("resume with")


def test_pasted_garbage_is_refused_where_it_is_seen(terminal, tmp_path):
    (tmp_path / "garbage").write_bytes(b"5\n\xff\xfe\x07 [b]x[/] " + "日本".encode() + b"z" * 5000 + b"\nq\nRR\n")
    terminal.tmux("load-buffer", str(tmp_path / "garbage"))
    terminal.enter(f"{ARENA} play tic_tac_toe random --seat 1; echo status=$?")
    terminal.wait_for("your move")
    terminal.tmux("paste-buffer", "-p")
    terminal.wait_for("move › .*[z5]")
    terminal.press("Enter")
    terminal.wait_for(r"5.*zzz.* is not a\s+cell; type a column and a row")
    terminal.enter("b2")
    terminal.wait_for(lambda text: len(moves_of(text)) == 2)  # the agent's answer, too
    play_to_the_end(terminal)
    terminal.press("q")
    terminal.wait_for("status=0")


BROKEN = """
import sys
from arena.cli.faults import report
from arena.policy.registry import make_game
from arena.tui.app import launch
from arena.tui.screens.play import PlayScreen
from tests.tui.agents import FirstLegal
from textual.drivers import linux_driver

class Broken(linux_driver.XTermParser):
    def feed(self, data):
        if data:
            raise OSError("the wire is cut")
        return ()

linux_driver.XTermParser = Broken
try:
    launch(PlayScreen(make_game("tic_tac_toe"), [("first", FirstLegal())]))
except OSError as error:
    sys.exit(report(error))
"""


def test_a_fault_while_the_terminal_is_read_is_one_line(terminal, tmp_path):
    before = terminal.settings()
    (tmp_path / "broken.py").write_text(BROKEN)
    environment = f"PYTHONPATH={ROOT} XDG_STATE_HOME={tmp_path}"
    terminal.enter(f"clear; {environment} {sys.executable} {tmp_path}/broken.py; echo status=$?")
    terminal.wait_for("your move|status=")
    terminal.press("x")
    screen = terminal.wait_for(r"status=\d+")
    assert "internal error, OSError: the wire is cut; details are in" in screen.replace("\n", "")
    assert "status=1" in screen
    assert "Traceback" not in screen
    assert terminal.settings() == before
