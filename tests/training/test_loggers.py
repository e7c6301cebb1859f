"""Where the curves of a training go, and what is noted of where it comes from."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from arena.base.cores import usable_cores
from arena.cli.main import main
from arena.training.live import LiveLogger, LiveRun, live
from arena.training.live_files import GAMES_SPEED, SPEED
from arena.training.loggers import (
    EVENTS,
    SEPARATE_STEPS,
    TABLE,
    WANDB_ID,
    as_table,
    open_logger,
    settings_of,
    update_interval,
)
from arena.training.options import LOGGER
from arena.training.stored import RunDescription
from tests.training.small import gym_run

pytestmark = pytest.mark.full
FIGURES = "lr", "kl", "clip_fraction", "explained_variance", "entropy", "grad_norm"


def trained(folder, logger, **options):
    """Train with a logger as `arena train` does; return the run."""
    training = gym_run("ppo", "CartPole-v1", folder, **options)
    with live(training) as run, open_logger(logger, training) as inner:
        training.set_logger(LiveLogger(run, inner))
        training.train(run.update)
    return training


def test_event_files_have_figures_settings_and_hyperparameters(tmp_path):
    last = trained(tmp_path / "run", "tensorboard", snapshots=1).trainer.at.last
    events = EventAccumulator(str(tmp_path / "run" / EVENTS))
    events.Reload()
    assert {f"update/{name}" for name in FIGURES} <= set(events.Tags()["scalars"])
    assert events.Scalars("update/lr")[0].value == pytest.approx(2.5e-3)
    assert 0 <= last["clip_fraction"] <= 1
    (text,) = events.Tensors("settings/text_summary")
    assert "| config/eps_clip | 0.2 |" in text.tensor_proto.string_val[0].decode()
    assert {"_hparams_/experiment", "_hparams_/session_start_info"} <= events.summary_metadata.keys()
    assert b"config/eps_clip" in events.summary_metadata["_hparams_/session_start_info"].plugin_data.content


def test_a_csv_file_has_a_line_for_each_figure(tmp_path):
    trained(tmp_path / "run", "csv", snapshots=1)
    with (tmp_path / "run" / TABLE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    values = {row["name"]: float(row["value"]) for row in rows}
    assert {f"update/{name}" for name in FIGURES} <= values.keys()
    assert values["update/lr"] == pytest.approx(2.5e-3)
    assert "score/return" in values
    assert sum(row["name"] == "update/lr" for row in rows) > 1, "every update of an on-policy algorithm is an entry"
    assert np.isfinite(list(values.values())).all()


def test_a_run_that_is_resumed_keeps_its_logger_unless_it_is_given_another(tmp_path, capsys):
    folder = tmp_path / "run"
    words = ["tic_tac_toe", "ppo", "--steps", "256", "--snapshots", "1", "--boards", "8", "--moves", "8"]
    words += ["--evaluation", "random", "--evaluation-games", "2", "--out", str(folder)]
    assert main(["train", *words, "--logger", "csv"]) == 0
    lines = (folder / TABLE).read_text().count("\n")
    assert main(["train", str(folder), "--resume", "--steps", "512"]) == 0
    assert (folder / TABLE).read_text().count("\n") > lines
    assert not (folder / EVENTS).exists()
    assert main(["train", str(folder), "--resume", "--steps", "768", "--logger", "tensorboard"]) == 0
    assert (folder / EVENTS).exists()
    assert RunDescription.read(folder).logger == "tensorboard"
    (folder / LOGGER).write_text("paper\x1b[2J")
    capsys.readouterr()
    assert main(["train", str(folder), "--resume", "--steps", "1024"]) == 2
    assert capsys.readouterr().err == f"arena: {folder / LOGGER} names no logger: tensorboard, csv or wandb\n"


def test_a_run_on_wandb_is_gone_on_with_under_its_number(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    trained(tmp_path / "run", "wandb", snapshots=1, steps=40)
    number = (tmp_path / "run" / WANDB_ID).read_text()
    trained(tmp_path / "run", "wandb", snapshots=2, steps=80, resume=True)
    assert (tmp_path / "run" / WANDB_ID).read_text() == number
    assert len(list(tmp_path.glob(f"wandb/offline-run-*-{number}"))) in (1, 2)
    assert (tmp_path / "run" / "snapshot-0002").is_dir(), "snapshots are written whatever the logger"


def test_without_an_account_wandb_is_refused_in_one_line(tmp_path):
    """In a process of its own: wandb keeps the mode of the first run of a process."""
    pytest.importorskip("wandb")
    own = {name: value for name, value in os.environ.items() if not name.startswith("WANDB_")}
    own |= {"NETRC": str(tmp_path / "netrc"), "HOME": str(tmp_path), "WANDB_DIR": str(tmp_path)}
    folder = tmp_path / "run"
    words = ["train", "tic_tac_toe", "ppo", "--steps", "256", "--snapshots", "1", "--out", str(folder)]
    command = [sys.executable, "-m", "arena", *words, "--logger", "wandb"]
    done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=120)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 2
    assert last.startswith("arena: Weights & Biases: No API key")
    assert last.endswith(f"; WANDB_MODE=offline needs no account; then: arena train {folder} --resume")
    assert RunDescription.read(folder).logger == "wandb", "which goes on with it"


def test_only_where_each_step_is_an_update_steps_are_left_out():
    assert update_interval({"algorithm": "ppo"}) == 1
    assert update_interval({"algorithm": "dqn"}) == SEPARATE_STEPS > 1


def test_speeds_are_those_between_the_first_and_the_last_moment(tmp_path):
    run = LiveRun(gym_run("pg", "CartPole-v1", tmp_path / "run"))
    assert run.speeds() == {}
    run._recent.extend([(10.0, 100, 5), (12.0, 250, 6), (14.0, 300, 9)])
    assert run.speeds() == {SPEED: 50.0, GAMES_SPEED: 1.0}


def test_a_run_says_where_it_comes_from_and_that_makes_no_difference(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/bin/arena", "train", "gym:X", "pg", "--out", "a b"])
    gym_run("pg", "CartPole-v1", tmp_path / "run", snapshots=1, steps=40).train()
    found = json.loads((tmp_path / "run" / "run.json").read_text())["origin"]
    assert found["command"] == "arena train gym:X pg --out 'a b'"
    assert torch.__version__.startswith(found["versions"]["torch"])  # PyPI leaves out what it was built for
    assert found["machine"]["cores"] == usable_cores()
    assert found["threads"] == torch.get_num_threads()
    monkeypatch.setattr(sys, "argv", ["another"])
    gym_run("pg", "CartPole-v1", tmp_path / "run", snapshots=2, steps=80, resume=True).train()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["origin"] == found


def test_settings_are_flat_and_bars_in_them_break_no_table(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"a": {"b": [1, 2], "c": None}, "d": "x|y", "e": 0.5}))
    settings = settings_of(tmp_path)
    assert settings == {"a/b": "1, 2", "a/c": "None", "d": "x|y", "e": 0.5}
    assert "| d | x&#124;y |" in as_table(settings)
