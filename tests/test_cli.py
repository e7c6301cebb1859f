"""`arena`: help, the lists, and one clear line with status 2 for a wrong word."""

import json
import subprocess
import sys

import pytest

import arena
from arena.cli.main import COMMANDS, main
from arena.policy.registry import AGENTS, GAMES

pytestmark = pytest.mark.full


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_help_names_every_command(words, capsys):
    assert main(words) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {name} " in text for name in COMMANDS)


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"arena {arena.__version__}\n"


def test_games_lists_what_can_be_played(capsys):
    assert main(["games", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["game"] for row in rows] == GAMES.names()
    connect_four = next(row for row in rows if row["game"] == "connect_four")
    assert connect_four == {
        "game": "connect_four",
        "players": 2,
        "actions": 7,
        "observation": [6, 7, 2],
        "traits": "perfect, zero-sum",
        "options": {"rows": 6, "columns": 7, "k": 4},
        "pettingzoo": "connect_four_v3",
        "variant": "",
    }


def test_agents_lists_who_can_play(capsys):
    assert main(["agents", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["agent"].partition(":")[0] for row in rows] == AGENTS.names()
    assert all(row["what"] for row in rows)


@pytest.mark.parametrize("command", ["games", "agents"])
def test_a_table_for_people(command, capsys):
    assert main([command]) == 0
    text = capsys.readouterr().out
    names = {"games": GAMES, "agents": AGENTS}[command].names()
    assert all(name in text for name in names)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gmaes"], "arena: unknown command 'gmaes'; did you mean 'games'?"),
        (["games", "--jsn"], "arena: Unrecognized options: --jsn; did you mean --json?; see arena games --help"),
        (["agents", "extra"], "arena: Unrecognized options: extra; see arena agents --help"),
    ],
)
def test_a_wrong_word_gets_one_line_and_status_2(words, message, capsys):
    assert main(words) == 2
    assert capsys.readouterr() == ("", message + "\n")


def test_a_wrong_word_gets_a_line_without_colours_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert main(["games", "--jsn"]) == 2
    assert (
        capsys.readouterr().err == "arena: Unrecognized options: --jsn; did you mean --json?; see arena games --help\n"
    )


def test_the_program_returns_the_status():
    done = subprocess.run([sys.executable, "-m", "arena", "gmaes"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("words", [["--help"], ["games"]])
def test_what_needs_no_torch_does_not_import_it(words):
    code = f"""
import sys
from arena.cli.main import main
assert main({words!r}) == 0
heavy = {{"torch", "ray", "textual", "matplotlib", "pettingzoo"}} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_help_of_a_training_loads_no_arrays_and_no_kernels():
    code = """
import contextlib, sys
from arena.cli.main import main
with contextlib.suppress(SystemExit):
    main(["train", "connect_four", "ppo", "--help"])
print([name for name in ("numpy", "numba", "rich.progress") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_a_reader_that_leaves_early_is_no_error():
    program = f"{sys.executable} -m arena games | true"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
