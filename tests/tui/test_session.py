"""A person at a real terminal: home, train, watch, play to the end, replay, quit; and the ways it can break."""

import sys

import pytest

from tests.tui.terminal import ARENA, ROOT, Terminal, play_to_the_end, require_tmux

pytestmark = pytest.mark.full

FAULTY = """
import sys
from arena.cli import faults
from arena.policy.registry import make_game
from arena.tui.app import launch
from arena.tui.screens.play import PlayScreen
from tests.tui.agents import FirstLegal

class Broken(PlayScreen):
    def action_hint(self):
        raise ZeroDivisionError("nothing to divide")

try:
    launch(Broken(make_game("tic_tac_toe"), [("bot", FirstLegal())]))
except Exception as error:
    sys.exit(faults.report(error))
"""


@pytest.fixture
def terminal(tmp_path):
    require_tmux()
    terminal = Terminal(100, 30)
    terminal.enter(f"cd {tmp_path}; export PYTHONPATH={ROOT} XDG_STATE_HOME={tmp_path}/state; clear")
    terminal.wait_for(lambda text: text.strip() == "$")
    yield terminal
    terminal.close()


def fill_in(terminal, *values):
    """Fill in a form from its first field on, `None` leaving a field as it is, and enter."""
    for number, value in enumerate(values):
        if number:
            terminal.press("Tab")
        if value is not None:
            terminal.press("C-u")
            terminal.type(value)
    terminal.press("Enter")


@pytest.mark.slow("runs every screen one after the other")
def test_a_session_in_the_one_program(terminal):
    before = terminal.settings()
    terminal.enter(f"clear; {ARENA}; echo left=$?")
    home = terminal.wait_for(lambda text: "2p perfect" in text and "none yet: n begins one" in text)
    assert "arena" in home.splitlines()[0]
    assert terminal.modes() not in before  # so that the comparison at the end can fail
    terminal.press("End", "Up")

    terminal.press("n")
    terminal.wait_for("\\$ arena train tic_tac_toe ppo")
    fill_in(terminal, None, "2000", None, "--snapshots 1 --evaluation-games 2 --threads 1")
    terminal.wait_for("runs: arena train")
    terminal.wait_for("[◌●○]  tic_tac_toe-ppo")
    terminal.press("Tab", "Tab", "Enter")
    terminal.wait_for("arena › runs › tic_tac_toe-ppo")
    terminal.wait_for("it is finished; its agent is ppo:runs/tic_tac_toe-ppo", seconds=300)
    terminal.press("q")
    terminal.wait_for("○  tic_tac_toe-ppo")

    terminal.press("w")
    terminal.wait_for("\\$ arena watch tic_tac_toe")
    fill_in(terminal, "ppo:runs/tic_tac_toe-ppo", None, "1", "8")
    terminal.wait_for("arena › watch › tic_tac_toe")
    terminal.wait_for("the series is over", seconds=180)
    terminal.press("q")

    terminal.wait_for("none yet: t plays a tournament")
    terminal.press("p")
    terminal.wait_for("\\$ arena play tic_tac_toe")
    fill_in(terminal, "ppo:runs/tic_tac_toe-ppo")
    terminal.wait_for("arena › play › tic_tac_toe")
    play_to_the_end(terminal)
    terminal.wait_for("kept: arena replay 1")
    terminal.press("q")

    terminal.wait_for(r"[01½]–[01½]  you – ppo:")
    terminal.press("Tab", "Enter")
    terminal.wait_for("arena › replay › tic_tac_toe")
    terminal.wait_for(r"0 of \d[\s\S]* 1\. ")  # the moves are there
    terminal.press("End")
    terminal.wait_for(r"after \d moves")
    terminal.press("q")

    terminal.wait_for("1 stored game")
    terminal.press("q")
    terminal.wait_for("left=0")
    terminal.enter("clear")
    assert terminal.settings() == before


def test_home_leads_everywhere_and_back(terminal):
    before = terminal.settings()
    terminal.enter(f"clear; {ARENA}; echo left=$?")
    terminal.wait_for("connect_four")
    terminal.press("?")
    terminal.wait_for("esc closes")
    terminal.press("Escape")
    terminal.wait_for(lambda text: "esc closes" not in text)
    terminal.press("C-c")
    terminal.wait_for("left=130")
    assert terminal.settings() == before


def test_a_fault_of_ours_is_one_line_and_a_log_and_the_terminal_is_as_before(terminal, tmp_path):
    before = terminal.settings()
    script = tmp_path / "faulty.py"
    script.write_text(FAULTY)
    terminal.enter(f"clear; {sys.executable} {script}; echo status=$?")
    terminal.wait_for("your move")
    terminal.press("Tab")
    screen = terminal.wait_for(r"status=\d+")
    assert "status=1" in screen
    assert "arena: internal error, ZeroDivisionError: nothing to divide; details are in" in screen
    assert "Traceback" not in screen
    (log,) = (tmp_path / "state" / "arena").iterdir()
    assert "action_hint" in log.read_text()
    assert terminal.settings() == before


def test_colours_are_left_out_where_nobody_sees_them(terminal, tmp_path):
    terminal.enter(f"clear; {ARENA} games > piped; {ARENA} play --help > help; echo done=$?")
    terminal.wait_for("done=0")
    assert "\x1b" not in (tmp_path / "piped").read_text() + (tmp_path / "help").read_text()
    terminal.enter(f"clear; {ARENA} games; NO_COLOR=1 {ARENA} games > plain; echo plain=$?")
    terminal.wait_for("plain=0")
    assert "\x1b" not in (tmp_path / "plain").read_text()
