"""The settings of a run as TOML: written beside every run, and read again."""

import dataclasses
import math
import tomllib
from pathlib import Path

import pytest

from agents.configs.on_policy import PPOConfig
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.cli.train import options_for
from arena.training.league.config import LEAGUES, LeagueConfig, RunConfig
from arena.training.options import OfflineRunOptions
from arena.training.settings import SETTINGS, Settings, read_settings, settings_text

CONFIG = PPOConfig(eps_clip=0.3, max_grad_norm=None, recompute_advantage=True, learning_rate=1e-5)
LEAGUE = LeagueConfig(references=("mcts:400", 'external:"a b" --c'), self_play=0.5)


def written(folder: Path) -> Path:
    description = {
        "game": "tic_tac_toe",
        "options": {"m": 4, "n": 3, "k": 3},
        "algorithm": "ppo",
        "config": dataclasses.asdict(CONFIG),
        "run": {"steps": 77, "evaluation": ["random", "\x7f\u00e9\\\n"]},
        "league": dataclasses.asdict(LEAGUE),
        "origin": {"command": "arena"},
    }
    file = folder / SETTINGS
    file.write_text(settings_text(description), encoding="utf-8")
    return file


def test_what_is_written_is_read_again(tmp_path):
    settings = read_settings(written(tmp_path))
    assert (settings.task, settings.algo) == ("tic_tac_toe:m=4,n=3,k=3", "ppo")
    assert settings.applied_to("config", PPOConfig(max_grad_norm=None)) == CONFIG
    assert settings.applied_to("league", LEAGUES["past"]) == LEAGUE
    run = settings.applied_to("run", RunConfig(seed=5))
    assert run == RunConfig(seed=5, steps=77, evaluation=("random", "\x7f\u00e9\\\n"))
    assert Settings().applied_to("run", run) == run


def test_infinite_numbers_and_paths_are_read(tmp_path):
    text = settings_text({"game": "g", "options": {}, "algorithm": "a", "run": {"x": math.inf}})
    assert math.isinf(tomllib.loads(text)["run"]["x"])
    (tmp_path / "a.toml").write_text('[run]\ndata = "x.hdf5"\n')
    assert read_settings(tmp_path / "a.toml").applied_to("run", OfflineRunOptions()).data == Path("x.hdf5")


def test_options_on_the_command_line_go_before_those_of_the_file(tmp_path):
    options = options_for(["--config", str(written(tmp_path)), "--league", "naive"])()
    assert (options.task, options.algo, options.run.steps) == ("tic_tac_toe:m=4,n=3,k=3", "ppo", 77)
    assert options.config.eps_clip == 0.3
    assert options.league == LEAGUES["naive"], "a preset that is named takes the place of the file's league"
    assert options_for([f"--config={written(tmp_path)}"])().league == LEAGUE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task = 3", "task is 3, not text"),
        ("[run]\nstepz = 3", "run.stepz is no option: known are out, resume, seed, steps"),
        ('[run]\nsteps = "many"', "run.steps is 'many', not a whole number"),
        ("[run]\nsteps = 0", "steps=0 is not at least 1"),
        ("[config]\neps_clip = -1.0", "eps_clip=-1.0 is not above 0"),
        ("run = 3", "run is 3, not"),
        ("[origin]\na = 1", "origin is no setting: known are task, algo, run, config, league"),
        ("task = ", "is not TOML: "),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_the_file(text, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text(text)
    assert main(["train", "tic_tac_toe", "ppo", "--config", "bad.toml"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "bad.toml" in line
    assert message in line
    assert [file.name for file in tmp_path.iterdir()] == ["bad.toml"]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: No such file"):
        read_settings(tmp_path / "none.toml")


@pytest.mark.full
def test_a_run_from_the_settings_of_another_is_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "train tic_tac_toe pg --steps 256 --snapshots 1 --boards 8 --moves 8 --evaluation-games 2 --hidden 8"
    assert main([*words.split(), "--channels", "0", "--threads", "1", "--seed", "4", "--out", "a"]) == 0
    assert main(["train", "--config", "a/config.toml", "--threads", "1", "--out", "b", "--logger", "csv"]) == 0
    files = [Path(run, "snapshot-0001", "weights.safetensors").read_bytes() for run in "ab"]
    assert files[0] == files[1]
    assert Path("a", SETTINGS).read_text() == Path("b", SETTINGS).read_text()
    assert main(["train", "--config", "a/config.toml", "--threads", "1", "--out", "c", "--seed", "5"]) == 0
    assert Path("c/snapshot-0001/weights.safetensors").read_bytes() != files[0]
