"""What a run was begun with is read from its folder, and is all that a resumed run needs to be told."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from arena.base.errors import CheckpointError, UsageError
from arena.cli.main import main
from arena.cli.train import options_for
from arena.policy.registry import make_game
from arena.training.league.config import LEAGUES, LeagueConfig, RunConfig, nearest_preset
from arena.training.league.scale import ScaleConfig
from arena.training.options import RESOURCES, GymRunOptions, OfflineRunOptions, describe_run
from arena.training.stored import RunDescription, lengthened
from tests.training.small import ALGORITHMS, tiny

GAME = make_game("tic_tac_toe", m=4)
RUN = RunConfig(seed=3, steps=600, snapshots=4, boards=8, evaluation=("random",), threads=1, device="cuda:1")


def written(folder: Path, config, options, **more) -> RunDescription:
    """A run folder with a description alone."""
    description = describe_run(GAME, "ppo", config, options) | more
    (folder / "run.json").write_text(json.dumps(description))
    return RunDescription.read(folder)


@pytest.mark.parametrize(
    "options",
    [RUN, GymRunOptions(environments=3, threads=2), OfflineRunOptions(data=Path("games.hdf5"), evaluation_games=6)],
    ids=["game", "gym", "offline"],
)
def test_options_of_a_run_are_read_back(options, tmp_path):
    stored = written(tmp_path, ALGORITHMS["ppo"].config(), options)
    assert stored.options("run", type(options)()) == options
    assert stored.task == "tic_tac_toe:m=4,n=3,k=3"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_configs_of_algorithms_are_read_back(name, tmp_path):
    config = tiny(ALGORITHMS[name])
    assert written(tmp_path, config, RUN).options("config", ALGORITHMS[name].config()) == config


def test_leagues_and_workers_are_read_back(tmp_path):
    league, scale = replace(LEAGUES["full"], references=("one-ply",), self_play=0.2), ScaleConfig("8", shares=4)
    resources = {"threads": 1, "device": "cpu"} | scale.resources()
    more = {"league": asdict(league), "scale": {"shares": 4, "ahead": False}, RESOURCES: resources}
    stored = written(tmp_path, ALGORITHMS["ppo"].config(), RUN, **more)
    assert stored.options("league", LeagueConfig()) == league
    assert stored.options("scale", ScaleConfig()) == scale
    assert nearest_preset(league) == "full"


def test_the_options_of_a_resumed_run_are_the_defaults(tmp_path):
    written(tmp_path, tiny(ALGORITHMS["ppo"]), RUN, league=asdict(LEAGUES["pfsp"]))
    options = options_for([str(tmp_path), "--resume"])()
    assert (options.task, options.algo) == ("tic_tac_toe:m=4,n=3,k=3", "ppo")
    assert options.run == replace(RUN, out=tmp_path)
    assert options.config == tiny(ALGORITHMS["ppo"])
    assert (options.league, options.league_name) == (LEAGUES["pfsp"], "pfsp")


@pytest.mark.parametrize(
    "words",
    [
        ["tic_tac_toe:m=4", "ppo", "--out", "RUN", "--resume"],
        ["tic_tac_toe:m=4", "ppo", "--resume", "--out=RUN"],
        ["--resume", "RUN"],
        ["RUN", "--resume"],
        ["--resume", "--out", "RUN"],
    ],
)
def test_a_run_is_named_in_any_of_these_ways(words, tmp_path):
    written(tmp_path, ALGORITHMS["ppo"].config(), RUN)
    options = options_for([word.replace("RUN", str(tmp_path)) for word in words])()
    assert options.run == replace(RUN, out=tmp_path)


@pytest.mark.parametrize(
    ("begun", "steps", "longer"),
    [
        ((400, 10), 800, (800, 20)),
        ((1_500_000, 20), 2_000_000, (2_025_000, 27)),  # to the next snapshot
        ((100, 7), 101, (200, 14)),  # whole steps apart only after seven
        ((600, 4), 600, (600, 4)),
    ],
)
def test_more_steps_alone_make_a_run_longer(begun, steps, longer):
    stored = replace(RUN, steps=begun[0], snapshots=begun[1])
    made = lengthened(replace(stored, steps=steps), stored)
    assert (made.steps, made.snapshots) == longer
    assert made.steps * stored.snapshots == stored.steps * made.snapshots


def test_a_run_is_not_made_shorter():
    with pytest.raises(UsageError, match="steps=500 would shorten the run in x, which has steps=600"):
        lengthened(replace(RUN, steps=500, out=Path("x")), RUN)


def test_a_description_of_something_else_is_refused(tmp_path):
    stored = written(tmp_path, ALGORITHMS["ppo"].config(), RUN, run={"steps": "many"})
    with pytest.raises(CheckpointError, match=r"run\.json is not the description of a run: steps is 'many'"):
        stored.options("run", RUN)
    with pytest.raises(CheckpointError, match="rooms is no field"):
        written(tmp_path, ALGORITHMS["ppo"].config(), RUN, league={"rooms": 1}).options("league", LeagueConfig())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hidden", "17"], "--hidden 17 cannot change: the run in RUN has --hidden 8"),
        (["--seed", "4"], "--seed 4 cannot change: the run in RUN has --seed 3"),
        (
            ["--steps", "80"],
            "--steps 80 would shorten the run in RUN, which has --steps 600",
        ),
        (["--evaluation", "one-ply"], "--evaluation one-ply cannot change: the run in RUN has --evaluation random"),
        (["--league", "full"], "--self-play 0.35 cannot change: the run in RUN has --self-play 0.8"),
        (["--ui", "--hidden", "17"], "--hidden 17 cannot change: the run in RUN has --hidden 8"),
    ],
)
def test_what_cannot_change_is_named_as_it_was_typed(words, said, tmp_path, capsys):
    written(tmp_path, tiny(ALGORITHMS["ppo"]), RUN, league=asdict(LeagueConfig()))
    assert main(["train", str(tmp_path), "--resume", *words]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"arena: {said.replace('RUN', str(tmp_path))}")
    assert line.count("\n") == 1
