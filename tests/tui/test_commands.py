"""`arena watch` and `arena play` check everything before they touch the terminal."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import main

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("play tic_tac_to random", "unknown game 'tic_tac_to'; did you mean 'tic_tac_toe'?"),
        ("play tic_tac_toe rendom", "unknown agent 'rendom'; did you mean 'random'?"),
        (
            "play tic_tac_toe random --clock soon",
            "--clock soon is not a time control, as 10+0.1, 5m+2s, 40/60, move=500ms, nodes=10000 or depth=8",
        ),
        ("play tic_tac_toe random --hints rendom", "unknown agent 'rendom'; did you mean 'random'?"),
        ("play tic_tac_toe random --seat 3", "--seat 3 is not a seat of tic_tac_toe; seats are 1 to 2"),
        ("play tic_tac_toe random --seat 0", "--seat 0 is not a seat of tic_tac_toe; seats are 1 to 2"),
        ("play tic_tac_toe random --seed -1", "--seed -1 is not at least 0"),
        ("play tic_tac_toe:m=0 random", "tic_tac_toe: m=0 is not between 1 and 20"),
        ("watch tic_tac_toe random", "tic_tac_toe has 2 seats; name 2 agents, not 1"),
        ("watch tic_tac_toe random random random", "tic_tac_toe has 2 seats; name 2 agents, not 3"),
        ("watch tic_tac_toe random rendom", "unknown agent 'rendom'; did you mean 'random'?"),
        ("watch tic_tac_toe random random --games 0", "--games 0 is not at least 1"),
        ("watch tic_tac_toe random random --speed 0", "--speed 0.0 is not above 0"),
        ("watch tic_tac_toe random random --speed nan", "--speed nan is not above 0"),
        ("watch tic_tac_toe random random --seed -1", "--seed -1 is not at least 0"),
        (
            "watch tic_tac_toe random random --openings e4",
            "openings 'e4' are not of the form random:N, as random:4, or file:PATH (more: arena docs tournaments)",
        ),
    ],
)
def test_wrong_input_is_one_line_and_status_2(words, message, capsys):
    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"arena: {message}\n"


@pytest.mark.parametrize("words", ["play tic_tac_toe random", "watch tic_tac_toe random random"])
def test_without_a_terminal_it_says_so(words):
    command = [sys.executable, "-m", "arena", *words.split()]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "arena: this needs a terminal, and standard input is not one\n"


def test_screens_need_no_torch_and_commands_no_textual_before_they_show():
    code = (
        "import sys, arena.cli.play, arena.cli.watch; assert 'textual' not in sys.modules;"
        "import arena.tui.screens.play, arena.tui.screens.watch; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_script_plays_a_game_in_plain_text():
    moves = "nonsense\n4\n4\n4\n4\n" + "\n".join("1234567" * 6)
    command = [sys.executable, ROOT / "scripts" / "play.py", "connect_four", "random"]
    done = subprocess.run(command, input=moves, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "'nonsense' is not a column" in done.stdout
    assert done.stdout.splitlines()[-1] in ("you win", "you lose", "a draw")


def test_the_script_says_what_is_wrong():
    command = [sys.executable, ROOT / "scripts" / "play.py", "connect_four", "random", "3"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (2, "play: '3' is not a seat of connect_four; seats are 1 to 2\n")


def test_the_picture_of_the_readme_can_be_drawn_again(tmp_path):
    file = tmp_path / "watch.svg"
    words = ["watch", "tic_tac_toe", "random", "random"]
    command = [sys.executable, ROOT / "scripts" / "screenshot.py", file, "2", *words]
    subprocess.run(command, check=True, timeout=120)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "tic_tac_toe" in text
    assert "●" in text
