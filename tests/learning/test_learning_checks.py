"""The table of learning checks: what it trains, what it writes, and what it says of names that it does not know."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "learning_checks.py"


def checks(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_posterior_sampling_learns_a_chain_from_every_seed(tmp_path):
    (tmp_path / "table.csv").write_text(
        "algorithm,task,threshold,score,passed,scores,steps,seconds\ndqn,other,1,2,True,2,3,4\n"
    )
    arguments = ["psrl", "--task", "chain", "--seeds", "3", "4", "--csv", "table.csv", "--json", "rows.json"]
    result = checks(tmp_path, *arguments)
    assert result.returncode == 0, result.stderr
    with (tmp_path / "table.csv").open(newline="") as file:
        other, row = csv.DictReader(file)
    assert other["task"] == "other", "rows of other checks stay"
    assert (row["algorithm"], row["task"], row["passed"]) == ("psrl", "chain", "True")
    assert float(row["score"]) >= 0.95
    assert len(row["scores"].split()) == 2
    (told,) = json.loads((tmp_path / "rows.json").read_text())
    assert told["steps"] == 3000
    assert told["scores"] == [float(score) for score in row["scores"].split()]


def test_unknown_names_are_told(tmp_path):
    result = checks(tmp_path, "dqm")
    assert result.returncode == 2
    assert "unknown algorithm 'dqm'; known: " in result.stderr
    result = checks(tmp_path, "psrl", "--task", "chian")
    assert result.returncode == 2
    assert "nothing to check: psrl has no task 'chian', but FrozenLake-v1, chain" in result.stderr
