"""What a tournament prints and writes, from records made by hand."""

import csv
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

import games
from arena.match.verdict import MatchRecord, Reason, Verdict
from arena.tournament.config import TournamentConfig
from arena.tournament.files import to_json, write_standings
from arena.tournament.report import print_standings
from arena.tournament.standings import standings, table_of
from arena.tournament.tally import Tallies
from arena.tournament.tournament import run_tournament
from games.engine.stakes import Stakes

CIRCLE = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}


def record(players, returns, actions=(), verdict=None):
    return MatchRecord("toy()", tuple(players), 0, (), tuple(actions), verdict or Verdict(tuple(returns)))


def circle(num_games=20):
    """Rock, paper and scissors, whose winner is certain."""
    names = ("rock", "paper", "scissors")
    seatings = [(one, two) for one in names for two in names if one != two]
    return standings(
        names, [record(s, (1, -1) if s in CIRCLE else (-1, 1), (n,)) for s in seatings for n in range(num_games)]
    )


def ladder(seats=2):
    """Four agents of which the first always wins, the second against the others, and so on; the last was late once."""
    names, rng = ("a:one", "b:two", "c:three", "d:four"), np.random.default_rng(0)
    records = []
    for number in range(60):
        sat = rng.permutation(4)[:seats]
        records.append(record([names[i] for i in sat], [-float(i) for i in sat], (number % 7,)))
    late = Verdict((1.0,) * (seats - 1) + (-1.0,), Reason.LATE, seats - 1)
    return standings(names, [*records, record([*names[: seats - 1], names[3]], (), (), late)])


def printed(table, width):
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        print_standings(table, "toy", console)
    return captured.get()


@pytest.mark.parametrize("width", [80, 100, 120, 160])
@pytest.mark.parametrize("table", [ladder(), ladder(seats=4), circle()])
def test_it_fits_and_holds_every_name_and_heading(table, width):
    text = printed(table, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    headings = (
        "Elo",
        "±",
        "LOS",
        "games",
        "W/D/L",
        "score",
        "seat 1",
        "seat 2",
        "distinct",
        "illegal",
        "late",
        "crashed",
    )
    assert all(heading in text for heading in headings)
    assert all(text.count(name) >= 2 for name in table.names)


def test_cycles_bring_what_does_not_mind_them():
    text = printed(circle(), 160)
    assert "α-rank" in text
    assert text.count("33 %") == 6
    assert "Nash" not in printed(ladder(), 160)
    assert circle().cyclic > 0.9


def test_repeated_games_are_warned_of():
    assert "Many games are the same" in printed(ladder(), 160)  # 7 openings in 60 games
    assert "Many games are the same" not in printed(circle(), 160)


def test_equal_moves_after_another_deal_are_another_game():
    result = run_tournament(games.make("kuhn_poker"), {"a": "random", "b": "random"}, TournamentConfig(games=60))
    assert len({record.actions for record in result.records}) < 10
    assert result.standings.distinct_games == 60


def test_a_rating_that_no_game_bounds_is_marked():
    swept = [record("ab", (1, -1)), record("ba", (-1, 1))]
    told = "Of 0 % and 100 % only a bound is known"
    assert told in printed(standings(["a", "b"], swept), 240)
    assert told not in printed(standings(["a", "b"], [*swept, record("ab", (-1, 1))]), 240)


def test_nothing_but_draws_is_told_as_such():
    text = printed(standings(["a", "b"], [record("ab", (0, 0)), record("ba", (0, 0))]), 240)
    assert "Every game was drawn, so nothing tells the players apart." in text
    assert "return" not in text.lower()
    assert "Every game was drawn" not in printed(ladder(), 160)


def test_what_players_earn_is_told_where_games_are_not_just_won_and_lost():
    shared = standings(["a", "b", "c"], [record("ab", (3, 3)), record("ca", (5, 5)), record("bc", (8, 8))])
    text = printed(shared, 240)
    assert "+6.50 ± 2.08" in text
    assert "so only what they earned tells the players apart" in text
    assert "Return: what a player earns" in text
    stakes = standings(["a", "b"], [record("ab", (2, -2)), record("ba", (1, -1))])
    assert "+0.50 ± 2.08" in printed(stakes, 240)


def test_zero_has_no_sign():
    table = standings(["a", "b", "c"], [record("ab", (1, -1)), record("ba", (-1, 1))])
    table.ratings.seats[:] = -0.01, 0.01
    nearly = replace(table, rows=tuple(replace(row, elo=-0.01) for row in table.rows))
    assert "The first seat is worth +0 " in printed(nearly, 160)
    assert "-0.0" not in to_json(nearly, "toy")


def test_what_needs_all_to_have_met_is_left_out_where_they_have_not():
    table = standings(["a", "b", "c"], [record("ab", (1, -1)), record("bc", (1, -1))])
    assert (table.alpha_rank, table.nash) == (None, None)
    assert "Nash" not in printed(table, 160)
    assert json.loads(to_json(table, "toy"))["players"][0]["nash"] is None


def test_the_worth_of_seats_is_told():
    assert "The first seat is worth" in printed(ladder(), 160)
    assert "The seats are worth" in printed(ladder(seats=4), 160)
    unordered = standings(["a", "b"], [record("ab", (1, -1)), record("ba", (1, -1))], seat_order=False)
    assert "seat" not in printed(unordered, 160)
    assert json.loads(to_json(unordered, "toy"))["seats"] == []


@pytest.mark.full
def test_files_hold_the_same_figures(tmp_path):
    table = ladder()
    write_standings(table, "toy", tmp_path)
    with (tmp_path / "ratings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    told = json.loads((tmp_path / "results.json").read_text())
    for row, one, standing in zip(rows, told["players"], table.rows, strict=True):
        assert {name: "" if value is None else str(value) for name, value in one.items()} == row
        assert (row["agent"], int(row["late"])) == (standing.name, standing.tally.late)
    assert [row["agent"] for row in rows] == ["a:one", "b:two", "c:three", "d:four"]
    assert (rows[-1]["late"], rows[-1]["superiority"]) == ("1", "")
    assert told["games"] == 61
    assert told["distinct_games"] == table.distinct_games < 61
    for name in ("crosstable.png", "ratings.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_names_are_no_formulas(tmp_path):
    names = ("$\\frac{$", "[bold]$x$[/bold]", "-0")
    table = standings(names, [record(names[:2], (1, -1)), record(names[1:], (1, -1))])
    write_standings(table, "$\\sqrt{$", tmp_path)
    assert all(name in printed(table, 160) for name in names)


@pytest.mark.full
def test_pictures_of_many_players_stay_small(tmp_path):
    names = [f"player-{n}" for n in range(60)]
    games = [record(pair, (1, -1)) for pair in pairwise(names)]
    write_standings(standings(names, games), "many", tmp_path)
    for name in ("crosstable.png", "ratings.png"):
        header = (tmp_path / name).read_bytes()[16:24]
        assert max(int.from_bytes(header[:4]), int.from_bytes(header[4:])) < 9000  # pixels


def test_a_name_that_the_font_lacks_is_drawn_without_a_warning(tmp_path, recwarn):
    write_standings(standings(["棋", "b"], [record("棋b", (1, -1))]), "toy", tmp_path)
    assert not recwarn.list
    assert (tmp_path / "ratings.png").stat().st_size > 1000


def test_records_may_come_in_parts():
    whole, parts = ladder(), Tallies(("a", "b"), seats=2)
    parts.add([record("ab", (1, -1), (1,)), record("ba", (1, -1), (1,))])
    parts.add([record("ab", (0, 0), (1,))])
    table = table_of(parts.played, anchor="b")
    assert (table.games, table.distinct_games, table.zeros) == (3, 2, ("b",))
    assert table.rows[0].tally.wins == 1
    assert whole.games == 61


def test_games_for_chips_are_told_in_thousandths_of_a_blind(tmp_path):
    records = [record("ab", (3, -3)), record("ba", (-1, 1)), record("ab", (-1, 1)), record("ba", (-1, 1))]
    table = standings(["b", "a"], records, stakes=Stakes(chips=2, blind=4))
    assert table.names == ("a", "b"), "by what they earn"
    mean, error = 1000 * 1.0 * 2 / 4, 1000 * 1.959964 * np.std([3, 1, -1, 1]) / 2 * 2 / 4
    text = printed(table, 240)
    assert f"{mean:+.0f} ± {error:.0f}" in text
    assert "mbb/hand: thousandths of a 4-chip big blind" in text
    (row, _) = json.loads(to_json(table, "toy"))["players"]
    assert (row["chips_per_hand"], row["mbb_per_hand"]) == (2.0, 500.0)
    assert row["mbb_error_95"] == pytest.approx(error, abs=0.01)


def test_games_of_more_than_two_are_told_by_places_and_returns():
    games = [record("abc", (1, 0, -1)), record("bca", (0, 0, 1)), record("cab", (-1, 1, 0))]
    table = standings(["a", "b", "c"], games)
    a, b, c = table.rows
    assert [row.tally.places.tolist() for row in (a, b, c)] == [[3, 0, 0], [0, 3, 0], [0, 1, 2]]
    assert [row.tally.mean_place for row in (a, b, c)] == pytest.approx([1, 2, 8 / 3])
    text = printed(table, 300)
    assert all(heading in text for heading in ("place 1", "place 3", "return"))
    assert [row["place_2"] for row in json.loads(to_json(table, "toy"))["players"]] == [0, 3, 1]


def test_those_whom_no_games_connect_are_apart(tmp_path):
    table = standings(["random", "b", "c", "d"], [record(["random", "b"], (1, -1)), record("cd", (1, -1))])
    assert table.zeros == ("random", None)
    text = printed(table, 200)
    assert "random is 0, the mean is 0 on each side of the lines" in text
    assert "their ratings cannot be compared" in " ".join(text.split())
    players = json.loads(to_json(table, "toy"))["players"]
    assert [(row["agent"], row["island"], row["zero"]) for row in players] == [
        ("random", 1, "random"), ("b", 1, "random"), ("c", 2, "mean"), ("d", 2, "mean"),
    ]  # fmt: skip
    assert [row.superiority is None for row in table.rows] == [False, True, False, True]
    write_standings(table, "toy", tmp_path)
    assert (tmp_path / "ratings.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("anchor", "zero"), [(None, "random"), ("b", "b"), ("mean", None)], ids=["the usual", "a player", "the mean"]
)
def test_random_is_zero_where_it_plays_unless_the_user_says_otherwise(anchor, zero):
    table = standings(["b", "random"], [record(["b", "random"], (1, -1))] * 3, anchor=anchor)
    assert table.zeros == (zero,)
    assert {row.name: row.elo for row in table.rows}.get(zero, 0.0) == 0
