"""The table of learning checks: what it trains, what it writes, and what it says of names that it does not know."""

import csv
import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("trains to a score")

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def checks(tmp_path, monkeypatch):
    """Runs the script in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(SCRIPTS)

    def checks(*words):
        monkeypatch.setattr(sys, "argv", ["learning_checks.py", *words])
        return import_module("learning_checks").main()

    return checks


def test_posterior_sampling_learns_a_chain_from_every_seed(checks, tmp_path):
    (tmp_path / "table.csv").write_text(
        "algorithm,task,threshold,score,passed,scores,steps,seconds\ndqn,other,1,2,True,2,3,4\n"
    )
    arguments = ["psrl", "--task", "chain", "--seeds", "3", "4", "--csv", "table.csv", "--json", "rows.json"]
    assert checks(*arguments) == 0
    with (tmp_path / "table.csv").open(newline="") as file:
        other, row = csv.DictReader(file)
    assert other["task"] == "other", "rows of other checks stay"
    assert (row["algorithm"], row["task"], row["passed"]) == ("psrl", "chain", "True")
    assert float(row["score"]) >= 0.95
    assert len(row["scores"].split()) == 2
    (told,) = json.loads((tmp_path / "rows.json").read_text())
    assert told["steps"] == 3000
    assert told["scores"] == [float(score) for score in row["scores"].split()]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["dqm"], "unknown algorithm 'dqm'; known: "),
        (["psrl", "--task", "chian"], "nothing to check: psrl has no task 'chian', but FrozenLake-v1, chain"),
    ],
)
def test_unknown_names_are_told(checks, words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        checks(*words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
