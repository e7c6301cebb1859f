"""Loggers: where the figures of a training go."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

SaveCheckpoint = Callable[[int, int, int], Any]
"""Called with epoch, environment step and gradient step."""


class BaseLogger(ABC):
    """Decides what is due to be written; a subclass writes it.

    Args:
        train_interval: environment steps between two entries about collecting.
        test_interval: environment steps between two entries about testing.
        update_interval: gradient steps between two entries about learning.

    """

    def __init__(self, train_interval: int = 1000, test_interval: int = 1, update_interval: int = 1000):
        self.train_interval, self.test_interval, self.update_interval = train_interval, test_interval, update_interval
        self._last = {"train": -train_interval, "test": -test_interval, "update": -update_interval}

    @abstractmethod
    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write figures by name; `step_type` names the counter that `step` is of, `train/env_step`."""

    def log_train_data(self, collect_result: Mapping[str, Any], step: int) -> None:
        """Log what a collection brought, if an episode ended in it and the interval has passed."""
        if collect_result["n/ep"] > 0:
            names = {"n/ep": "episode", "rew": "reward", "len": "length"}
            self._log("train", "train/env_step", step, self.train_interval, _renamed(collect_result, names))

    def log_test_data(self, collect_result: Mapping[str, Any], step: int) -> None:
        """Log the result of a test."""
        names = {"rew": "reward", "len": "length", "rew_std": "reward_std", "len_std": "length_std"}
        self._log("test", "test/env_step", step, self.test_interval, _renamed(collect_result, names))

    def log_update_data(self, update_result: Mapping[str, Any], step: int) -> None:
        """Log figures of learning."""
        self._log("update", "update/gradient_step", step, self.update_interval, update_result)

    def _log(self, kind: str, step_type: str, step: int, interval: int, data: Mapping[str, Any]) -> None:
        if step - self._last[kind] >= interval:
            self.write(step_type, step, {f"{kind}/{key}": value for key, value in data.items()})
            self._last[kind] = step

    def save_data(
        self, epoch: int, env_step: int, gradient_step: int, save_checkpoint_fn: SaveCheckpoint | None = None
    ) -> None:
        """Save a checkpoint by calling `save_checkpoint_fn`; a subclass logs the counters as well."""
        if save_checkpoint_fn is not None:
            save_checkpoint_fn(epoch, env_step, gradient_step)

    def restore_data(self) -> tuple[int, int, int]:
        """The counters logged last: epoch, environment step, gradient step."""
        return 0, 0, 0


def _renamed(figures: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: figures[key] for key, name in names.items() if key in figures}


class LazyLogger(BaseLogger):
    """Writes nothing."""

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write nothing."""


class TensorboardLogger(BaseLogger):
    """Writes to TensorBoard.

    Args:
        writer: a `SummaryWriter` of torch.
        train_interval: as in `BaseLogger`.
        test_interval: as in `BaseLogger`.
        update_interval: as in `BaseLogger`.
        save_interval: epochs between two checkpoints.

    """

    def __init__(
        self,
        writer: "SummaryWriter",
        train_interval: int = 1000,
        test_interval: int = 1,
        update_interval: int = 1000,
        save_interval: int = 1,
    ):
        super().__init__(train_interval, test_interval, update_interval)
        self.writer = writer
        self.save_interval = save_interval
        self._last_save = -save_interval

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write scalars (of a list or array the mean)."""
        for key, value in data.items():
            self.writer.add_scalar(key, float(np.mean(value)), global_step=step)
        self.writer.flush()

    def save_data(
        self, epoch: int, env_step: int, gradient_step: int, save_checkpoint_fn: SaveCheckpoint | None = None
    ) -> None:
        """Save a checkpoint if `save_interval` epochs have passed, and log the counters."""
        if save_checkpoint_fn is not None and epoch - self._last_save >= self.save_interval:
            self._last_save = epoch
            save_checkpoint_fn(epoch, env_step, gradient_step)
            self.write("save/epoch", epoch, {"save/epoch": epoch})
            self.write("save/env_step", env_step, {"save/env_step": env_step})
            self.write("save/gradient_step", gradient_step, {"save/gradient_step": gradient_step})

    def restore_data(self) -> tuple[int, int, int]:
        """The counters of the last checkpoint, read from the event files; zeros where there is none."""
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        events = EventAccumulator(str(Path(self.writer.log_dir)))
        events.Reload()
        tags = events.Tags()["scalars"]

        def newest(tag: str) -> int:
            return int(events.Scalars(tag)[-1].step) if tag in tags else 0

        epoch, env_step, gradient_step = map(newest, ("save/epoch", "save/env_step", "save/gradient_step"))
        self._last_save = epoch
        self._last.update(train=env_step, test=env_step, update=gradient_step)
        return epoch, env_step, gradient_step
