"""Help: every command has examples that it understands; faults are one line and a log; nothing heavy is imported."""

import contextlib
import dataclasses
import shlex
import subprocess
import sys

import pytest

import arena.cli.games
from arena.base.errors import UsageError
from arena.cli import reading
from arena.cli.examples import EXAMPLES
from arena.cli.main import COMMANDS, GROUPS, main
from tests.cli.command_lines import parsed


def test_every_command_stands_in_one_group_and_has_examples():
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)
    assert sorted(EXAMPLES) == sorted(COMMANDS)
    assert all(2 <= len(given) <= 8 for given in EXAMPLES.values())


@pytest.mark.parametrize("line", [line for given in EXAMPLES.values() for line, _ in given])
def test_an_example_is_understood(line, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # what is there must not matter
    line = line.removeprefix('eval "$(').removesuffix(')"').partition(" > ")[0]
    program, *words = shlex.split(line)
    while "=" in program:  # a variable of the environment
        monkeypatch.setenv(*program.split("=", 1))
        program, *words = words
    assert program == "arena"
    if "--resume" in words:
        with pytest.raises(UsageError, match="there is no run to resume in runs/"):
            parsed(words)
    else:
        assert parsed(words) is not None


CHEAP = ["arena games", "arena games --json", "arena agents", "arena agents --json", "arena solve kuhn_poker"]
CHEAP += [
    "arena exploitability kuhn_poker random",
    "arena new-game nine_mens_morris",
    "arena check-game kuhn_poker:players=3",
    pytest.param("arena sandbox check", marks=pytest.mark.full),
    "arena new-agent my_reinforce",
]


@pytest.mark.parametrize("line", CHEAP)
def test_an_example_does_what_it_says(line, monkeypatch, tmp_path, capsys):
    assert any(line == known for given in EXAMPLES.values() for known, _ in given)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_the_examples(command, capsys):
    with contextlib.suppress(SystemExit):
        assert main([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"usage: arena {command}" in said
    assert "\nexamples:\n" in said
    assert "\x1b" not in said
    for line, what in EXAMPLES[command]:
        assert f"  {line}\n      {what}\n" in said


def test_the_list_of_commands_tells_the_exit_statuses(capsys):
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    for words in ("exit status:", "  2    wrong input", "  130  interrupted", "NO_COLOR", "--json"):
        assert words in said


def test_without_a_terminal_arena_alone_prints_the_help():
    command = [sys.executable, "-m", "arena"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.startswith("usage: arena")


@pytest.mark.full
def test_the_list_of_commands_imports_nothing_that_takes_time():
    code = """
import sys
from arena.cli.main import main
main(["--help"])
heavy = {"torch", "ray", "textual", "numba", "matplotlib", "sqlalchemy", "rich", "tyro"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.full
def test_a_misspelt_game_is_refused_before_anything_that_takes_time_is_imported():
    code = """
import sys
from arena.cli.main import main
assert main(["train", "conect_four", "ppo", "--ui"]) == 2
heavy = {"torch", "numba", "typeguard"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    message = "arena: unknown game 'conect_four'; did you mean 'connect_four'?\n"
    assert (done.returncode, done.stderr) == (0, message)


def test_a_fault_of_ours_is_one_line_and_a_log(monkeypatch, tmp_path, capsys):
    def broken(options: object) -> int:
        raise ZeroDivisionError("nothing\nto divide")

    monkeypatch.setattr(arena.cli.games, "run", broken)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["games"]) == 1
    said = capsys.readouterr()
    (log,) = (tmp_path / "arena").iterdir()
    assert said.err == f"arena: internal error, ZeroDivisionError: nothing; details are in {log}\n"
    assert "in broken" in log.read_text()


def test_a_log_that_cannot_be_written_goes_elsewhere(monkeypatch, tmp_path, capsys):
    (tmp_path / "state").write_text("a file, where a folder was wanted")
    monkeypatch.setattr(arena.cli.games, "run", lambda options: 1 // 0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["games"]) == 1
    assert str(tmp_path / "state") not in capsys.readouterr().err


@dataclasses.dataclass(frozen=True)
class OfARun:
    """Options that a run has already."""

    ahead: bool = True
    """Set by the run."""
    again: bool = False
    """Not set by it."""


def test_a_flag_that_is_set_may_be_given_again_and_help_shows_what_changes_something(capsys):
    assert reading.read_options(OfARun, "arena x", []) == OfARun()
    assert reading.read_options(OfARun, "arena x", ["--ahead", "--again"]) == OfARun(again=True)
    assert reading.read_options(OfARun, "arena x", ["--no-ahead"]) == OfARun(ahead=False)
    with pytest.raises(SystemExit):
        reading.read_options(OfARun, "arena train", ["--help"])
    shown = capsys.readouterr().out
    assert "--no-ahead" in shown
    assert "--no-again" not in shown
