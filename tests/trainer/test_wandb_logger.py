"""`WandbLogger` without network: what it writes is read back from the file that W&B would upload."""

import argparse
import json
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import wandb
from wandb.proto import wandb_internal_pb2

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.trainer import OffpolicyTrainer, WandbLogger
from arena.trainer.base import Hooks, Schedule
from tests.trainer.foretold import told
from tests.trainer.walk import Improver, collectors

pytestmark = pytest.mark.full

PLAN = {"step_per_epoch": 16, "batch_size": 5, "step_per_collect": 8, "episode_per_test": 2, "verbose": False}
BLOCK = 32768  # of the log file: a header of 7 bytes, then records, each in parts that do not cross blocks


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    wandb.teardown()  # of a test elsewhere
    yield tmp_path
    if wandb.run is not None:
        wandb.run.finish()
    wandb.teardown()  # ends W&B's own process, which remembers the folder


def records(run_file: Path) -> Iterator[wandb_internal_pb2.Record]:
    """Everything in a run's file."""
    data, at, whole = run_file.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if (left := BLOCK - at % BLOCK) < 7:
            at += left
            continue
        length, kind = struct.unpack("<HB", data[at + 4 : at + 7])
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # a whole record, or the last part of one
            record = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            whole = b""
            yield record


def written(logger: WandbLogger) -> dict[str, list]:
    """After the run: what was logged, by name, and `config`, `metrics` and `artifacts`."""
    run_file = Path(logger.wandb_run.settings.sync_file)
    logger.wandb_run.finish()
    wandb.teardown()  # waits for what is still being written
    told: dict[str, list] = {"config": [], "metrics": [], "artifacts": []}
    for record in records(run_file):
        for item in record.history.item:
            told.setdefault("/".join([*item.nested_key] or [item.key]), []).append(json.loads(item.value_json))
        settings = [*record.run.config.update, *record.config.update]
        told["config"] += [
            ("/".join([*item.nested_key] or [item.key]), json.loads(item.value_json)) for item in settings
        ]
        if record.metric.glob_name:
            told["metrics"].append((record.metric.glob_name, record.metric.step_metric))
        if record.artifact.name:
            paths = [entry.path for entry in record.artifact.manifest.contents]
            told["artifacts"].append((record.artifact.name, json.loads(record.artifact.metadata), paths))
    return told


def train(folder: Path, max_epoch: int, resume: bool, **options) -> tuple[OffpolicyTrainer, list]:
    policy, saved = Improver(), []
    path = folder / "checkpoint.txt"

    def save(*counters):
        saved.append(counters)
        path.write_text(str(counters))
        return path

    hooks = Hooks(save_checkpoint_fn=save)
    logger = WandbLogger(train_interval=1, update_interval=1, run_id="abc", **options)
    trainer = OffpolicyTrainer(
        policy, *collectors(policy), Schedule(max_epoch=max_epoch, resume_from_log=resume, **PLAN), 0.25, hooks, logger
    )
    trainer.run()
    return trainer, saved


def test_figures_settings_and_checkpoints_are_in_the_runs_file(offline):
    config = argparse.Namespace(lr=0.5, task="walk")
    trainer, _ = train(offline, 2, resume=False, config=config, save_interval=1, name="first", project="walks")
    run = trainer.logger.wandb_run
    assert (run.name, run.project, run.id) == ("first", "walks", "abc")
    told = written(trainer.logger)
    assert list(zip(told["train/env_step"], told["train/reward"], strict=True)) == [(8, 0), (16, 8), (24, 16), (32, 24)]
    assert list(zip(told["test/env_step"], told["test/reward"], strict=True)) == [(0, 0), (16, 16), (32, 32)]
    assert (told["update/gradient_step"], told["update/loss"]) == ([1, 2, 3, 4, 5, 6, 7, 8], [0.5] * 8)
    assert dict(told["config"]).items() >= {"lr": 0.5, "task": "walk"}.items()
    assert told["metrics"] == [
        ("train/*", "train/env_step"),
        ("test/*", "test/env_step"),
        ("update/*", "update/gradient_step"),
        ("best/*", "best/epoch"),
    ]
    where = {"checkpoint_path": str(offline / "checkpoint.txt"), "folder": str(offline)}
    assert told["artifacts"] == [
        ("run_abc_checkpoint", {"save/epoch": epoch, "save/env_step": step, "save/gradient_step": grad} | where, [name])
        for epoch, step, grad, name in ((1, 16, 4, "checkpoint.txt"), (2, 32, 8, "checkpoint.txt"))
    ]


def test_a_training_goes_on_from_its_run(offline):
    first, saved = train(offline, 2, resume=False, save_interval=1)
    assert saved == [(1, 16, 4), (2, 32, 8)]
    first.logger.wandb_run.finish()
    second, saved = train(offline, 4, resume=True, save_interval=1)
    assert saved == [(3, 48, 12), (4, 64, 16)]
    assert second.logger.wandb_run.id == "abc"
    told = written(second.logger)
    assert told["train/env_step"] == [40, 48, 56, 64]
    assert told["test/env_step"] == [48, 64]


def test_a_worse_policy_never_takes_the_place_of_the_best():
    trainer, saved = told(WandbLogger(save_interval=1, run_id="abc"), 3, False, [1.5, 3.25, 7.125, 2.0])
    assert saved == [1.5, 3.25, 7.125]
    assert written(trainer.logger)["best/reward"] == [1.5, 3.25, 7.125]
    trainer, saved = told(WandbLogger(save_interval=1, run_id="abc"), 5, True, [6.0, 8.0])
    assert saved == [8.0]
    assert (trainer.at.best_reward, trainer.at.best_epoch) == (8.0, 5)


def test_checkpoints_are_some_steps_apart(offline):
    _, saved = train(offline, 4, resume=False, save_interval=32)
    assert saved == [(1, 16, 4), (3, 48, 12)]


def test_a_folder_is_uploaded_whole_and_counters_alone_are_enough(offline):
    (offline / "run").mkdir()
    for name in ("weights", "config"):
        (offline / "run" / name).write_text(name)
    logger = WandbLogger(run_id="abc", save_interval=1)
    logger.save_data(1, 10, 2, lambda *counters: offline / "run")
    logger.save_data(2, 20, 4, lambda *counters: None)
    assert logger.restore_data() == (2, 20, 4)
    told = written(logger)
    assert [(sorted(paths), data["folder"]) for _, data, paths in told["artifacts"]] == [
        (["config", "weights"], str(offline / "run"))
    ]


class Stored:
    """What W&B hands out of a checkpoint that was uploaded from another device."""

    def __init__(self, folder: Path, epoch: int):
        self.metadata = {"save/epoch": epoch, "save/env_step": 16 * epoch, "save/gradient_step": 4 * epoch}
        self.metadata |= {"checkpoint_path": str(folder / "weights"), "folder": str(folder)}

    def download(self, root: str) -> None:
        Path(root).mkdir()
        (Path(root) / "weights").write_text("from afar")


@pytest.mark.parametrize(("here", "restored"), [(0, 3), (2, 3), (3, 3), (5, 5)])
def test_the_newer_of_two_devices_checkpoints_counts(offline, monkeypatch, here, restored):
    logger = WandbLogger(run_id="abc", save_interval=1)
    if here:
        logger.save_data(here, 16 * here, 4 * here, lambda *counters: None)
    asked = []
    monkeypatch.setattr(type(logger.wandb_run), "offline", False)
    stored = Stored(offline / "afar", 3)
    monkeypatch.setattr(logger.wandb_run, "use_artifact", lambda name: asked.append(name) or stored)
    assert logger.restore_data() == (restored, 16 * restored, 4 * restored)
    assert asked == ["run_abc_checkpoint:latest"]
    assert (offline / "afar" / "weights").exists() == (here < 3)


def test_a_run_without_checkpoint_is_a_beginning_and_said_to_be(monkeypatch):
    logger = WandbLogger()
    monkeypatch.setattr(type(logger.wandb_run), "offline", False)  # nothing can be fetched all the same

    def missing(name):
        raise ValueError(f"artifact {name} not found")

    monkeypatch.setattr(logger.wandb_run, "use_artifact", missing)
    with pytest.warns(UserWarning, match=r"no checkpoint came from W&B: artifact run_.*_checkpoint:latest not found"):
        assert logger.restore_data() == (0, 0, 0)


def test_a_disabled_run_leaves_nothing_behind(offline, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "disabled")
    logger = WandbLogger(save_interval=1)
    logger.log_best(1, 2.0, 0.5)
    logger.save_data(1, 16, 4, lambda *counters: None)
    assert logger.restore_data() == (0, 0, 0)
    assert not [*offline.rglob("arena-*")]


def test_a_new_run_is_a_beginning():
    logger = WandbLogger()
    assert logger.restore_data() == (0, 0, 0)
    assert logger.restore_best() is None
    assert logger.wandb_run.project == "arena"


def test_a_run_under_way_is_used():
    run = wandb.init(id="mine")
    assert WandbLogger().wandb_run.id == run.id == "mine"
    with pytest.raises(UsageError, match=r"run 'mine' is under way: finish\(\) it to go on with run 'other'"):
        WandbLogger(run_id="other")


def test_settings_are_named():
    @dataclass
    class Config:
        lr: float = 0.25

    assert dict(written(WandbLogger(config=Config()))["config"])["lr"] == 0.25
    assert dict(written(WandbLogger(config={"lr": 0.125}))["config"])["lr"] == 0.125
    with pytest.raises(UsageError, match="config is a Namespace, a dataclass or a mapping, not int"):
        WandbLogger(config=3)


def test_without_wandb_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(UsageError, match=re.escape(f"WandbLogger needs wandb: {install_command('wandb')}")):
        WandbLogger()
