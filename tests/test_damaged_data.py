"""Files of transitions and stores that are damaged, or made with ill will: one line, status 2, and nothing changed."""

import json
import os
import sqlite3

import h5py
import numpy as np
import pytest

from arena.cli.main import main
from arena.policy.registry import make_game
from arena.store import Store
from arena.training.collecting import collect_transitions
from tests.damage import NASTY, as_device, as_folder, as_pipe, flips, refusal, require_one_line
from tests.store.records import GAME, schedule

pytestmark = pytest.mark.full

LEARN = ["train", "tic_tac_toe", "imitation", "--data", "games.hdf5", "--steps", "2", "--snapshots", "1"]
LEARN += ["--evaluation", "random", "--evaluation-games", "2", "--threads", "1", "--out", "run"]


@pytest.fixture(scope="module")
def transitions(tmp_path_factory):
    """A file of games."""
    path = tmp_path_factory.mktemp("data") / "games.hdf5"
    collect_transitions(make_game("tic_tac_toe"), "random", 60, 0.0, 2, seed=1)[0].save_hdf5(path)
    return path.read_bytes()


@pytest.fixture
def place(transitions, tmp_path, monkeypatch):
    """A folder to work in, with that file, and something that is nobody's business."""
    (tmp_path / "games.hdf5").write_bytes(transitions)
    with h5py.File(tmp_path / "secret.hdf5", "w") as file:
        file["secret"] = np.arange(1000)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replaced(name: str, make):
    """Put what `make(file, old)` gives in the place of a dataset, or nothing."""

    def damage(file: h5py.File) -> None:
        old = file[name][()]
        del file[name]
        made = make(file, old)
        if made is not None:
            file[name] = made

    return damage


def changed(name: str, value):
    """Set the first entry of a dataset."""

    def damage(file: h5py.File) -> None:
        file[name][(0,) * file[name].ndim] = value

    return damage


def virtual(file: h5py.File, old):
    layout = h5py.VirtualLayout(old.shape, old.dtype)
    layout[...] = h5py.VirtualSource("secret.hdf5", "secret", old.shape)
    file.create_virtual_dataset("storage/rew", layout)


def external(file: h5py.File, old):
    file.create_dataset("storage/rew", old.shape, old.dtype, external=[("secret.hdf5", 0, old.nbytes)])


def unwritten(chunks=None, compression=None):
    """Rewards of 800 GB, of which the file holds nothing."""

    def make(file: h5py.File, old):
        file.create_dataset("storage/rew", (10**11,), "f8", chunks=chunks, compression=compression)

    return replaced("storage/rew", make)


def one_text_for_all(file: h5py.File) -> None:
    """A text of a megabyte that stands for a million."""
    file.create_dataset("storage/texts", (10**6,), h5py.string_dtype(), fillvalue="x" * 2**20)


TRANSITIONS = {
    "an action out of range": changed("storage/act", 9),
    "a negative action": changed("storage/act", -1),
    "actions that are fractions": replaced("storage/act", lambda f, old: old.astype(float)),
    "no terminated": replaced("storage/terminated", lambda f, old: None),
    "terminated in numbers": replaced("storage/terminated", lambda f, old: old.astype(np.int64)),
    "no actions": replaced("storage/act", lambda f, old: None),
    "a reward that is NaN": changed("storage/rew", np.nan),
    "another done": changed("storage/done", True),
    "rewards as text": replaced("storage/rew", lambda f, old: np.full(old.shape, b"x")),
    "a virtual dataset": replaced("storage/rew", virtual),
    "an external dataset": replaced("storage/rew", external),
    "an external link": replaced("storage/rew", lambda f, old: h5py.ExternalLink("secret.hdf5", "secret")),
    "a soft link": replaced("storage/rew", lambda f, old: h5py.SoftLink("/storage/done")),
    "a circle": lambda f: f["storage"].__setitem__("loop", f["storage"]),
    "a bomb": unwritten((10**6,), 9),
    "nothing behind it": unwritten(),
    "one text for all": one_text_for_all,
    "masks of another width": replaced("storage/obs/mask", lambda f, old: old[:, :3]),
    "observations of another shape": replaced("storage/obs/obs", lambda f, old: old[:, :1]),
    "a cursor that leads out": changed("counters/cursor", 10**9),
    "fill of another type": replaced("counters/fill", lambda f, old: old.astype(float)),
    "no counters": lambda f: f.__delitem__("counters"),
    "no storage": lambda f: f.__delitem__("storage"),
    "an unknown key": lambda f: f["storage"].__setitem__("code", f["storage/rew"][()]),
    "sizes of nothing": lambda f: f.attrs.__setitem__("sizes", [0, 0]),
    "absurd sizes": lambda f: f.attrs.__setitem__("sizes", [2**62, 2**62]),
    "sizes as text": lambda f: f.attrs.__setitem__("sizes", "many"),
    "another version": lambda f: f.attrs.__setitem__("version", 9),
    "a version in text": lambda f: f.attrs.__setitem__("version", NASTY),
    "a class that gives orders": lambda f: f.attrs.__setitem__("class", NASTY),
    "a class that is a number": lambda f: f.attrs.__setitem__("class", 7),
    "deep options": lambda f: f.attrs.__setitem__("options", "[" * 30_000),
    "unknown options": lambda f: f.attrs.__setitem__("options", json.dumps({NASTY: 1})),
    "absurd options": lambda f: f.attrs.__setitem__("options", json.dumps({"stack_num": -1})),
    "options that are no text": lambda f: f.attrs.__setitem__("options", 7),
}


@pytest.mark.parametrize("damage", TRANSITIONS.values(), ids=TRANSITIONS)
def test_transitions(place, capsys, damage):
    with h5py.File(place / "games.hdf5", "r+") as file:
        damage(file)
    refusal(capsys, place, *LEARN)


@pytest.mark.parametrize("damage", [as_pipe, as_folder, as_device])
def test_what_is_no_file_of_transitions(place, capsys, damage):
    damage(place / "games.hdf5")
    refusal(capsys, place, *LEARN)


def test_changed_bytes_of_transitions(place, transitions, capsys):
    for number, content in enumerate(flips(transitions, 40, seed=5)):
        (place / "games.hdf5").write_bytes(content)
        status = main([*LEARN[:-1], f"run-{number}"])
        said = capsys.readouterr().err
        assert status in (0, 2), said
        if status == 2:
            require_one_line(said)


# --- stores ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of eight matches, all of it in one file."""
    with Store(tmp_path / "arena.db") as store:
        run = store.open_run("tournament", "key", GAME, {"games": 8}, ["ada", "bob"])
        store.add_games(run.id, schedule(8))
    connection = sqlite3.connect(tmp_path / "arena.db")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "arena.db"


MATCHES = ["matches", "--store", "arena.db"]
STORES = {
    "version 0": "UPDATE arena_schema SET version = 0",
    "version -5": "UPDATE arena_schema SET version = -5",
    "a version in text": "UPDATE arena_schema SET version = 'new'",
    "no version": "DELETE FROM arena_schema",
    "no matches": "DROP TABLE matches",
    "a negative seed": "UPDATE matches SET seed = -1",
    "a seed in text": "UPDATE matches SET seed = 'x'",
    "an absurd length": "UPDATE matches SET length = 1000000000000",
    "an opening that is too long": "UPDATE matches SET opening = 99",
    "a negative opening": "UPDATE matches SET opening = -1",
    "millions of moves": "UPDATE matches SET moves = zeroblob(30000000)",
    "moves in text": "UPDATE matches SET moves = 'e4'",
    "moves of no width": "UPDATE matches SET moves = x'09000000'",
    "times of no width": "UPDATE matches SET move_ms = x'09'",
    "a reason that is none": "UPDATE matches SET reason = 'boredom'",
    "a seat that is none": "UPDATE matches SET offender = 7",
    "a detail in bytes": "UPDATE matches SET detail = x'ff'",
    "an absurd time": "UPDATE matches SET added = 1e300",
    "a time in text": "UPDATE matches SET added = 'today'",
    "no players": "DELETE FROM seats",
    "returns in text": "UPDATE seats SET earned = 'all'",
    "returns that are infinite": "UPDATE seats SET earned = 9e999",
    "a name in bytes": "UPDATE players SET name = x'ff' WHERE id = 1",
    "a label in bytes": "UPDATE games SET label = x'ff'",
}


@pytest.mark.parametrize("sql", STORES.values(), ids=STORES)
def test_stores(store, capsys, sql):
    connection = sqlite3.connect(store)
    connection.execute(sql)
    connection.commit()
    connection.close()
    refusal(capsys, store.parent, *MATCHES)


LADDERS = {
    "a return in text": "UPDATE seats SET earned = 'good'",
    "a return beyond all numbers": "UPDATE seats SET earned = 9e999",
    "a player in text": "UPDATE seats SET player = 'ada' WHERE seat = 0",
    "a player who is not there": "UPDATE seats SET player = 4711 WHERE seat = 0",
    "a clock that is none": 'UPDATE runs SET config = \'{"limits": {"time_per_move": "soon"}}\'',
    "a configuration that is none": "UPDATE runs SET config = '7'",
}


@pytest.mark.parametrize("sql", LADDERS.values(), ids=LADDERS)
def test_ladders(store, capsys, sql):
    connection = sqlite3.connect(store)
    connection.execute(sql)
    connection.commit()
    connection.close()
    refusal(capsys, store.parent, "ladder", GAME.partition("(")[0], "--store", "arena.db")


@pytest.mark.parametrize("damage", [as_pipe, as_folder, as_device])
def test_what_is_no_store(store, capsys, damage):
    damage(store)
    refusal(capsys, store.parent, *MATCHES)


def test_changed_bytes_of_a_store(store, capsys):
    whole = store.read_bytes()
    for content in flips(whole, 80, seed=7):
        store.write_bytes(content)
        status = main(MATCHES)
        said = capsys.readouterr().err
        assert status in (0, 2), said
        if status == 2:
            require_one_line(said)


# --- files of games -------------------------------------------------------------------------------------------------

GAMES = {
    "matches.jsonl": ["matches", "--import", "matches.jsonl", "--store", "new.db"],
    "match.jsonl": ["replay", "match.jsonl", "--out", "out.jsonl"],
    "match.pgn": ["replay", "match.pgn", "--out", "out.jsonl"],
    "games.csv": ["rate", "games.csv"],
    "openings.txt": ["tournament", "tic_tac_toe", "random", "one-ply", "--openings", "file:openings.txt"],
}
NO_TEXT = {
    "a pipe": as_pipe,
    "a folder": as_folder,
    "a device": as_device,
    "sparse": lambda path: os.truncate(path, 2**42),
    "no UTF-8": lambda path: path.write_bytes(b"\xff\xfe"),
    "orders": lambda path: path.write_text(NASTY),
    "deep": lambda path: path.write_text("[" * 100_000),
}


@pytest.mark.parametrize("damage", NO_TEXT.values(), ids=NO_TEXT)
@pytest.mark.parametrize("name", GAMES)
def test_files_of_games(tmp_path, monkeypatch, capsys, name, damage):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("")
    damage(tmp_path / name)
    refusal(capsys, tmp_path, *GAMES[name])
