"""The comparison of leagues: all of it with trainings of a second, and again without doing anything twice."""

import csv
import json
from dataclasses import replace

import pytest

from scripts.leagues import connect_four, small_games

pytestmark = pytest.mark.slow("trains to a score")


def test_connect_four(tmp_path, monkeypatch):
    monkeypatch.setattr(connect_four, "NAMES", ("naive", "full"))
    options = connect_four.Options(tmp_path, seeds=(3,), snapshots=2, boards=4, games=4, exploiter_games=4)
    (tmp_path / connect_four.BUDGET).write_text(json.dumps([1024, 256]))
    said: list[str] = []
    rows = connect_four.compare(options, said.append)
    assert [row.league for row in rows] == ["naive", "full"]
    assert len(said) == 5, "two trainings, two exploiters, a tournament"
    for row in rows:
        assert row.steps >= 1024
        assert row.error > 0
        assert {row.exploiter * 8 % 1, row.exploiter_openings * 8 % 1} == {0}, "points of four games"
    with (tmp_path / "table.csv").open(newline="") as file:
        assert [float(line["elo"]) for line in csv.DictReader(file)] == [row.elo for row in rows]
    assert "| naive | 1,024 |" in (tmp_path / "table.md").read_text()

    again: list[str] = []
    assert connect_four.compare(options, again.append) == rows
    assert again == ["a tournament of 4"], "whose games are in the store"


def test_means_over_seeds():
    row = connect_four.Row("past", 0, 1000, 2.0, 100.0, 9.0, 0.5, 0.25)
    text = connect_four.as_markdown([row, replace(row, seed=1, elo=200.0, exploiter=0.7)])
    assert text.splitlines()[2] == "| past | 1,000 | 2.0 | 150 (100, 200) | 60 % (50 %, 70 %) | 25 % (25 %, 25 %) |"


def test_small_games(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(small_games, "GAMES", {"rock-paper-scissors": small_games.GAMES["rock-paper-scissors"]})
    monkeypatch.setattr(small_games, "FEW", 40_960)
    small_games.run([0], tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["league"] for row in rows] == ["naive", "past", "full", "full, psro"]
    assert all(0 <= float(row["mixture"]) <= 2 for row in rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["nash", "0.8333", "0.1667", "0.0000", "0.0000"]
