"""The table of figures: its lines, its continuation after an interruption, and what it refuses."""

import csv

import pytest

from arena.base.errors import UsageError
from arena.trainer import OffpolicyTrainer
from arena.trainer.base import Hooks, Schedule
from arena.trainer.csv_logger import CSVLogger
from tests.trainer.walk import Improver, collectors

PLAN = {"step_per_epoch": 16, "batch_size": 5, "step_per_collect": 8, "episode_per_test": 2}


def train(path, max_epoch: int, resume: bool, **options) -> list:
    policy, saved = Improver(), []
    hooks = Hooks(save_checkpoint_fn=lambda *told: saved.append(told))
    logger = CSVLogger(path, train_interval=1, update_interval=1, **options)
    schedule = Schedule(max_epoch=max_epoch, resume_from_log=resume, **PLAN)
    OffpolicyTrainer(policy, *collectors(policy), schedule, 0.25, hooks, logger).run()
    return saved


def test_what_is_written_can_be_read(tmp_path):
    path = tmp_path / "new" / "log.csv"
    train(path, 2, resume=False)
    with path.open(newline="") as file:
        rows = [(r["name"], int(r["step"]), float(r["value"])) for r in csv.DictReader(file)]
    told = {name: [row[1:] for row in rows if row[0] == name] for name, _, _ in rows}
    assert told["train/reward"] == [(8, 0.0), (16, 8.0), (24, 16.0), (32, 24.0)]
    assert told["test/reward"] == [(0, 0.0), (16, 16.0), (32, 32.0)]
    assert told["update/loss"] == [(step, 0.5) for step in range(1, 9)]
    assert told["save/env_step"] == [(16, 16.0), (32, 32.0)]


def test_lines_by_hand(tmp_path):
    logger = CSVLogger(tmp_path / "log.csv", update_interval=1)
    logger.log_update_data({"loss": [1.0, 2.0], "name, with a comma": 3}, 7)
    assert (tmp_path / "log.csv").read_text() == (
        "step_type,step,name,value\n"
        "update/gradient_step,7,update/loss,1.5\n"
        'update/gradient_step,7,"update/name, with a comma",3.0\n'
    )


def test_a_training_goes_on_from_its_log(tmp_path):
    path = tmp_path / "log.csv"
    assert train(path, 2, resume=False) == [(1, 16, 4), (2, 32, 8)]
    assert train(path, 4, resume=True) == [(3, 48, 12), (4, 64, 16)]
    assert train(path, 4, resume=True) == []
    assert path.read_text().count("step_type,step") == 1


def test_an_empty_log_is_a_beginning(tmp_path):
    (tmp_path / "log.csv").touch()
    assert train(tmp_path / "log.csv", 1, resume=True) == [(1, 16, 4)]


@pytest.mark.parametrize("cut", [1, 5, 20, 30, 60])
def test_wherever_writing_was_interrupted_whole_counters_come_back(tmp_path, cut):
    path = tmp_path / "log.csv"
    train(path, 2, resume=False)
    text = path.read_bytes()
    path.write_bytes(text[: len(text) - cut])
    logger = CSVLogger(path)
    assert path.read_bytes().endswith(b"\n")
    assert logger.restore_data() == (1, 16, 4)


@pytest.mark.parametrize(("interval", "epochs"), [(1, [1, 2, 3, 4]), (2, [1, 3])])
def test_checkpoints_may_be_some_epochs_apart(tmp_path, interval, epochs):
    saved = train(tmp_path / "log.csv", 4, resume=False, save_interval=interval)
    assert [epoch for epoch, _, _ in saved] == epochs


def test_somebody_elses_file_is_refused_and_kept(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b\n1,2")
    with pytest.raises(UsageError, match=r"mine\.csv is not a log of CSVLogger"):
        CSVLogger(path)
    assert path.read_text() == "a,b\n1,2"
