"""`arena new-game`: the file it writes is a game, and the test beside it passes."""

import os
import subprocess
import sys

import pytest

from arena.cli.main import main

pytestmark = pytest.mark.full


def test_the_game_that_is_written_passes_its_test(tmp_path, capsys):
    assert main(["new-game", "sprouts", "--folder", str(tmp_path)]) == 0
    assert "wrote" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sprouts.py", "test_sprouts.py"]
    assert "NEW_" not in (tmp_path / "sprouts.py").read_text() + (tmp_path / "test_sprouts.py").read_text()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_sprouts.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


def test_the_environment_that_is_written_passes_its_test(tmp_path, capsys):
    assert main(["new-game", "sprint", "--pettingzoo", "--folder", str(tmp_path)]) == 0
    assert "arena check-game pettingzoo:sprint" in capsys.readouterr().out
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_sprint.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout
    words = [sys.executable, "-m", "arena", "check-game", "pettingzoo:sprint,length=5", "--games", "2"]
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Sprouts"], "new-game: 'Sprouts' is not a name in lower case with underscores"),
        (["my game"], "new-game: 'my game' is not a name"),
        (["class"], "new-game: 'class' is not a name"),
        (["chess"], "new-game: the game chess exists already"),
        (["sprouts", "--folder", "nowhere"], "new-game: nowhere is not a folder"),
        (["sprouts", "--folder", "/proc"], "/proc/sprouts.py cannot be written"),
    ],
)
def test_names_that_will_not_do(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", *words]) == 2
    assert capsys.readouterr().err.startswith(f"arena: {message}")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "test_sprouts.py").write_text("mine")
    assert main(["new-game", "sprouts", "--folder", str(tmp_path)]) == 2
    assert "test_sprouts.py exists already; nothing was written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["test_sprouts.py"]
