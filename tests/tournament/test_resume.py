"""However a tournament ends, the same command goes on with it, and comes to the same results."""

import io
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import games
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.ladder import find_ladders
from arena.tournament.tournament import Tournament, run_tournament

pytestmark = pytest.mark.full

COMMAND = [sys.executable, "-m", "arena", "tournament", "connect_four", "random", "one-ply", "alphabeta:5"]
OPTIONS = ["--games", "12", "--openings", "random:3"]
PLAYERS = {"random": "random", "one": "one-ply", "deep": "alphabeta:5"}
CONFIG = TournamentConfig(games=8, openings="random:3")
CONNECT_FOUR = games.make("connect_four")
GAMES = 36
FAILING = """
import os, signal, sys
from arena.store import Store
from arena.cli.main import main
when, left = sys.argv[1], int(sys.argv[2])
add = Store.add_games
def dies(self, run, played):
    global left
    left -= 1
    if left or when == "after":
        add(self, run, played)
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
Store.add_games = dies
main(sys.argv[3:])
"""


def tables(folder: Path) -> list[str | dict]:
    """What a tournament has left behind, but for the time of day."""
    results = json.loads((folder / "results.json").read_text())
    assert results["played"].pop("begun") <= results["played"].pop("ended")
    return [*((folder / name).read_text() for name in ("ratings.csv", "games.csv")), results]


def run(folder: Path, *options: str) -> tuple[int, str]:
    """Run the command in this process; return its status and what it says of errors."""
    with chdir(folder), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
        status = main([*COMMAND[3:], *OPTIONS, *options])
    return status, errors.getvalue()


def stored(folder: Path) -> int:
    """How many games a store has."""
    try:
        with sqlite3.connect(f"file:{folder}/runs/arena.db?mode=ro", uri=True) as connection:
            return connection.execute("select count(*) from matches").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    assert run(folder, "--out", "results") == (0, "")
    return tables(folder / "results")


def finish(folder: Path, expected: list[str | dict]) -> None:
    """The same command once more: it plays the rest, whole pairs are there before, and nothing is there twice."""
    before = stored(folder)
    assert before % 2 == 0
    assert run(folder, "--out", "results") == (0, "")
    assert tables(folder / "results") == expected
    assert stored(folder) == GAMES


@pytest.mark.slow("kills it again and again")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_tournament_that_is_stopped_goes_on(tmp_path, expected, number, status):
    command = [*COMMAND, *OPTIONS, "--workers", "2"]
    child = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while stored(tmp_path) < 6 and child.poll() is None:
        time.sleep(0.005)
    os.kill(child.pid, number)
    out, err = child.communicate()
    assert child.returncode == status
    again = f"arena tournament {' '.join(COMMAND[4:] + OPTIONS)} --workers 2"
    assert f"If this ends early, resume it with\n  {again}\n" in out
    if number == signal.SIGINT:
        assert err == f"\nThe games so far are kept; resume with\n  {again}\narena: interrupted\n"
    assert stored(tmp_path) < GAMES
    finish(tmp_path, expected)


FAILING_TO_WRITE = """
import os, signal, sys
from pathlib import Path
from arena.cli.main import main
left = -1
def dies(name):
    whole = getattr(Path, name)
    def dying(self, *arguments, **options):
        global left
        left -= "results" in str(self)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(self, *arguments, **options)
    setattr(Path, name, dying)
for name in ("mkdir", "open", "replace", "unlink"):
    dies(name)
main(sys.argv[1:-2])  # which plays the games: what follows writes results of what is stored
for moment in range(1, 40, 2):
    if (child := os.fork()) == 0:
        left = moment
        os._exit(main(sys.argv[1:]))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print("moment", moment, "status", status, flush=True)
    if status != -signal.SIGKILL:
        break
"""


@pytest.mark.slow("kills it again and again")
def test_whatever_kills_it_while_it_writes_its_results_the_same_command_writes_them(tmp_path, expected):
    """At every other file that it touches, each time in a process that goes on with what the last one has left."""
    command = [sys.executable, "-c", FAILING_TO_WRITE, *COMMAND[3:], *OPTIONS, "--out", "results"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    *killed, last = re.findall(r"^moment \d+ status (-?\d+)", said, re.MULTILINE)
    assert set(killed) == {str(-signal.SIGKILL)}
    assert len(killed) >= 5
    assert last == "0"
    finish(tmp_path, expected)
    assert not [path for path in (tmp_path / "results").iterdir() if path.name.startswith(".")]


def test_results_of_another_tournament_are_left_alone(tmp_path, expected):
    finish(tmp_path, expected)
    status, said = run(tmp_path, "--out", "results", "--seed", "1")
    assert (status, stored(tmp_path)) == (2, GAMES)
    assert said.startswith("arena: results is not empty; choose another folder")
    assert tables(tmp_path / "results") == expected


@pytest.mark.slow("kills it again and again")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_machine_that_dies_at_the_moment_of_writing_loses_and_repeats_nothing(tmp_path, expected, when):
    command = [sys.executable, "-c", FAILING, when, "5", *COMMAND[3:], *OPTIONS]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert 0 < stored(tmp_path) < GAMES
    finish(tmp_path, expected)


def test_a_full_disk_is_told_in_a_line_and_the_rest_is_played_later(tmp_path, expected):
    def little_space():
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    short = subprocess.run(
        [*COMMAND, *OPTIONS], cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=little_space
    )
    assert short.returncode == 2, short.stderr
    assert short.stderr.startswith("arena: store ")
    assert short.stderr.count("\n") == 1
    finish(tmp_path, expected)


def test_a_locked_store_is_told_in_a_line(tmp_path):
    path = tmp_path / "arena.db"
    Store(path).close()
    with sqlite3.connect(path) as other, Store(path, wait_s=0.1) as store:
        other.execute("begin immediate")
        with pytest.raises(UsageError, match=r"arena\.db"):
            run_tournament(CONNECT_FOUR, PLAYERS, CONFIG, store=store)
        other.rollback()
        assert len(run_tournament(CONNECT_FOUR, PLAYERS, CONFIG, store=store).records) == 24


def test_a_store_that_is_damaged_is_told_in_a_line(tmp_path):
    (tmp_path / "runs").mkdir()
    Store(tmp_path / "runs" / "arena.db").close()
    with (tmp_path / "runs" / "arena.db").open("r+b") as file:
        file.truncate(5000)
    status, said = run(tmp_path)
    assert status == 2
    assert said.startswith("arena: store runs/arena.db")
    assert said.count("\n") == 1


@pytest.fixture
def key():
    def key(players=PLAYERS, game=CONNECT_FOUR, **options):
        tournament = Tournament(game, players, TournamentConfig(**options))
        try:
            return tournament.key
        finally:
            tournament.close()

    return key


def test_the_key_tells_tournaments_apart_by_what_fixes_their_games(key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("1 2\n")
    Path("b.txt").write_text("1 3\n")
    keys = [
        key(),
        key(seed=1),
        key(games=42),
        key(format="gauntlet"),
        key(openings="random:3"),
        key(openings="file:a.txt"),
        key(openings="file:b.txt"),
        key(players=PLAYERS | {"deep": "alphabeta:6"}),
        key(players={name: PLAYERS[name] for name in reversed(PLAYERS)}),
        key(game=games.make("connect_four", rows=5)),
    ]
    assert len(set(keys)) == len(keys)
    assert key() == key(anchor="random") == keys[0]


def test_two_tournaments_share_a_store(tmp_path):
    with Store(tmp_path / "arena.db") as store:
        first = run_tournament(CONNECT_FOUR, PLAYERS, CONFIG, store=store)
        second = run_tournament(
            CONNECT_FOUR, PLAYERS, TournamentConfig(games=8, openings="random:3", seed=1), store=store
        )
        assert run_tournament(CONNECT_FOUR, PLAYERS, CONFIG, store=store).records == first.records
        assert len(list(store.each_match())) == len(first.records) + len(second.records)
        (ladder,) = find_ladders(store, CONNECT_FOUR)
    assert set(ladder.table.names) == set(PLAYERS)
    assert ladder.table.games == len(first.records) + len(second.records)


def test_a_finished_tournament_is_not_played_again(tmp_path):
    with Store(tmp_path / "arena.db") as store:
        first = run_tournament(CONNECT_FOUR, PLAYERS, CONFIG, store=store)
        asked = []
        again = run_tournament(CONNECT_FOUR, PLAYERS, CONFIG, lambda *news: asked.append(news), store=store)
    assert asked == []
    assert again.records == first.records


@pytest.mark.slow("kills it again and again")
@pytest.mark.parametrize(("format", "workers"), [("gauntlet", 1), ("swiss", 1), ("sprt", 1), ("swiss", 2)])
def test_every_format_goes_on_from_any_moment(tmp_path, format, workers):
    players = {"deep": "alphabeta:5", "one": "one-ply"} if format == "sprt" else PLAYERS | {"other": "alphabeta:6"}
    config = TournamentConfig(format=format, games=400 if format == "sprt" else 4, openings="random:3")
    expected = run_tournament(CONNECT_FOUR, players, config)
    moments = [3, 2][: 3 - workers]  # reports of progress that a run lives for, the one of its beginning included

    def stop(records, total):
        moments[0] -= 1
        if not moments[0]:
            raise KeyboardInterrupt

    with Store(tmp_path / "arena.db") as store:
        while moments:
            with pytest.raises(KeyboardInterrupt):
                run_tournament(CONNECT_FOUR, players, config, stop, workers=workers, store=store)
            moments.pop(0)
        assert 0 < len(list(store.each_match())) < len(expected.records)
        result = run_tournament(CONNECT_FOUR, players, config, workers=workers, store=store)
        assert len(list(store.each_match())) == len(result.records)
    assert (result.records, result.sprt) == (expected.records, expected.sprt)
