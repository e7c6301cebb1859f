"""`arena new-game`: the file it writes is a game, and the test beside it passes."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena.cli.main import main
from tests.packages import declare

pytestmark = pytest.mark.full
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_the_game_that_is_written_passes_its_test(tmp_path, capsys):
    assert main(["new-game", "sprouts", "--folder", str(tmp_path)]) == 0
    assert "wrote" in capsys.readouterr().out
    place = tmp_path / "sprouts"
    assert sorted(path.name for path in place.iterdir()) == ["pyproject.toml", "sprouts.py", "test_sprouts.py"]
    assert not [path for path in place.iterdir() if "NEW_" in path.read_text()]
    done = subprocess.run([sys.executable, "-m", "unittest"], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Ran 5 tests" in done.stderr
    assert main(["games", str(place / "sprouts.py")]) == 0
    manual = capsys.readouterr().out
    assert "How it is played" in manual
    assert "Leave a multiple of 4" in manual


def test_the_environment_that_is_written_passes_its_test(tmp_path, capsys):
    assert main(["new-game", "sprint", "--pettingzoo", "--folder", str(tmp_path)]) == 0
    assert "arena check-game ./sprint.py" in capsys.readouterr().out
    place = tmp_path / "sprint"
    done = subprocess.run([sys.executable, "-m", "unittest"], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Ran 5 tests" in done.stderr
    style = [sys.executable, "-m", "ruff", "check", "--ignore", "I", "--config", str(PROJECT), "sprint.py"]
    done = subprocess.run(style, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    words = [sys.executable, "-m", "arena", "check-game", "./sprint.py:length=5", "--games", "2"]
    done = subprocess.run(words, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_written_can_be_installed(tmp_path, capsys):
    """The declaration names what is in the file; an installed package is found by its name."""
    assert main(["new-game", "sprouts", "--folder", str(tmp_path)]) == 0
    place = tmp_path / "sprouts"
    project = tomllib.loads((place / "pyproject.toml").read_text())
    assert project["project"]["entry-points"] == {"arena.games": {"sprouts": "sprouts:GAMES"}}
    assert project["tool"]["setuptools"]["py-modules"] == ["sprouts"]
    declare(place, "sprouts", "arena.games", "sprouts = sprouts:GAMES")
    words = [sys.executable, "-m", "arena", "games", "sprouts"]
    done = subprocess.run(words, env=os.environ | {"PYTHONPATH": str(place)}, capture_output=True, text=True)
    assert "sprouts" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Sprouts"], "new-game: 'Sprouts' is not a name in lower case with underscores"),
        (["my game"], "new-game: 'my game' is not a name"),
        (["class"], "new-game: 'class' is not a name"),
        (["chess"], "new-game: the game chess exists already"),
        (["sprouts", "--folder", "nowhere"], "new-game: nowhere is not a folder"),
        (["sprouts", "--folder", "/proc"], "new-game: /proc/sprouts cannot be written"),
    ],
)
def test_names_that_will_not_do(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", *words]) == 2
    assert capsys.readouterr().err.startswith(f"arena: {message}")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "sprouts").write_text("mine")
    assert main(["new-game", "sprouts", "--folder", str(tmp_path)]) == 2
    assert "sprouts exists already; nothing was written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["sprouts"]
