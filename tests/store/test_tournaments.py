"""Tournaments and their store: killed and gone on with on a server; refused where games cannot be kept."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.store import Selection, Store
from arena.store.schema import VERSION

pytestmark = pytest.mark.full

COMMAND = [sys.executable, "-m", "arena", "tournament", "connect_four", "random", "one-ply", "alphabeta:5"]
OPTIONS = ["--games", "8", "--openings", "random:3"]
GAMES = 24


def tables(folder: Path, *options: str) -> list[str]:
    """Ratings and games of a tournament that ran to its end."""
    words = [*COMMAND, *OPTIONS, "--out", "results", *options]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [(folder / "results" / name).read_text() for name in ("ratings.csv", "games.csv")]


@pytest.mark.slow("kills it again and again")
def test_a_tournament_on_a_server_goes_on_after_a_kill(postgres, tmp_path):
    for name in ("left_alone", "killed"):
        (tmp_path / name).mkdir()
    expected = tables(tmp_path / "left_alone")
    url = postgres.new_database()
    child = subprocess.Popen([*COMMAND, *OPTIONS, "--store", url], cwd=tmp_path / "killed", stdout=subprocess.DEVNULL)
    with Store(url) as store:
        while len(store.matches()) < 4 and child.poll() is None:
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        before = {match.number: match for match in store.each_match()}
        assert len(before) % 2 == 0
        assert len(before) < GAMES
        assert tables(tmp_path / "killed", "--store", url) == expected
        after = {match.number: match for match in store.each_match()}
        assert len(after) == GAMES
        assert {number: after[number] for number in before} == before
        assert store.results(Selection(after[0].record.game)).games.sum() == GAMES


def newer(path: Path) -> str:
    with Store(path) as store, store._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE arena_schema SET version = {VERSION + 1}")
    return str(path)


def notes(path: Path) -> str:
    path.write_text("no database, but notes of more than a few words")
    return str(path)


@pytest.mark.parametrize(
    ("store", "message"),
    [
        (newer, f"store arena.db: it is a store of version {VERSION + 1}, written by a newer arena"),
        (notes, "store arena.db: it is not a store: the file is not an SQLite database"),
        (lambda path: "postgresql://ada:secret@127.0.0.1:1/arena", "Connection refused"),
        (lambda path: "postgresql://ada@nowhere.invalid/arena", "failed to resolve host 'nowhere.invalid'"),
        (lambda path: "ftp://arena", "store 'ftp://arena' is neither a path nor a URL like sqlite:///arena.db"),
    ],
)
def test_no_game_is_played_that_could_not_be_kept(tmp_path, monkeypatch, capsys, store, message):
    monkeypatch.chdir(tmp_path)
    words = ["--store", store(Path("arena.db"))]
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert main(["tournament", "connect_four", "random", "one-ply", "--out", "results", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("arena: store ")
    assert err.count("\n") == 1
    assert message in err
    assert "secret" not in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
