"""`scripts/equilibrium_checks.py`, on a budget of seconds."""

import csv
import sys

import pytest

from scripts import equilibrium_checks

pytestmark = pytest.mark.full


@pytest.fixture
def run(monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["equilibrium_checks.py", *map(str, words)])
        return equilibrium_checks.main()

    return run


def test_rows_come_as_snapshots_do_and_nothing_is_done_again(run, tmp_path, capsys):
    table, picture = tmp_path / "rows.csv", tmp_path / "curves.png"
    words = ["mmd", "--game", "kuhn_poker", "--episodes", 45_000, "--snapshots", 2, "--seeds", 3]
    assert run(*words, "--csv", table, "--picture", picture) == 1, "so short a training misses its threshold"
    rows = list(csv.DictReader(table.open()))
    assert [(row["number"], row["snapshots"], row["seed"]) for row in rows] == [("1", "2", "3"), ("2", "2", "3")]
    assert 20_000 < int(rows[0]["episodes"]) < int(rows[1]["episodes"])
    assert all(0.0 < float(row["exploitability"]) < 0.6 and float(row["seconds"]) > 0 for row in rows)
    assert picture.read_bytes().startswith(b"\x89PNG")
    before = table.read_bytes()
    capsys.readouterr()
    run(*words, "--csv", table)
    assert "median over 1 seeds" in capsys.readouterr().out
    assert table.read_bytes() == before


@pytest.mark.parametrize(("words", "said"), [(["cfr"], "cfr"), (["--game", "kuhn_pocker"], "kuhn_pocker")])
def test_wrong_words_are_refused(run, words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        sys.exit(run(*words))
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
