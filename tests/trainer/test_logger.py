"""Loggers: what is due, what is written, and how a training finds its counters again."""

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

from arena.trainer import OffpolicyTrainer
from arena.trainer.base import Hooks, Schedule
from arena.trainer.logger import BaseLogger, BasicLogger, LazyLogger, TensorboardLogger
from tests.trainer.walk import Improver, collectors

PLAN = {"step_per_epoch": 16, "batch_size": 5, "step_per_collect": 8, "episode_per_test": 2}


class Listed(BaseLogger):
    """Keeps what it is given."""

    def __init__(self, **intervals):
        super().__init__(**intervals)
        self.entries: list[tuple] = []

    def write(self, step_type, step, data):
        self.entries.append((step_type, step, dict(data)))


def test_entries_wait_for_their_interval():
    logger = Listed(train_interval=10, test_interval=1, update_interval=3)
    for step in (0, 9, 10, 19, 25):
        logger.log_train_data({"n/ep": 1, "n/st": 5, "rew": 0.5, "len": 2.0}, step)
    assert [step for _, step, _ in logger.entries] == [0, 10, 25]
    assert logger.entries[0] == ("train/env_step", 0, {"train/episode": 1, "train/reward": 0.5, "train/length": 2.0})
    logger.entries.clear()
    logger.log_test_data({"rew": 1.0, "rew_std": 0.1, "len": 3.0, "len_std": 0.2, "n/ep": 4}, 7)
    named = {"test/reward": 1.0, "test/reward_std": 0.1, "test/length": 3.0, "test/length_std": 0.2}
    assert logger.entries == [("test/env_step", 7, named)]
    logger.entries.clear()
    for step in (1, 2, 3, 4):
        logger.log_update_data({"loss": 0.5}, step)
    assert logger.entries == [("update/gradient_step", step, {"update/loss": 0.5}) for step in (1, 4)]


def test_a_collection_without_an_episode_has_no_return():
    logger = Listed()
    logger.log_train_data({"n/ep": 0, "n/st": 5}, 5000)
    assert logger.entries == []


def test_the_name_before_is_known():
    assert BasicLogger is TensorboardLogger


def test_checkpoints_are_saved_without_any_log():
    saved = []
    LazyLogger().save_data(1, 2, 3, lambda *told: saved.append(told))
    LazyLogger().save_data(1, 2, 3, None)
    assert saved == [(1, 2, 3)]
    assert LazyLogger().restore_data() == (0, 0, 0)


def train(folder, max_epoch: int, resume: bool, **options) -> tuple[OffpolicyTrainer, list]:
    policy, saved = Improver(), []
    hooks = Hooks(save_checkpoint_fn=lambda *told: saved.append(told))
    with SummaryWriter(str(folder)) as writer:
        logger = TensorboardLogger(writer, train_interval=1, update_interval=1, **options)
        schedule = Schedule(max_epoch=max_epoch, resume_from_log=resume, **PLAN)
        trainer = OffpolicyTrainer(policy, *collectors(policy), schedule, 0.25, hooks, logger)
        trainer.run()
    return trainer, saved


def test_a_training_goes_on_from_its_log(tmp_path):
    _, saved = train(tmp_path, 2, resume=False)
    assert saved == [(1, 16, 4), (2, 32, 8)]
    trainer, saved = train(tmp_path, 4, resume=True)
    assert saved == [(3, 48, 12), (4, 64, 16)]
    assert (trainer.at.epoch, trainer.at.env_step, trainer.at.gradient_step) == (4, 64, 16)
    trainer, saved = train(tmp_path, 4, resume=True)
    assert saved == []
    assert trainer.at.epoch == 4


def test_an_empty_log_is_a_beginning(tmp_path):
    _, saved = train(tmp_path, 1, resume=True)
    assert saved == [(1, 16, 4)]


def test_what_is_written_can_be_read(tmp_path):
    train(tmp_path, 2, resume=False)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    told = {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
    assert told["train/reward"] == [(8, 0.0), (16, 8.0), (24, 16.0), (32, 24.0)]
    assert told["test/reward"] == [(0, 0.0), (16, 16.0), (32, 32.0)]
    assert told["update/loss"] == [(step, 0.5) for step in range(1, 9)]
    assert told["save/env_step"] == [(16, 16.0), (32, 32.0)]


@pytest.mark.parametrize(("interval", "epochs"), [(1, [1, 2, 3, 4]), (2, [1, 3])])
def test_checkpoints_may_be_some_epochs_apart(tmp_path, interval, epochs):
    _, saved = train(tmp_path, 4, resume=False, save_interval=interval)
    assert [epoch for epoch, _, _ in saved] == epochs
