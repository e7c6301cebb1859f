"""Completion: what bash, zsh and fish offer, asked of the shells themselves where they are installed."""

import contextlib
import io
import os
import shutil
import subprocess

import pytest

from arena.cli.completion import words_in
from arena.cli.main import COMMANDS, main

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The file for each shell."""
    files = {}
    for shell in ("bash", "zsh", "fish"):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert main(["completion", shell]) == 0
        files[shell] = tmp_path_factory.mktemp(shell) / "arena"
        files[shell].write_text(said.getvalue())
    return files


def require(shell: str) -> None:
    if shutil.which(shell) is None:
        if os.environ.get("CI") == "true" and shell == "bash":
            pytest.fail("bash is not installed")
        pytest.skip(f"{shell} is not installed")


def bash(scripts, *words: str) -> set[str]:
    """What bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in ("arena", *words))
    code = f"source {scripts['bash']}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _arena; echo ${{COMPREPLY[@]}}"
    return set(subprocess.run(["bash", "-c", code], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["tour"], {"tournament"}),
        (["--v"], {"--version"}),
        (["play", "conn"], {"connect_four"}),
        (["play", "connect_four", "mct"], {"mcts"}),
        (["play", "connect_four", "mcts", "--se"], {"--seat", "--seed"}),
        (["tournament", "go", "random", "one-ply", "alphab"], {"alphabeta"}),
        (["matches", "--result", "w"], {"win"}),
        (["completion", "fi"], {"fish"}),
    ],
)
def test_bash(scripts, words, offered):
    require("bash")
    assert bash(scripts, *words) == offered


def test_every_command_is_offered(scripts):
    require("bash")
    assert set(COMMANDS) <= bash(scripts, "")
    assert all(f"-a {name} " in scripts["fish"].read_text() for name in COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_script(scripts, shell):
    require(shell)
    subprocess.run([shell, "-n", scripts[shell]], check=True)


def test_fish(scripts):
    require("fish")
    code = f"source {scripts['fish']}; complete -C 'arena play conn'"
    said = subprocess.run(["fish", "-c", code], check=True, capture_output=True, text=True).stdout
    assert "connect_four" in said


def test_options_are_read_from_a_help_without_a_frame():
    words = words_in("GAME   What is played.\n--result {None,win}  How.\n-h, --help  This.\n       --not-this one")
    assert words.positional == ("GAME",)
    assert words.options == {"--result": ("win",), "--help": ()}


def test_another_shell_is_refused(capsys):
    assert main(["completion", "csh"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
