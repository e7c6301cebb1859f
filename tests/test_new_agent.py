"""`arena new-agent`: the file it writes is an agent, the test beside it passes, and a package can bring it along."""

import os
import subprocess
import sys

import pytest

from arena.cli.main import main
from tests.packages import declare

pytestmark = pytest.mark.full


@pytest.fixture
def written(tmp_path, capsys):
    """A folder with an agent of one's own, declared as an installed package would."""
    assert main(["new-agent", "my_own", "--folder", str(tmp_path)]) == 0
    assert "wrote my_own.py, test_my_own.py and pyproject.toml" in capsys.readouterr().out
    place = tmp_path / "my_own"
    assert sorted(path.name for path in place.iterdir()) == ["my_own.py", "pyproject.toml", "test_my_own.py"]
    assert not [path for path in place.iterdir() if "NEW_" in path.read_text() or "NewAgent" in path.read_text()]
    declare(place, "my_own_package", "arena.agents", "my-own = my_own:AGENTS")
    return place


def run(folder, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_agent_that_is_written_passes_its_test(written):
    run(written, "unittest")


COMMANDS = """
import sys
from arena.cli.main import main
for command in sys.argv[1:]:
    assert main(command.split()) == 0
"""


def test_a_package_brings_it_along(written):
    train = "train tic_tac_toe my-own --steps 2000 --snapshots 1 --boards 64 --moves 4 --threads 1 --hidden 8"
    play = "tournament tic_tac_toe my-own:runs/tic_tac_toe-my-own random --games 4"
    (written / "commands.py").write_text(COMMANDS)
    told = run(written, "commands", "agents", f"{train} --evaluation random", play)
    assert "my-own:DIR" in told
    assert "my-own:runs/tic_tac_toe-my-own is trained" in told
    assert "my-own:runs/tic_tac_toe-my-own" in told.partition("is trained")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Mine"], "new-agent: 'Mine' is not a name in lower case with underscores"),
        (["ppo"], "new-agent: the agent ppo exists already"),
        (["one_ply"], "new-agent: the agent one_ply exists already"),
        (["mine", "--folder", "nowhere"], "new-agent: nowhere is not a folder"),
    ],
)
def test_names_that_will_not_do(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new-agent", *words]) == 2
    assert capsys.readouterr().err.startswith(f"arena: {message}")
    assert not list(tmp_path.iterdir())
