"""Who plays the games makes no difference to them, and a worker that dies costs only time."""

import os
import signal
import subprocess
import sys

import pytest

import games
from arena.base.errors import UsageError
from arena.processes.tree import tree
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from tests.match.players import Lowest

pytestmark = pytest.mark.full

TIC_TAC_TOE = games.make("tic_tac_toe")
PLAYERS = {"random": "random", "one": "one-ply", "shallow": "alphabeta:2", "deep": "alphabeta:5"}
CONFIG = TournamentConfig(games=6, openings="random:2")


@pytest.fixture(scope="module")
def expected():
    return run_tournament(TIC_TAC_TOE, PLAYERS, CONFIG)


def test_games_do_not_depend_on_the_number_of_workers(expected):
    before = tree(os.getpid())
    result = run_tournament(TIC_TAC_TOE, PLAYERS, CONFIG, workers="2")
    assert result.records == expected.records
    assert [row.elo for row in result.standings.rows] == [row.elo for row in expected.standings.rows]
    assert set(tree(os.getpid())) <= set(before)


def test_no_more_workers_start_than_there_is_work_for():
    started = []

    def count(records, total):
        started.append(len(tree(os.getpid())) - len(before))

    before = tree(os.getpid())
    players = {"random": "random", "one": "one-ply"}  # one table of one block: one job
    run_tournament(TIC_TAC_TOE, players, CONFIG, count, workers=3)
    assert max(started) == 1


def test_a_killed_worker_costs_only_time(expected):
    killed = []

    def kill(records, total):
        if len(killed) < 2 and (workers := tree(os.getpid())[1:]):
            os.kill(workers[-1], signal.SIGKILL)
            killed.append(workers[-1])

    result = run_tournament(TIC_TAC_TOE, PLAYERS, CONFIG, kill, workers=2)
    assert len(killed) == 2
    assert result.records == expected.records


def test_a_job_that_no_worker_survives_ends_the_tournament_in_a_line_and_keeps_the_rest(faulty_agents, tmp_path):
    players = {"random": "random", "one": "one-ply", "bad": "faulty:exits"}
    config = TournamentConfig(games=4, openings="random:2")
    with Store(tmp_path / "arena.db") as store:
        with pytest.raises(
            UsageError, match=r"bad: the worker ended with status 3 in 3 tries to play games .* --memory"
        ):
            run_tournament(TIC_TAC_TOE, players, config, workers=2, store=store)
        kept = [match.record for match in store.each_match()]
    assert {record.players for record in kept} == {("random", "one"), ("one", "random")}
    assert len(kept) == 4


def test_what_an_agent_prevents_in_the_making_is_told_in_a_line(faulty_agents):
    with pytest.raises(UsageError, match="unknown agent 'nobody'"):
        run_tournament(TIC_TAC_TOE, {"a": "random", "b": "nobody"}, CONFIG, workers=2)


def test_policies_of_this_process_stay_here(tmp_path):
    players = {"low": Lowest(), "random": "random"}
    assert len(run_tournament(TIC_TAC_TOE, players, CONFIG).records) == 6
    with pytest.raises(UsageError, match=r"low is a Lowest of this process; .* give the spec of an agent"):
        run_tournament(TIC_TAC_TOE, players, CONFIG, workers=2)
    with (
        Store(tmp_path / "arena.db") as store,
        pytest.raises(UsageError, match="low is a Lowest of this process"),
    ):
        run_tournament(TIC_TAC_TOE, players, CONFIG, store=store)


@pytest.mark.parametrize(
    ("workers", "message"),
    [
        (0, "workers=0 is not at least 1"),
        (-2, "workers=-2 is not at least 1"),
        (100_000, "workers=100000 are more than 16 for each of the [0-9]+ cores of this machine"),
        ("few", "workers='few' is not a number, ray or ray://HOST:PORT"),
        ("ray://127.0.0.1:1", "no Ray cluster can be reached at ray://127.0.0.1:1: "),
        ("ray://nowhere.invalid:10001", "no Ray cluster can be reached at ray://nowhere.invalid:10001: "),
    ],
)
def test_workers_that_are_not_to_be_had_are_refused(workers, message):
    with pytest.raises(UsageError, match=message):
        run_tournament(TIC_TAC_TOE, PLAYERS, CONFIG, workers=workers)


def test_a_script_needs_no_guard_around_what_it_does(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import games\n"
        "from arena.tournament.config import TournamentConfig\n"
        "from arena.tournament.tournament import run_tournament\n"
        "config = TournamentConfig(games=2, openings='random:2')\n"
        "players = {'a': 'random', 'b': 'one-ply'}\n"
        "print(len(run_tournament(games.make('tic_tac_toe'), players, config, workers=2).records))\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2\n", "")
