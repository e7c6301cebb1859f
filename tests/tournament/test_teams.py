"""Cooperative games: what teams earn, of an agent with itself and of every two; no winners and no Elo."""

import csv
import json

import numpy as np
import pytest
from rich.console import Console

import games
from arena.base.errors import UsageError
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.policy.registry import make_game
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.files import as_dict, claim_directory, write_results
from arena.tournament.ladder import find_ladders
from arena.tournament.pairing import teams
from arena.tournament.report import print_standings
from arena.tournament.tally import Tallies
from arena.tournament.teams import teams_of
from arena.tournament.tournament import run_tournament

# Both get 4 for the same choice of 1, 2 for the same choice of 0, and nothing otherwise.
GAME = games.make("matrix_game", payoffs="2 0;0 4|2 0;0 4")


def record(players, returns, verdict=None):
    return MatchRecord("toy()", tuple(players), 0, (), (0,), verdict or Verdict(tuple(returns)))


def table(names, *records):
    tallies = Tallies(names, len(records[0].players))
    tallies.add(records)
    return teams_of(tallies.played)


def test_an_agent_is_scored_with_itself_and_with_others():
    found = table(
        "ab",
        record("aa", (3, 3)),
        record("aa", (5, 5)),
        record("bb", (9, 9)),
        record("ab", (1, 1)),
        record("ba", (2, 2)),
    )
    assert found.names == ("b", "a")
    b, a = found.rows
    assert (a.alone.mean, a.alone.games, b.alone.mean) == (4, 2, 9)
    assert a.alone.error == pytest.approx(1.959964 * np.std([3, 5]) / np.sqrt(2))
    assert (a.mixed.mean, b.mixed.mean, a.games, b.games) == (1.5, 1.5, 4, 3)
    assert found.means.tolist() == [[9, 1.5], [1.5, 4]]


def test_a_fault_costs_the_whole_team():
    late = record("ab", (), forfeit(2, 0, Reason.LATE))
    (a, b) = sorted(table("ab", late, record("ba", (5, 5))).rows, key=lambda row: row.name)
    assert (a.mixed.mean, b.mixed.mean) == (2, 2)
    assert (a.tally.late, b.tally.late) == (1, 0)
    assert (a.alone, b.alone) == (None, None)


def test_more_than_two_sit_in_turn():
    assert teams(2, 3) == [(0, 0, 0), (0, 1, 0), (1, 1, 1)]
    assert teams(3, 2, of=0) == [(0, 0), (0, 1), (0, 2)]
    found = table("abc", record("aba", (3, 3, 3)), record("aaa", (9, 9, 9)), record("abc", (6, 6, 6)))
    assert found.rows[0].mixed.mean == 4.5
    counts = {
        frozenset((a, b)): found.pairs[i][j] for i, a in enumerate(found.names) for j, b in enumerate(found.names)
    }
    assert counts[frozenset("ab")].games == 1
    assert counts[frozenset("ac")] is None, "a team of three kinds is none of two"


@pytest.mark.full
def test_a_tournament_of_a_cooperative_game(tmp_path):
    config = TournamentConfig(games=8, openings="random:0")
    with Store(tmp_path / "arena.db") as store:
        result = run_tournament(GAME, {"one": "random", "two": "random"}, config, store=store)
        (ladder,) = find_ladders(store, GAME)
    assert [len({*record.players}) for record in result.records].count(1) == 2 * 8
    assert len({record.seed for record in result.records if set(record.players) == {"one"}}) == 8, "no game twice"
    assert np.allclose(ladder.table.means, result.table.means)
    assert ladder.table.games == result.table.games == 24
    console = Console(width=100)
    with console.capture() as captured:
        print_standings(result.table, "toy", console)
    assert "Elo in it" in captured.get()
    assert "LOS" not in captured.get()
    write_results(result, claim_directory(tmp_path / "results"))
    content = json.loads((tmp_path / "results" / "results.json").read_text())
    assert content["cross_play"]["mean_return"] == as_dict(result.table, "x")["cross_play"]["mean_return"]
    assert "elo" not in content["players"][0]
    with (tmp_path / "results" / "ratings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["self_play"]) for row in rows] == [round(row.alone.mean, 4) for row in result.table.rows]
    assert (tmp_path / "results" / "crosstable.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UsageError, match="nobody wins matrix_game"):
        _ = result.standings


@pytest.mark.full
def test_a_tournament_of_one_seat_is_a_table_of_returns_in_the_same_games(tmp_path):
    pytest.importorskip("mpe2")
    alone = make_game("pettingzoo:mpe2.simple_v3,max_cycles=3")
    config = TournamentConfig(games=5, openings="random:0")
    with Store(tmp_path / "arena.db") as store:
        result = run_tournament(alone, {"one": "random", "two": "random", "three": "random"}, config, store=store)
        (ladder,) = find_ladders(store, alone)
    seeds = {name: [one.seed for one in result.records if one.players == (name,)] for name in result.names}
    assert seeds["one"] == seeds["two"] == seeds["three"]
    assert len(set(seeds["one"])) == len(result.records) / 3 == 5
    for row in result.table.rows:
        returns = [one.verdict.returns[0] for one in result.records if one.players == (row.name,)]
        assert row.alone.mean == pytest.approx(np.mean(returns))
        assert row.alone.error == pytest.approx(1.959964 * np.std(returns) / np.sqrt(5))
    assert [row.alone.mean for row in result.table.rows] == sorted(one.alone.mean for one in result.table.rows)[::-1]
    assert {row.name: row.alone for row in ladder.table.rows} == {row.name: row.alone for row in result.table.rows}
    console = Console(width=100)
    with console.capture() as captured:
        print_standings(result.table, "toy", console)
    assert "return  games" in captured.get()
    assert "with others" not in captured.get()
    write_results(result, claim_directory(tmp_path / "results"))
    assert (tmp_path / "results" / "ratings.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "results" / "crosstable.png").exists()


def test_of_one_seat_everybody_is_a_team():
    assert teams(3, 1) == teams(3, 1, of=0) == [(0,), (1,), (2,)]


def test_an_agent_alone_is_enough():
    result = run_tournament(GAME, {"one": "random"}, TournamentConfig(games=4, openings="random:0"))
    assert (result.table.rows[0].games, result.table.rows[0].mixed) == (4, None)
    with pytest.raises(UsageError, match="a swiss pairs by who wins, and nobody wins"):
        run_tournament(GAME, {"one": "random", "two": "random"}, TournamentConfig(games=4, format="swiss"))
