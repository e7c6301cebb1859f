"""`scripts/equilibrium_checks.py`, on a budget of seconds."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

SCRIPT = Path(__file__).parents[2] / "scripts" / "equilibrium_checks.py"


def run(*words):
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, words)], capture_output=True, text=True)


def test_rows_come_as_snapshots_do_and_nothing_is_done_again(tmp_path):
    table, picture = tmp_path / "rows.csv", tmp_path / "curves.png"
    words = ["mmd", "--game", "kuhn_poker", "--episodes", 45_000, "--snapshots", 2, "--seeds", 3]
    done = run(*words, "--csv", table, "--picture", picture)
    assert done.returncode == 1, done.stderr  # so short a training misses its threshold
    rows = list(csv.DictReader(table.open()))
    assert [(row["number"], row["snapshots"], row["seed"]) for row in rows] == [("1", "2", "3"), ("2", "2", "3")]
    assert 20_000 < int(rows[0]["episodes"]) < int(rows[1]["episodes"])
    assert all(0.0 < float(row["exploitability"]) < 0.6 and float(row["seconds"]) > 0 for row in rows)
    assert picture.read_bytes().startswith(b"\x89PNG")
    before = table.read_bytes()
    again = run(*words, "--csv", table)
    assert "median over 1 seeds" in again.stdout
    assert table.read_bytes() == before


def test_wrong_words_are_refused():
    for words in (["cfr"], ["--game", "kuhn_pocker"]):
        done = run(*words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
