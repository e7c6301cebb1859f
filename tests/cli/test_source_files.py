"""Games and agents in a file of the user's own: named by its path, remembered with its content, run only if named."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.env import GameVectorEnv
from arena.policy.registry import agent_kind, make_agent, make_game
from games.engine.source_files import is_source_file, short_name, stored_name, without_hash
from games.engine.trust import VARIABLE, trust, trust_named

AGENT = '''
"""Always plays the first legal action."""

from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.registration import AgentKind


class First(Policy):
    def __init__(self, offset):
        self.offset = offset

    def forward(self, batch, state=None):
        return Batch(act=batch.obs.mask.argmax(axis=1))


AGENT = AgentKind("plays the first legal action", make=lambda game, argument: First(int(argument or 0)), argument="N")
'''


@pytest.fixture
def place(tmp_path, monkeypatch, capsys):
    """The current folder, with a game, an environment of PettingZoo and an agent; none of them is trusted."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    for words in (["count_up"], ["tag_along", "--pettingzoo"]):
        main(["new-game", *words])
        (tmp_path / words[0] / f"{words[0]}.py").rename(tmp_path / f"{words[0]}.py")
    (tmp_path / "first.py").write_text(AGENT)
    capsys.readouterr()
    return tmp_path


def test_a_file_is_a_game(place):
    trust("count_up.py")
    game = make_game("./count_up.py:target=9")
    assert game.max_length == 9
    assert game.name == stored_name("count_up.py")
    assert make_game(game.label).label == make_game(game.spec).label == game.label
    assert make_game("count_up.py:target=9") is game
    env = GameVectorEnv(game, 4)
    obs, _ = env.reset()
    assert obs.mask.tolist() == [[True] * 3] * 4


def test_what_the_file_of_an_agent_raises_is_told_as_its_own(place):
    trust("first.py")
    with pytest.raises(
        UsageError, match=r"^agent '\./first\.py' cannot be made: ValueError: invalid literal"
    ) as caught:
        make_agent("./first.py:three", make_game("tic_tac_toe"))
    assert "first.py" in caught.value.__notes__[0]


def test_an_edited_file_is_another_game(place):
    trust("count_up.py")
    before = make_game("./count_up.py")
    GameVectorEnv(before, 1).reset()
    text = (place / "count_up.py").read_text()
    (place / "count_up.py").write_text(text.replace("state.sum += action + 1", "state.sum += 2 * action + 1"))
    after = make_game("./count_up.py")
    sums = []
    for game in (before, after):
        env = GameVectorEnv(game, 1)
        env.reset()
        env.step(np.array([2]))
        sums.append(int(env.states["sum"][0]))
    assert sums == [3, 5]
    with pytest.raises(UsageError, match=r"count_up\.py has changed: it was stored as @"):
        make_game(before.label)


def test_nothing_is_run_that_only_a_file_names(place, capsys):
    (place / "count_up.py").write_text("open('ran', 'w')\n")
    for name in ("./count_up.py", str(place / "count_up.py")):
        with pytest.raises(
            UsageError, match=r"count_up\.py is not run because a file names it: name it on the command"
        ):
            make_game(name)
    with pytest.raises(UsageError, match=r"count_up\.py is not run"):
        agent_kind("./count_up.py")
    assert not (place / "ran").exists()
    assert main(["games", "./count_up.py"]) == 2
    assert "count_up.py defines no game: it has no 'game'" in capsys.readouterr().err
    assert (place / "ran").exists(), "the command line names it"


def test_a_process_that_is_sent_a_game_finds_its_file(place):
    trust("count_up.py")
    game = make_game("./count_up.py")
    asked = "import sys, pickle, arena; print(pickle.load(sys.stdin.buffer).action_text(None, 1))"
    command = [sys.executable, "-c", asked]
    done = subprocess.run(command, input=pickle.dumps(game), capture_output=True, timeout=120)
    assert done.stdout.decode().strip() == "2", done.stderr.decode()


@pytest.mark.parametrize("bare", [False, True])
def test_a_file_is_an_environment_of_pettingzoo(bare, place):
    text = (place / "tag_along.py").read_text()
    (place / "tag_along.py").write_text(text.partition("def game(")[0] if bare else text)
    trust("tag_along.py")
    game = make_game("./tag_along.py:length=5")
    assert game.name == stored_name("tag_along.py")
    assert dict(game.options) == {"length": 5}


def test_a_file_is_an_agent(place, capsys):
    trust("first.py")
    assert agent_kind("./first.py").summary == "plays the first legal action"
    assert make_agent("./first.py:3", make_game("tic_tac_toe")).offset == 3
    assert main(["tournament", "tic_tac_toe", "mine=./first.py", "random", "--games", "4", "--store", "s.db"]) == 0
    assert "mine" in capsys.readouterr().out


def test_what_fails_in_a_file_is_said_in_a_line(place, capsys):
    (place / "count_up.py").write_text("import nothing_of_that_name\n")
    assert main(["check-game", "./count_up.py"]) == 2
    line = "arena: ./count_up.py cannot be imported: ModuleNotFoundError: No module named 'nothing_of_that_name'"
    assert capsys.readouterr().err.splitlines()[0] == line
    assert main(["check-game", "./none.py"]) == 2
    assert capsys.readouterr().err == "arena: ./none.py cannot be read: No such file or directory\n"


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["./nim.py", "ppo"], ["nim.py"]),
        (["nim.py:heaps=3", "a=./mine.py:runs/x"], ["nim.py", "mine.py"]),
        (["--game=sub/nim.py@1a2b3c4d"], ["sub/nim.py"]),
        (["play ./nim.py mcts:10"], ["nim.py"]),
        (["cmd:./bot.py", "hex:size=5", "x.pyc"], []),
    ],
)
def test_files_on_a_command_line_are_trusted(words, files, tmp_path, monkeypatch):
    import os

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "")
    trust_named(words)
    assert [name for name in os.environ[VARIABLE].split(",") if name] == [str(tmp_path / file) for file in files]


def test_names_of_files():
    assert is_source_file("./nim.py@1a2b3c4d")
    assert not is_source_file("nim")
    assert not is_source_file("./nim.py:heaps=3")
    assert without_hash("sub/nim.py@1a2b3c4d") == "sub/nim.py"
    assert short_name("sub/nim.py@1a2b3c4d") == "nim"


@pytest.mark.full
def test_a_file_is_trained_for_and_resumed(place, capsys):
    short = ["--steps", "512", "--snapshots", "2", "--boards", "16", "--moves", "8", "--threads", "1"]
    assert main(["train", "./count_up.py", "ppo", *short, "--hidden", "8", "--evaluation", "random"]) == 0
    assert "ppo:runs/count_up-ppo is trained" in capsys.readouterr().out
    assert main(["train", "./count_up.py", "ppo", "--resume", "--steps", "1024", "--workers", "1"]) == 0
    capsys.readouterr()
    words = ["tournament", "./count_up.py", "ppo:runs/count_up-ppo", "random", "--games", "2"]
    assert main([*words, "--workers", "2"]) == 0
    capsys.readouterr()
    with (place / "count_up.py").open("a") as file:
        file.write("# another content, of the same rules\n")
    assert main(["train", "./count_up.py", "ppo", "--resume"]) == 2
    assert "the run in runs/count_up-ppo trains for ./count_up.py@" in capsys.readouterr().err
    assert main(words) == 0, "its agents play on"
