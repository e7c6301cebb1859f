"""The report of a league: as data, as text, as pictures; and what the command says."""

import json
import struct

import numpy as np
import pytest
from rich.console import Console

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.policy.registry import make_game
from arena.training.league.config import LEAGUES, LeagueConfig
from arena.training.league.picture import save_pictures
from arena.training.league.records import League, read_league, write_league
from arena.training.league.report import LeagueLadder, as_dict, lineages, print_league
from arena.training.league.turns import TurnResult, after_turn, new_league
from tests.training.league.leagues import NAMES, league
from tests.training.league.small import training

pytestmark = pytest.mark.full


def printed(a_league, width=160):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_league(a_league, "runs/x", console)
    return console.export_text()


def test_the_ladder_is_that_of_the_ratings():
    ladder = LeagueLadder.of(league())
    assert set(ladder.names) == set(NAMES), "who was never measured has no place"
    elo = [row.elo for row in ladder.rows]
    assert elo == sorted(elo, reverse=True)
    assert ladder.names[-1] == "random"
    first, second = ladder.names.index("main-0001"), ladder.names.index("main-0002")
    assert (ladder.points[first, second], ladder.points[second, first]) == (10, 30)
    assert ladder.scores[second, first] == 0.75
    assert np.isnan(ladder.scores[first, first])


def test_what_runs_in_circles_is_told():
    ladder = LeagueLadder.of(league())
    assert ladder.cyclic > 0.05
    assert ladder.alpha_rank.sum() == pytest.approx(1)
    assert ladder.alpha_rank[ladder.names.index("random")] < 0.01


def test_a_line_of_descent_ends_where_a_learner_begins_anew():
    assert lineages(league()) == {
        "main": [["main-0001", "main-0002"]],
        "main-exploiter": [["main-exploiter-0001"], ["main-exploiter-0002", "main-exploiter-0003"]],
        "league-exploiter": [],
    }


def test_everything_is_in_the_json():
    content = json.loads(json.dumps(as_dict(league()), allow_nan=False))
    assert [row["rank"] for row in content["ladder"]] == [1, 2, 3, 4, 5]
    by_name = {row["name"]: row for row in content["ladder"]}
    assert by_name["random"] | {"games": 0, "alpha_rank": 0} == {
        "rank": 5, "name": "random", "role": "reference", "steps": None, "parent": None,
        "elo": 0.0, "error_95": 0.0, "games": 0, "alpha_rank": 0,
    }  # fmt: skip
    assert (by_name["main-0002"]["parent"], by_name["main-0002"]["games"]) == ("main-0001", 160)
    assert content["learners"][1] == {
        "name": "main-exploiter", "role": "main exploiter", "turns": 3, "steps": 3000, "members": 3, "resets": 1,
        "next_opponents": {},
    }  # fmt: skip
    assert content["learners"][0]["next_opponents"]["main-0001"] == 0.5
    assert np.array(content["payoffs"]["points"]).shape == (5, 5)
    assert content["lineage"]["main"] == [["main-0001", "main-0002"]]


def test_the_text_names_everybody_and_whom_they_meet():
    text = printed(league())
    assert "runs/x: connect_four, ppo, 5,000 moves, 5 members" in text
    assert "main-0001 50 %, itself 35 %, main-exploiter-0002 15 %" in text
    assert "main-exploiter: main-exploiter-0001; main-exploiter-0002 to main-exploiter-0003 (2)" in text
    assert "league-exploiter: no members yet" in text
    assert "random is 0" in text
    assert all(name in text for name in NAMES)
    assert max(map(len, printed(league(), 80).splitlines())) <= 80


def test_long_ladders_are_cut_and_empty_ones_say_so():
    long = league()
    long.ratings = {f"main-{number:04}": (float(number), 9.0) for number in range(60)}
    text = printed(long)
    assert "... 20 more" in text
    assert "main-0059" in text
    assert "main-0030" not in text
    assert "Nobody has an Elo" in printed(League("connect_four", {}, "ppo", [], []))


def test_pictures(tmp_path):
    for path in save_pictures(league(), "a $league_1$", tmp_path / "new"):
        header = path.read_bytes()[:24]
        assert header[:8] == b"\x89PNG\r\n\x1a\n"
        assert min(struct.unpack(">II", header[16:])) > 300
    with pytest.raises(UsageError, match="nobody has been measured yet"):
        save_pictures(League("connect_four", {}, "ppo", [], []), "x", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="pictures cannot be written here"):
        save_pictures(league(), "x", tmp_path / "file")


def test_the_command(tmp_path, capsys):
    write_league(tmp_path, league())
    assert main(["league", str(tmp_path), "--png", str(tmp_path / "pictures")]) == 0
    out = capsys.readouterr().out
    assert "lineage" in out
    assert "payoffs.png" in out
    assert main(["league", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 5000


def test_a_plain_training_has_a_league_as_well(tmp_path, capsys):
    training("ppo", tmp_path / "run", LeagueConfig(), steps=2048, snapshots=2).train()
    assert main(["league", str(tmp_path / "run"), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in content["ladder"]} == {"main-0001", "main-0002", "random"}
    assert content["lineage"] == {"main": [["main-0001", "main-0002"]]}
    assert main(["league", str(tmp_path / "run")]) == 0
    assert "main-0002" in capsys.readouterr().out


def test_wrong_folders_are_refused_in_a_line(tmp_path, capsys):
    assert main(["league", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"arena: no league in {tmp_path}")
    (tmp_path / "league.json").write_text('{"format": 1}')
    assert main(["league", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "is not the file of a league" in error
    assert error.count("\n") == 1


def test_where_nobody_wins_members_are_listed_by_what_they_earn(tmp_path):
    teams = new_league(make_game("hanabi"), "ppo", LEAGUES["naive"])
    for turn, earned in enumerate((1.25, 3.5), start=1):
        scores = {"return": earned, "return_low": earned - 0.5, "return_high": earned + 0.5, "return/random": 1.0}
        evaluation = TurnResult(100 * turn, "joined", "0" * 64, returns=scores)
        after_turn(teams, teams.learners[0], evaluation, ["random"])
    write_league(tmp_path, teams)
    text = printed(read_league(tmp_path))
    best, other = (member.name for member in teams.teams)
    assert "3.5 ±0.5" in next(line for line in text.splitlines() if best in line and "±" in line)
    assert text.index("3.5 ±0.5") < text.index("1.25 ±0.5")
    assert "Elo +" not in text
    assert as_dict(read_league(tmp_path))["returns"][other]["return"] == 1.25
