"""A training that was interrupted goes on from its log and a checkpoint at the same step counts, its best kept."""

from pathlib import Path

import pytest
import torch
from torch.utils.tensorboard import SummaryWriter

from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv
from arena.trainer import BaseLogger, CSVLogger, OffpolicyTrainer, TensorboardLogger
from arena.trainer.base import Hooks, Schedule
from tests.trainer.foretold import told
from tests.trainer.walk import Improver, Walk

pytestmark = pytest.mark.full

PLAN = {"step_per_epoch": 16, "batch_size": 5, "step_per_collect": 8, "episode_per_test": 2, "verbose": False}


def csv(folder: Path, **options) -> BaseLogger:
    return CSVLogger(folder / "log.csv", 1, 1, 1, **options)


def tensorboard(folder: Path, **options) -> BaseLogger:
    return TensorboardLogger(SummaryWriter(str(folder)), 1, 1, 1, **options)


class Remembering(Improver):
    """Its number of updates is part of its state."""

    def get_extra_state(self):
        return {"updates": self.updates}

    def set_extra_state(self, state):
        self.updates = state["updates"]


class Interruption(Exception):
    pass


def train(folder: Path, resume: bool, interrupted_at: int | None = None) -> list[tuple]:
    """Four epochs, each saved; returns what was saved when, and the size of the buffer."""
    policy, saved = Remembering(), []
    buffer = VectorReplayBuffer(100, 2)
    if resume:
        policy.load_state_dict(torch.load(folder / "policy.pth"))
        buffer = VectorReplayBuffer.load_hdf5(folder / "buffer.hdf5")
    train_collector = Collector(policy, DummyVectorEnv([Walk] * 2), buffer)
    test_collector = Collector(policy, DummyVectorEnv([Walk] * 2))

    def save(*counters):
        saved.append((*counters, policy.updates, len(buffer)))
        torch.save(policy.state_dict(), folder / "policy.pth")
        buffer.save_hdf5(folder / "buffer.hdf5")

    def interrupt(epoch, env_step):
        if env_step == interrupted_at:
            raise Interruption

    schedule = Schedule(max_epoch=4, resume_from_log=resume, **PLAN)
    hooks = Hooks(save_checkpoint_fn=save, train_fn=interrupt)
    OffpolicyTrainer(policy, train_collector, test_collector, schedule, 0.25, hooks, csv(folder)).run()
    return saved


def figures(folder: Path) -> dict[tuple[str, str], str]:
    """The last value of each figure at each step."""
    lines = (folder / "log.csv").read_text().splitlines()
    return {(name, step): value for _, step, name, value in (line.split(",") for line in lines)}


@pytest.mark.parametrize("at", [32, 40, 56])
def test_an_interrupted_training_ends_as_one_that_was_not(tmp_path, at):
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    whole = train(tmp_path / "whole", resume=False)
    assert whole == [(1, 16, 4, 4, 16), (2, 32, 8, 8, 32), (3, 48, 12, 12, 48), (4, 64, 16, 16, 64)]
    with pytest.raises(Interruption):
        train(tmp_path / "cut", resume=False, interrupted_at=at)
    assert train(tmp_path / "cut", resume=True) == whole[at // 16 :]
    assert figures(tmp_path / "cut") == figures(tmp_path / "whole")


@pytest.mark.parametrize("make", [csv, tensorboard])
def test_a_worse_policy_never_takes_the_place_of_the_best(tmp_path, make):
    _, saved = told(make(tmp_path), 3, False, [1.5, 3.25, 7.125, 2.0])
    assert saved == [1.5, 3.25, 7.125]
    trainer, saved = told(make(tmp_path), 5, True, [6.0, 5.0])
    assert saved == []
    assert (trainer.info()["best_reward"], trainer.info()["best_result"]) == (7.125, "7.12 ± 0.00")
    assert trainer.at.best_epoch == 2
    trainer, saved = told(make(tmp_path), 7, True, [7.0, 8.0])
    assert saved == [8.0]
    assert (trainer.at.best_reward, trainer.at.best_epoch) == (8.0, 7)


@pytest.mark.parametrize("make", [csv, tensorboard])
def test_a_new_training_in_an_old_log_has_a_best_of_its_own(tmp_path, make):
    told(make(tmp_path), 1, False, [9.0, 0.0])
    _, saved = told(make(tmp_path), 1, False, [1.0, 2.0])
    assert saved == [1.0, 2.0]
    trainer, saved = told(make(tmp_path), 2, True, [1.5])
    assert (saved, trainer.at.best_reward) == ([], 2.0)


@pytest.mark.parametrize("make", [csv, tensorboard])
def test_an_empty_log_changes_nothing(tmp_path, make):
    """What is due, and when, is as without resuming."""
    logger, other = make(tmp_path / "one", save_interval=3), make(tmp_path / "other", save_interval=3)
    logger.test_interval = logger.train_interval = other.test_interval = other.train_interval = 100
    assert (logger.restore_data(), logger.restore_best()) == ((0, 0, 0), None)
    both = []
    for one in (logger, other):
        saved, written = [], []
        one.write = lambda kind, step, data, written=written: written.append((kind, step))
        for epoch in range(1, 8):
            one.log_train_data({"n/ep": 1, "n/st": 5, "rew": 0.5, "len": 2.0}, 30 * epoch)
            one.log_test_data({"rew": 1.0, "rew_std": 0.1, "len": 3.0, "len_std": 0.2, "n/ep": 4}, 30 * epoch)
            one.save_data(epoch, 30 * epoch, epoch, lambda *counters, saved=saved: saved.append(counters[0]))
        both.append((saved, written))
    assert both[0] == both[1]
    assert both[0][0] == [1, 4, 7]


def test_half_a_best_is_none(tmp_path):
    csv(tmp_path).log_best(3, 2.0, 0.5)
    path = tmp_path / "log.csv"
    for cut, best in ((0, (3, 2.0, 0.5)), (30, None)):
        path.write_bytes(path.read_bytes()[: len(path.read_bytes()) - cut])
        assert csv(tmp_path).restore_best() == best
