"""An environment that fails in a worker: named with its own traceback, and what was played before is kept."""

import pytest

from arena.cli.main import main
from tests.env.hosted.worlds import spec
from tests.league.small import left_behind

GAME = spec("raises_later")
FAILURE = f"arena: {GAME}, step 40: the environment failed with "
TRAIN = [
    "train",
    GAME,
    "ppo",
    "--steps",
    "3840",
    "--snapshots",
    "30",
    "--boards",
    "2",
    "--moves",
    "32",
    "--threads",
    "1",
]
TRAIN += [
    "--evaluation",
    "random",
    "--evaluation-games",
    "2",
    "--hidden",
    "8",
    "--seed",
    "5",
    "--workers",
    "2",
    "--out",
]


def require_told(text):
    line, *traceback = [line for line in text.splitlines() if line.startswith(("arena: ", " ", "Traceback"))]
    assert line.startswith(FAILURE)
    assert line.endswith("RuntimeError: the physics exploded")
    assert traceback[0] == "Traceback (most recent call last):"
    assert any("worlds.py" in one for one in traceback)


@pytest.mark.full
def test_a_tournament_with_workers_tells_and_goes_on_when_it_is_mended(tmp_path, capsys, monkeypatch):
    command = ["tournament", GAME, "a=random", "b=random", "c=random", "--games", "300", "--workers", "2"]
    command += ["--store", str(tmp_path / "games.sqlite"), "--out"]
    assert main([*command, str(tmp_path / "first")]) == 2
    require_told(capsys.readouterr().err)
    monkeypatch.setenv("MENDED", "1")
    assert main([*command, str(tmp_path / "second")]) == 0


@pytest.mark.full
def test_a_training_with_workers_tells_and_goes_on_when_it_is_mended(tmp_path, capsys, monkeypatch):
    assert main([*TRAIN, str(tmp_path / "cut")]) == 2
    require_told(capsys.readouterr().err)
    kept = sorted(path.name for path in (tmp_path / "cut").glob("snapshot-*"))
    assert 1 <= len(kept) < 30
    monkeypatch.setenv("MENDED", "1")
    assert main([*TRAIN, str(tmp_path / "cut"), "--resume"]) == 0
    assert main([*TRAIN, str(tmp_path / "whole")]) == 0
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")
