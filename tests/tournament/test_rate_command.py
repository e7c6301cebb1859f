"""`arena rate`, from a file to tables, JSON and pictures."""

import json

import numpy as np
import pytest

from arena.cli.main import main

pytestmark = pytest.mark.full

NAMES = {"ann": 200, "bob": 0, "cy": -200}


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """A file of 600 games between players 200 apart, the first with an advantage of 50."""
    rng, lines = np.random.default_rng(0), ["white,black,result"]
    for one in NAMES:
        for two in NAMES:
            for luck in rng.random(100) if one != two else ():
                won = luck < 1 / (1 + 10 ** ((NAMES[two] - NAMES[one] - 50) / 400))
                lines.append(f"{one},{two},{'1-0' if won else '0-1'}")
    path = tmp_path_factory.mktemp("rate") / "games.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_table(games, capsys):
    assert main(["rate", str(games), "--anchor", "bob"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("games.csv, 600 games\n")  # moves are not known, so neither is what is distinct
    assert "Elo: bob is 0" in said
    assert "The first seat is worth +" in said
    assert "distinct" not in said
    assert said.index("ann") < said.index("bob") < said.index("cy")


def test_json_and_files(games, capsys, tmp_path):
    out = tmp_path / "out"
    assert main(["rate", str(games), "--json", "--out", str(out)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == json.loads((out / "results.json").read_text())
    assert {path.name for path in out.iterdir()} == {"ratings.csv", "results.json", "crosstable.png", "ratings.png"}
    assert [one["agent"] for one in said["players"]] == list(NAMES)
    for one in said["players"]:
        assert abs(one["elo"] - NAMES[one["agent"]]) < 2 * one["error_95"]
        assert one["distinct_games"] is None
    first, second = said["seats"]
    assert abs(first["elo"] - second["elo"] - 50) < 4 * first["error_95"]
    assert said["cross_table"]["games"] == [[0, 200, 200], [200, 0, 200], [200, 200, 0]]


@pytest.mark.parametrize(("system", "newcomers"), [("glicko2", "1500"), ("openskill", "25")])
def test_ratings_game_by_game(games, capsys, system, newcomers):
    assert main(["rate", str(games), "--online", system]) == 0
    said = capsys.readouterr().out
    assert said.index("ann") < said.index("bob") < said.index("cy")
    assert newcomers in said
    assert said.count("400") == 3  # games each


def test_ratings_game_by_game_for_a_program(games, capsys):
    assert main(["rate", str(games), "--online", "glicko2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [one["player"] for one in said] == list(NAMES)
    assert [one["games"] for one in said] == [400, 400, 400]
    assert said[0]["rating"] > said[1]["rating"] > said[2]["rating"]


def test_a_result_is_not_shown_twice(tmp_path, capsys):
    (tmp_path / "games.csv").write_text("white,black,result\nann,bob,1\nbob,ann,1/2-1/2\n")
    assert main(["rate", str(tmp_path / "games.csv")]) == 0
    said = capsys.readouterr().out
    assert "1/1/0" in said
    assert "return" not in said.lower()  # what is earned says no more than who won


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--anchor", "an"], "player 'an'"),
        (["--online", "glicko2", "--anchor", "bob"], "online ratings are only printed"),
        (["--online", "elo"], "online"),
    ],
)
def test_wrong_options_are_one_line(games, capsys, options, complaint):
    assert main(["rate", str(games), *options]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_a_wrong_file_is_one_line_and_leaves_nothing(tmp_path, capsys):
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\nann,bob,won\n")
    assert main(["rate", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"arena: {path}, line 2: result 'won' is not 1-0")
    assert not (tmp_path / "out").exists()
