"""Completion: what bash, zsh and fish offer, asked of the shells themselves where they are installed."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import completion
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


def ask(*command: str) -> str:
    """What a shell prints, with the program on its path."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def bash(scripts, *words: str) -> set[str]:
    """What bash offers for the last of these words."""
    line = " ".join(("arena", *words))
    code = f"source {scripts['bash']}; COMP_WORDS=({line}); COMP_LINE='{line}'; COMP_POINT={len(line)}; _arena; "
    code += "echo ${COMPREPLY[@]}"
    return set(ask("bash", "-c", code).split())


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
        (["train", "connect_four", "discrete-s"], {"discrete-sac"}),
        (["train", "connect_four", "mct"], set()),
        (["train", "go:size=9", "td"], {"td"}),
        (["train", "gym:Pendulum-v1", "td"], {"td3"}),
        (["train", "pettingzoo:my_env", "td"], {"td", "td3"}),
        (["train", "connect_four", "ppo", "--eps"], {"--eps-clip"}),
        (["train", "connect_four", "dqn", "--matchmaker", "pf"], {"pfsp"}),
        (["solve", "kuhn_poker", "cfr"], {"cfr", "cfr+"}),
        (["nonsense", ""], set()),
    ],
)
def test_what_is_offered(words, offered):
    assert set(completion.offered(words)) == offered


def test_bash(scripts):
    require("bash")
    assert bash(scripts, "train", "gym:CartPole-v1", "ppo", "--eps") == {"--eps-clip"}
    assert set(COMMANDS) <= bash(scripts, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_script(scripts, shell):
    require(shell)
    subprocess.run([shell, "-n", scripts[shell]], check=True)


def test_fish(scripts):
    require("fish")
    assert "connect_four" in ask("fish", "-c", f"source {scripts['fish']}; complete -C 'arena play conn'")
    assert "--eps-clip" in ask("fish", "-c", f"source {scripts['fish']}; complete -C 'arena train hex ppo --eps'")


def test_zsh(scripts):
    require("zsh")
    line = "arena train connect_four ppo --eps"
    code = f"autoload -U compinit && compinit -u; source {scripts['zsh']}; COMP_WORDS=({line}); COMP_LINE='{line}'; "
    code += f"COMP_POINT={len(line)}; setopt ksharrays; "  # as zsh's own bashcompinit calls it
    code += "_arena; echo ${COMPREPLY[*]}"
    assert ask("zsh", "-c", code) == "--eps-clip\n"


def test_options_are_read_from_a_help_without_a_frame():
    words = words_in("GAME   What is played.\n--result {None,win}  How.\n-h, --help  This.\n       --not-this one")
    assert words.positional == ("GAME",)
    assert words.options == {"--result": ("win",), "--help": ()}


def test_another_shell_is_refused(capsys):
    assert main(["completion", "csh"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
