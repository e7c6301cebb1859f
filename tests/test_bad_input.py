"""Bad input to `arena train` and to everything that loads a checkpoint: one line, status 2, nothing changed."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from arena.cli.main import main
from tests.training.league.small import left_behind, training, words

pytestmark = pytest.mark.full

TINY = {"steps": 600, "snapshots": 1}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A small finished run of each algorithm."""
    folder = tmp_path_factory.mktemp("finished")
    for algo in ("ppo", "dqn"):
        training(algo, folder / algo, **TINY).train()
    return folder


@pytest.fixture
def place(runs, tmp_path, monkeypatch):
    """A folder to work in, with copies of those runs."""
    for algo in ("ppo", "dqn"):
        shutil.copytree(runs / algo, tmp_path / algo)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, folder, *arguments: str) -> str:
    """The one line with which a command refuses; nothing in the folder may change."""
    before = left_behind(folder), sorted(os.listdir(folder))
    assert main(list(arguments)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("arena: ")
    assert printed.err.count("\n") == 1
    assert (left_behind(folder), sorted(os.listdir(folder))) == before
    return printed.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "TASK and ALGO missing"),
        (["tic_tac_toe"], "ALGO missing"),
        (["tic_tac_to", "ppo"], "unknown game 'tic_tac_to'; did you mean 'tic_tac_toe'?"),
        (["tic_tac_toe:q=3", "ppo"], "unknown option of tic_tac_toe 'q'; known: k, m, n"),
        (["tic_tac_toe:m=99", "ppo"], "m=99 is not between 1 and 20"),
        (["tic_tac_toe", "pppo"], "unknown agent 'pppo'; did you mean 'ppo'?"),
        (["tic_tac_toe", "random"], "'random' plays but does not learn; 'arena agents' lists"),
        (["tic_tac_toe", "ppo", "--stepz", "5"], "did you mean --steps?"),
        (["tic_tac_toe", "dqn", "--channels", "5"], "Unrecognized options: --channels"),
        (["tic_tac_toe", "ppo", "--steps", "many"], "is no whole number"),
        (["tic_tac_toe", "ppo", "--steps", "0"], "--steps 0 is not at least 1"),
        (["tic_tac_toe", "ppo", "--steps", "5", "--snapshots", "20"], "--steps 5 are too few for --snapshots 20"),
        (["tic_tac_toe", "ppo", "--seed", "-1"], "--seed -1 is not at least 0"),
        (["tic_tac_toe", "ppo", "--threads", "-1"], "--threads -1 is not at least 0"),
        (["tic_tac_toe", "ppo", "--evaluation-games", "3"], "--evaluation-games 3 is not an even number"),
        (["tic_tac_toe", "ppo", "--learning-rate", "0"], "--learning-rate 0.0 is not above 0"),
        (["tic_tac_toe", "ppo", "--batch-size", "0"], "--batch-size 0 is not at least 1"),
        (["tic_tac_toe", "dqn", "--eps", "1.5"], "--eps 1.5 is not between 0 and 1"),
        (["tic_tac_toe", "ppo", "--matchmaker", "best"], "is none of 'uniform', 'latest', 'window', 'pfsp', "),
        (["tic_tac_toe", "ppo", "--self-play", "0.5", "--pool", "0.1"], "a share of 0.4 of the games has no opponent"),
        (["tic_tac_toe", "ppo", "--evaluation", "nobody"], "unknown agent 'nobody'"),
        (["tic_tac_toe", "ppo", "--self-play", "0", "--references", "dqn:none"], "no checkpoint at none"),
        (["tic_tac_toe", "ppo", "--out", "none", "--resume"], "there is no run to resume in none"),
        (["tic_tac_toe", "ppo", "--out", "ppo/run.json"], "a folder for a run cannot be made here (Not a directory)"),
        (["tic_tac_toe", "ppo", "--out", "ppo/run.json/x"], "a folder for a run cannot be made here (Not a directory)"),
    ],
)
def test_train(place, capsys, arguments, message):
    assert message in refused(capsys, place, "train", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "gym:CartPoll-v1", "dqn"], "gym:CartPoll-v1 cannot be made: Environment `CartPoll` doesn't exist"),
        (
            ["train", "gym:CartPole-v1", "sac"],
            "are 2 numbered ones: use discrete-sac",
        ),
        (["train", "gym:Pendulum-v1", "dqn"], "dqn is for numbered actions; these are continuous"),
        (["train", "gym:CartPole-v1", "dqn", "--boards", "3"], "Unrecognized options: --boards"),
        (["train", "gym:CartPole-v1", "dqn", "--device", "gpu"], "device 'gpu' cannot be used here"),
        (["train", "connect_four", "imitation"], "learns offline, from transitions in a file: give --data FILE"),
        (["train", "connect_four", "imitation", "--data", "none.hdf5"], "none.hdf5 is not a file"),
        (["train", "connect_four", "td3"], "these are 7 numbered ones: use a2c, "),
        (["collect", "connect_four", "random"], "--out"),
        (["collect", "connect_four", "random", "--out", "no/x.hdf5"], "no is not a folder to write x.hdf5 into"),
        (["collect", "connect_four", "random", "--out", "x.hdf5", "--random", "2"], "--random 2.0 is not between"),
        (["collect", "gym:CartPole-v1", "dqn:none", "--out", "x.hdf5"], "no checkpoint at none"),
        (
            ["collect", "gym:CartPole-v1", "random", "--out", "x.hdf5", "--random", "1"],
            "random moves is only for games",
        ),
    ],
)
def test_other_ways_to_train(place, capsys, arguments, message):
    assert message in refused(capsys, place, *arguments)


def test_the_whole_command_says_a_line_and_no_more(place):
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words("ppo", place / "ppo", **TINY)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    said = "holds a run already; resume it or make it longer with --resume, or choose another folder with --out"
    assert done.stderr == f"arena: {place / 'ppo'} {said}\n"


def test_a_folder_that_holds_anything_is_not_used(place, capsys):
    (place / "mine").mkdir()
    (place / "mine" / "thesis.txt").write_text("chapter 1")
    assert "mine is not empty and holds no run" in refused(capsys, place, *words("ppo", "mine", **TINY))
    assert (place / "mine" / "thesis.txt").read_text() == "chapter 1"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--hidden", "17", "--hidden 17 cannot change: the run in ppo has --hidden 16"),
        ("--seed", "4", "--seed 4 cannot change: the run in ppo has --seed 3"),
        ("--steps", "500", "--steps 500 would shorten the run in ppo, which has --steps 600"),
        ("--pool", "0.3", "--pool 0.3 cannot change: the run in ppo has --pool 0.4"),
        ("--references", "one-ply", "--references one-ply cannot change: the run in ppo has --references random"),
        ("--evaluation", "one-ply", "--evaluation one-ply cannot change: the run in ppo has --evaluation random"),
    ],
)
def test_a_run_goes_on_under_its_own_options_only(place, capsys, option, value, said):
    command = words("ppo", "ppo", **TINY)
    command[command.index(option) + 1] = value
    assert said in refused(capsys, place, *command, "--resume")


def test_a_run_goes_on_with_its_own_game_and_algorithm_only(place, capsys):
    command = words("ppo", "ppo", **TINY)
    command[1] = "tic_tac_toe:m=4"
    said = "options.m=4 cannot change: the run in ppo has options.m=3"
    assert said in refused(capsys, place, *command, "--resume")
    command[1] = "connect_four"
    said = "the run in ppo trains for tic_tac_toe:m=3,n=3,k=3, not for connect_four"
    assert said in refused(capsys, place, *command, "--resume")
    command[command.index("--steps") + 1] = "900"  # what it is comes before how long it is
    assert said in refused(capsys, place, *command, "--resume")
    other = words("dqn", "ppo", **TINY)
    assert "the run in ppo trains ppo, not dqn" in refused(capsys, place, *other, "--resume")


@pytest.mark.parametrize("file", ["run.json", "training/state.json", "training/arrays.safetensors"])
def test_a_run_whose_files_are_broken_does_not_go_on(place, capsys, file):
    content = (place / "ppo" / file).read_bytes()
    (place / "ppo" / file).write_bytes(content[: len(content) // 2])
    said = refused(capsys, place, *words("ppo", "ppo", **TINY), "--resume")
    assert f"ppo/{file} cannot be read" in said


def edited(path, **changed) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


def truncate(snapshot) -> None:
    weights = (snapshot / "weights.safetensors").read_bytes()
    (snapshot / "weights.safetensors").write_bytes(weights[:-7])


def tamper(snapshot) -> None:
    weights = bytearray((snapshot / "weights.safetensors").read_bytes())
    weights[-1] ^= 1
    (snapshot / "weights.safetensors").write_bytes(weights)


def settings(snapshot) -> dict:
    return json.loads((snapshot / "config.json").read_text())["config"]


DAMAGE = {
    "no folder": (shutil.rmtree, "no checkpoint at ppo"),
    "no description": (
        lambda s: (s / "config.json").unlink(),
        "no checkpoint at ppo/snapshot-0001",
    ),
    "no weights": (lambda s: (s / "weights.safetensors").unlink(), "weights.safetensors cannot be read"),
    "truncated": (truncate, "weights.safetensors has changed"),
    "empty": (
        lambda s: (s / "weights.safetensors").write_bytes(b""),
        "weights.safetensors has changed",
    ),
    "tampered": (
        tamper,
        "weights.safetensors has changed: its hash differs from that in config.json",
    ),
    "not JSON": (lambda s: (s / "config.json").write_text("{"), "config.json cannot be read"),
    "not text": (lambda s: (s / "config.json").write_bytes(b"\xff\xfe"), "config.json cannot be read"),
    "a list": (lambda s: (s / "config.json").write_text("[]"), "config.json is not a checkpoint of format 2"),
    "newer": (lambda s: edited(s / "config.json", format=3), "config.json is not a checkpoint of format 2 or older"),
    "unknown field": (
        lambda s: edited(s / "config.json", config=settings(s) | {"depth": 3}),
        "depth is no field: known are learning_rate, ",
    ),
    "bad value": (
        lambda s: edited(s / "config.json", config=settings(s) | {"discount_factor": 7}),
        "discount_factor=7 is not between 0 and 1",
    ),
    "another size": (
        lambda s: edited(s / "config.json", config=settings(s) | {"hidden": 9}),
        "the weights do not fit the network",
    ),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_checkpoint(place, capsys, case):
    damage, message = DAMAGE[case]
    damage(place / "ppo" / "snapshot-0001")
    for folder in ("ppo", "ppo/snapshot-0001"):
        spec = f"ppo:{folder}"
        assert message in refused(capsys, place, "tournament", "tic_tac_toe", spec, "random")
        assert message in refused(capsys, place, "train", "tic_tac_toe", "dqn", "--evaluation", spec)


@pytest.mark.parametrize(
    ("game", "agent", "message"),
    [
        ("tic_tac_toe", "dqn:ppo", "ppo/snapshot-0001 was trained with 'ppo', not 'dqn'"),
        ("connect_four", "ppo:ppo", "plays tic_tac_toe(m=3, n=3, k=3), not connect_four(rows=6, columns=7, k=4)"),
        ("tic_tac_toe:m=4,n=4", "ppo:ppo", "plays tic_tac_toe(m=3, n=3, k=3), not tic_tac_toe(m=4, n=4, k=3)"),
        ("tic_tac_toe:k=2", "dqn:dqn", "plays tic_tac_toe(m=3, n=3, k=3), not tic_tac_toe(m=3, n=3, k=2)"),
        ("tic_tac_toe", "ppo", "'ppo' needs a folder: ppo:runs/NAME"),
        ("tic_tac_toe", "ppo:dqn/run.json", "no checkpoint at dqn/run.json"),
        ("tic_tac_toe", "ppo:ppo/snapshot-0007", "no checkpoint at ppo/snapshot-0007"),
    ],
)
def test_a_checkpoint_of_something_else(place, capsys, game, agent, message):
    assert message in refused(capsys, place, "tournament", game, agent, "random")


def test_a_damaged_snapshot_is_not_needed_by_others(place, capsys):
    """What is broken is named; what is whole still plays."""
    tamper(place / "ppo" / "snapshot-0001")
    assert main(["tournament", "tic_tac_toe", "dqn:dqn", "random", "--games", "2", "--out", "results"]) == 0
    assert "dqn:dqn" in capsys.readouterr().out
