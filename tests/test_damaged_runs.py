"""Folders of runs and checkpoints that are damaged, or made with ill will: one line, status 2, and nothing changed."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from arena.cli.main import main
from tests.damage import (
    ANY_JSON,
    NASTY,
    as_link,
    contents,
    flips,
    put,
    refusal,
    rehashed,
    require_one_line,
    twice,
    without,
)
from tests.training.league.small import words

pytestmark = pytest.mark.full

TINY = {"steps": 600, "snapshots": 1}
LONGER = {"steps": 1200, "snapshots": 2}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small finished run of each algorithm, with all that those who watch are told."""
    folder = tmp_path_factory.mktemp("finished")
    for algo in ("ppo", "dqn"):
        assert main(words(algo, folder / algo, **TINY)) == 0
    return folder


@pytest.fixture
def place(finished, tmp_path, monkeypatch):
    """A folder to work in, with copies of those runs."""
    for algo in ("ppo", "dqn"):
        shutil.copytree(finished / algo, tmp_path / algo)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def resume(algo: str = "ppo") -> list[str]:
    return [*words(algo, Path(algo), **LONGER), "--resume"]


AGENT = ["tournament", "tic_tac_toe", "random", "ppo:ppo", "--games", "2", "--store", "none.db"]
SNAPSHOT = Path("ppo/snapshot-0001")

RUN = ANY_JSON | {
    "run is text": put("long", "run"),
    "twice": twice("game"),
    "other steps": put("many", "run", "steps"),
    "a list of algorithms": put([], "algorithm"),
    "a game that gives orders": put(NASTY, "game"),
}
STATE = ANY_JSON | {
    "no epoch": without("league"),
    "league is a list": put([], "league"),
    "students are text": put("main", "students"),
    "a negative gradient step": put(-1, "students", "main", "gradient_step"),
    "text for a gradient step": put("1", "students", "main", "gradient_step"),
    "no plan": without("students", "main", "plan"),
    "labels beyond the league": put([0, 99], "students", "main", "plan", "labels"),
    "no such learner": put({}, "students"),
    "a result that is no number": put([1, 2, None], "students", "main", "results", "random"),
    "turns that are text": put("1", "league", "learners", 0, "turns"),
    "negative turns": put(-1, "league", "learners", 0, "turns"),
    "a name that leads out": put("../main", "league", "members", 0, "name"),
    "a folder that leads out": put("/etc", "league", "members", 0, "folder"),
    "no hash": put("", "league", "members", 0, "sha256"),
    "twice": twice("epoch"),
    "another hash of the arrays": put("0" * 64, "sha256"),
}
LEAGUE = ANY_JSON | {
    "another format": put(3, "format"),
    "members are text": put("many", "members"),
    "an unknown field": put(1, "members", 0, "extra"),
    "an unknown role": put("king", "members", 0, "role"),
    "wins that are text": put("1", "evaluation", "main-0001", "random", "wins"),
    "negative wins": put(-1, "evaluation", "main-0001", "random", "wins"),
    "ratings of three": put([1, 2, 3], "ratings", "main-0001"),
    "an absurd step": put(10**40, "step"),
    "no learners": without("learners"),
    "twice": twice("format"),
}
CONFIG = ANY_JSON | {
    "another format": put(3, "format"),
    "config is a list": put([], "config"),
    "no hash": put("", "sha256"),
    "many units": put(10**12, "config", "hidden"),
    "very many units": put(2**62, "config", "hidden"),
    "more units than are there": put(100_000, "config", "hidden"),
    "units that are text": put("64", "config", "hidden"),
    "an unknown field": put(1, "config", "extra"),
    "out of range": put(-1.0, "config", "learning_rate"),
    "true for a number": put(True, "config", "hidden"),
    "an unknown field that gives orders": put(1, "config", NASTY),
    "twice": twice("game"),
}


@pytest.mark.parametrize("damage", RUN.values(), ids=RUN)
def test_what_was_asked_for(place, capsys, damage):
    damage(place / "ppo" / "run.json")
    refusal(capsys, place, *resume())


@pytest.mark.parametrize("damage", STATE.values(), ids=STATE)
def test_the_state_to_go_on_from(place, capsys, damage):
    damage(place / "ppo" / "training" / "state.json")
    refusal(capsys, place, *resume())


@pytest.mark.parametrize("damage", LEAGUE.values(), ids=LEAGUE)
def test_the_league(place, capsys, damage):
    damage(place / "ppo" / "league.json")
    refusal(capsys, place, "league", "ppo")


@pytest.mark.parametrize("damage", CONFIG.values(), ids=CONFIG)
def test_the_description_of_a_checkpoint(place, capsys, damage):
    damage(place / SNAPSHOT / "config.json")
    refusal(capsys, place, *AGENT)


@pytest.mark.parametrize("damage", ANY_JSON.values(), ids=ANY_JSON)
def test_a_status_that_cannot_be_read_hides_no_run(place, capsys, damage):
    damage(place / "ppo" / "live" / "status.json")
    assert main(["runs", "--runs", "."]) == 0
    assert "ppo" in capsys.readouterr().out


STATUSES = {
    "text for steps": put("many", "step"),
    "a list of scores": put([1], "evaluation"),
    "an absurd time": put(1e300, "time"),
    "an unknown state": put("asleep", "state"),
    "orders": put(NASTY, "evaluation", NASTY),
    "a negative pid": put(-1, "pid"),
}


@pytest.mark.parametrize("damage", STATUSES.values(), ids=STATUSES)
def test_a_status_of_wrong_types_hides_no_run(place, capsys, damage):
    damage(place / "ppo" / "live" / "status.json")
    assert main(["runs", "--runs", "."]) == 0
    assert "ppo" in capsys.readouterr().out


# --- weights and arrays ---------------------------------------------------------------------------------------------


def with_weights(change):
    """Change the tensors of a snapshot, which looks as if it had been saved so."""

    def damage(folder: Path) -> str:
        tensors = load((folder / "weights.safetensors").read_bytes())
        name = sorted(tensors)[0]
        change(tensors, name)
        rehashed(folder, "weights.safetensors", "config.json", save(tensors))
        return name

    return damage


def set_entry(value: float):
    def change(tensors, name):
        array = tensors[name].copy()
        array.reshape(-1)[0] = value
        tensors[name] = array

    return change


WEIGHTS = {
    "NaN": with_weights(set_entry(np.nan)),
    "infinite": with_weights(set_entry(np.inf)),
    "of double precision": with_weights(lambda t, n: t.update({n: t[n].astype(np.float64)})),
    "of another shape": with_weights(lambda t, n: t.update({n: t[n].reshape(-1)[:1]})),
    "missing": with_weights(lambda t, n: t.pop(n)),
}


@pytest.mark.parametrize("damage", WEIGHTS.values(), ids=WEIGHTS)
def test_weights_are_refused_by_name(place, capsys, damage):
    name = damage(place / SNAPSHOT)
    assert name in refusal(capsys, place, *AGENT)


def header_first(header: bytes, rest: bytes = b"") -> bytes:
    return len(header).to_bytes(8, "little") + header + rest


FILES = {
    "empty": b"",
    "cut": b"\x10",
    "an absurd length": b"\xff" * 8,
    "no header": header_first(b"[]"),
    "a deep header": header_first(b"[" * 50_000),
    "a tensor twice": header_first(
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},'
        b'"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}',
        b"\0" * 4,
    ),
    "an absurd tensor": header_first(
        b'{"a": {"dtype": "F32", "shape": [1000000000000], "data_offsets": [0, 4]}}', b"\0" * 4
    ),
    "overlapping": header_first(
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},'
        b'"b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}',
        b"\0" * 4,
    ),
    "orders": header_first(
        json.dumps({NASTY: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode(), b"\0" * 4
    ),
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_files_that_hold_no_weights(place, capsys, content):
    rehashed(place / SNAPSHOT, "weights.safetensors", "config.json", content)
    refusal(capsys, place, *AGENT)


def with_arrays(change):
    """Change the arrays of a state, which looks as if it had been saved so."""

    def damage(folder: Path) -> None:
        arrays = load((folder / "arrays.safetensors").read_bytes())
        change(arrays)
        rehashed(folder, "arrays.safetensors", "state.json", save(arrays))

    return damage


def named(arrays, *parts: str, kinds: str = "fiub") -> str:
    """The first array whose name has these parts, and whose type is of these kinds."""
    return next(n for n in sorted(arrays) if all(part in n for part in parts) and arrays[n].dtype.kind in kinds)


def at(value, *parts: str):
    """Set the first entry of an array whose name has these parts."""

    def change(arrays):
        name = named(arrays, *parts, kinds="f" if isinstance(value, float) else "fiub")
        array = np.array(arrays[name])
        array.reshape(-1)[0] = value
        arrays[name] = array

    return change


ARRAYS = {
    "NaN weights": at(np.nan, "main/weights/"),
    "a NaN of the optimizer": at(np.nan, "main/optimizers/", "exp_avg"),
    "an optimizer of other shapes": lambda a: a.update({named(a, "optimizers", "exp_avg"): np.zeros(3, np.float32)}),
    "no weights": lambda a: [a.pop(name) for name in list(a) if "weights/" in name],
    "double precision": lambda a: a.update({named(a, "weights/"): a[named(a, "weights/")].astype(np.float64)}),
    "no counters": lambda a: [a.pop(name) for name in list(a) if "counters/" in name],
    "a cursor that leads out": at(10**9, "counters/cursor"),
    "a negative fill": at(-5, "counters/fill"),
    "newest of another place": at(10**9, "counters/newest"),
    "no terminated": lambda a: a.pop(named(a, "storage/terminated")),
    "actions out of range": at(99, "storage/act"),
    "rewards that are NaN": lambda a: a.update(
        {named(a, "storage/rew"): np.full_like(a[named(a, "storage/rew")], np.nan)}
    ),
    "observations of another shape": lambda a: a.update(
        {named(a, "storage/obs/obs"): a[named(a, "storage/obs/obs")][..., :1]}
    ),
    "no boards": lambda a: [a.pop(name) for name in list(a) if "collector/env/" in name],
    "a seat that is none": at(7, "collector/env/seats"),
    "policies that are none": at(99, "manager/seated"),
    "boards of another size": lambda a: a.update({named(a, "env/states"): a[named(a, "env/states")][:1]}),
    "nothing": lambda a: a.clear(),
}


@pytest.mark.parametrize("change", ARRAYS.values(), ids=ARRAYS)
def test_arrays_that_do_not_fit(place, capsys, change):
    with_arrays(change)(place / "dqn" / "training")
    refusal(capsys, place, *resume("dqn"))


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_files_that_hold_no_arrays(place, capsys, content):
    rehashed(place / "ppo" / "training", "arrays.safetensors", "state.json", content)
    refusal(capsys, place, *resume())


# --- what a refused or a second training leaves alone ---------------------------------------------------------------


def test_a_lock_that_is_a_link_leaves_what_it_points_to(place, capsys):
    (place / "thesis.txt").write_text("chapter 1")
    lock = place / "ppo" / "live" / "lock"
    lock.unlink()
    lock.symlink_to(place / "thesis.txt")
    assert "link" in refusal(capsys, place, *resume())
    assert (place / "thesis.txt").read_text() == "chapter 1"


@pytest.mark.parametrize("name", ["live", "training"])
def test_a_part_of_a_run_that_is_a_link(place, capsys, name):
    as_link(place / "ppo" / name)
    assert f"{name} is a link" in refusal(capsys, place, *resume())


def test_figures_that_are_a_link_are_not_written_through(place, capsys):
    (place / "thesis.txt").write_text("chapter 1")
    figures = place / "ppo" / "live" / "figures.jsonl"
    figures.unlink()
    figures.symlink_to(place / "thesis.txt")
    assert main(resume()) == 2
    assert (place / "thesis.txt").read_text() == "chapter 1"


def test_a_run_that_another_process_trains_is_left_as_it_is(place, capsys):
    fcntl = pytest.importorskip("fcntl")
    with open(place / "ppo" / "live" / "lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "is being trained by another process" in refusal(capsys, place, *resume())


def test_a_run_that_is_whole_goes_on(place, capsys):
    assert main(resume()) == 0
    assert (place / "ppo" / "snapshot-0002").is_dir()
    assert json.loads((place / "ppo" / "run.json").read_text())["run"]["steps"] == LONGER["steps"]


# --- bytes as they come ---------------------------------------------------------------------------------------------


def quietly(arguments: list[str], capsys) -> None:
    """Run a command on something damaged: it does what it is to do, or refuses in one line."""
    status = main(arguments)
    said = capsys.readouterr().err
    assert status in (0, 2), said
    if status == 2:
        require_one_line(said)


@pytest.mark.parametrize(
    ("file", "count", "command"),
    [
        ("league.json", 60, ["league", "ppo"]),
        ("run.json", 40, ["runs", "--runs", "."]),
        ("live/status.json", 40, ["runs", "--runs", "."]),
        ("live/game.json", 20, ["runs", "--runs", "."]),
    ],
)
def test_changed_bytes_of_what_is_shown(place, capsys, file, count, command):
    path = place / "ppo" / file
    whole = path.read_bytes()
    for content in flips(whole, count, seed=1):
        path.write_bytes(content)
        quietly(command, capsys)


def test_changed_bytes_of_a_state_are_refused(place, capsys):
    """A change that is one of no meaning (a space) may pass; the run goes on then, in a copy of its own."""
    for number, name in enumerate(("state.json", "arrays.safetensors") * 12):
        shutil.rmtree(place / "copy", ignore_errors=True)
        shutil.copytree(place / "dqn", place / "copy")
        path = place / "copy" / "training" / name
        path.write_bytes(next(flips(path.read_bytes(), 1, seed=number)))
        before = contents(place)
        status = main([*words("dqn", Path("copy"), **TINY), "--resume"])
        said = capsys.readouterr().err
        assert status in (0, 2), said
        if status == 2:
            require_one_line(said)
            assert contents(place) == before


def test_changed_bytes_of_weights_are_refused(place, capsys):
    path = place / SNAPSHOT / "weights.safetensors"
    whole = path.read_bytes()
    for content in flips(whole, 40, seed=3):
        if content != whole:
            path.write_bytes(content)
            refusal(capsys, place, *AGENT)
