"""Knockouts, and files of games that follow a tournament, through interruptions."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import games
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.match.limits import Limits
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.game_file import GameFile
from arena.tournament.knockout import TIEBREAKS, in_words, knockout_rounds
from arena.tournament.tournament import Tournament, run_tournament

pytestmark = pytest.mark.full

CONNECT_FOUR = games.make("connect_four")
PLAYERS = ["random", "one-ply", "alphabeta:2", "noisy:0.5:one-ply", "noisy:0.9:one-ply"]
DYING = """
import os, signal, sys
from arena.cli.main import main
from arena.store import Store
left = int(sys.argv[1])
add = Store.add_games
def dies(self, run, played):
    global left
    add(self, run, played)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
Store.add_games = dies
main(sys.argv[2:])
"""


def bracket(players, points_of):
    """Play a bracket in which a table ends as `points_of` says; return rounds, tables asked for, and tie-breaks."""
    tables, breaks = [], 0
    rounds = knockout_rounds(players, points_of)
    while True:
        try:
            asked, is_tiebreak = next(rounds)
        except StopIteration as end:
            return end.value, tables, breaks
        tables.append(asked)
        breaks += is_tiebreak


def test_the_first_meets_the_last_and_the_best_seeds_wait():
    rounds, tables, breaks = bracket(5, lambda table: (1.0, 0.0))
    assert tables == [[(3, 4)], [(0, 3), (1, 2)], [(0, 1)]]
    assert (rounds[-1][0].winner, breaks) == (0, 0)
    rounds, tables, _ = bracket(4, lambda table: (0.0, 2.0))
    assert tables == [[(0, 3), (1, 2)], [(2, 3)]]
    assert in_words(rounds, "abcd") == "semi-finals: a 0-2 d, b 0-2 c\nfinal: c 0-2 d\nd wins the knockout."


def test_a_tie_goes_on_until_one_leads_and_ends_for_the_first_entered():
    results = iter([(1.0, 1.0), (1.0, 1.0), (0.5, 1.5)])
    rounds, _, breaks = bracket(2, lambda table: next(results))
    assert (rounds[0][0].points, rounds[0][0].winner, breaks) == ((2.5, 3.5), 1, 2)
    rounds, _, breaks = bracket(2, lambda table: (1.0, 1.0))
    assert (rounds[0][0].winner, breaks) == (0, TIEBREAKS)


def test_the_strongest_wins_a_knockout_of_games():
    players = {name: name for name in ("random", "alphabeta:6", "noisy:0.9:random")}
    result = run_tournament(CONNECT_FOUR, players, TournamentConfig(format="knockout", games=4))
    assert result.knockout.splitlines()[-1] == "alphabeta:6 wins the knockout."


@pytest.mark.slow("kills it again and again")
@pytest.mark.parametrize("form", ["knockout", "gauntlet"])
@pytest.mark.parametrize("after", [1, 3])
def test_killed_in_the_middle_it_ends_as_if_it_had_not_been(tmp_path, capsys, monkeypatch, form, after):
    monkeypatch.chdir(tmp_path)

    def arguments(name):
        options = ["--format", form, "--games", "2", "--pgnout", f"{name}.jsonl", "--store", f"{name}.db", "--json"]
        return ["tournament", "connect_four", *PLAYERS, *options, "--out", name]

    assert main(arguments("whole")) == 0
    killed = subprocess.run([sys.executable, "-c", DYING, str(after), *arguments("parts")], capture_output=True)
    assert killed.returncode == -9
    before = Path("parts.jsonl").read_bytes() if Path("parts.jsonl").exists() else b""
    assert Path("whole.jsonl").read_bytes().startswith(before)
    Path("parts.jsonl").write_bytes(before[: len(before) * 2 // 3])  # a write that did not get there
    assert main(arguments("parts")) == 0
    assert Path("parts.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    whole, parts = (json.loads(Path(name, "results.json").read_text()) for name in ("whole", "parts"))
    for one in (whole, parts):
        del one["played"]
    assert whole == parts
    assert Path("parts/games.csv").read_text() == Path("whole/games.csv").read_text()
    assert main(arguments("parts")) == 0  # all has been played
    assert Path("parts.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    capsys.readouterr()


def test_games_are_there_while_it_runs_and_name_faults(tmp_path):
    chess, path = games.make("chess"), tmp_path / "games.pgn"
    config = TournamentConfig(games=4, openings="random:2", limits=Limits(clock="move=1ms"))
    seen = []
    with Store(str(tmp_path / "games.db")) as store:
        tournament = Tournament(chess, {"random": "random", "one": "one-ply"}, config)
        file = GameFile(path, chess, store, tournament.begin(store), config.limits)

        def follow(records, total):
            file.catch_up()
            seen.append(path.read_text().count("[Event "))

        records = tournament.run(follow, store).records
        tournament.close()
    assert seen == sorted(seen)
    assert seen[-1] == 4
    text = path.read_text()
    late = sum(record.verdict.reason == "late" for record in records)
    assert text.count('[Termination "time forfeit"]') == text.count('[TerminationDetails "late: ') == late


def test_a_file_of_other_games_is_left_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("other.jsonl").write_text("mine\n")
    command = ["tournament", "connect_four", "random", "one-ply", "--games", "2", "--pgnout"]
    assert main([*command, "other.jsonl"]) == 2
    assert "other.jsonl holds other games than this tournament's" in capsys.readouterr().err
    assert Path("other.jsonl").read_text() == "mine\n"
    assert main([*command, "games.pgn"]) == 2
    assert "games.pgn: games of connect_four are written as .jsonl" in capsys.readouterr().err
    assert main([*command, "nowhere/games.jsonl"]) == 2
    assert "nowhere/games.jsonl cannot be written: No such file" in capsys.readouterr().err


def test_games_that_nobody_wins_or_of_many_have_no_knockout():
    for name, message in (("hanabi", "nobody wins"), ("tron:players=3", "of games of 2 players, not of 3")):
        with pytest.raises(UsageError, match=message):
            run_tournament(
                games.make(name), {"a": "random", "b": "random", "c": "random"}, TournamentConfig("knockout")
            )
