"""Loggers of the figures of a training."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

SaveCheckpoint = Callable[[int, int, int], Any]
"""Called with epoch, environment step and gradient step; may return the path of the saved file or folder."""
SAVED = ("save/epoch", "save/env_step", "save/gradient_step")
"""The names of the counters of a checkpoint."""


class BaseLogger(ABC):
    """Decides by intervals when to log; subclasses implement writing.

    Args:
        train_interval: environment steps between two entries about collecting.
        test_interval: environment steps between two entries about testing.
        update_interval: gradient steps between two entries about learning.
        save_interval: epochs between two checkpoints; the first is saved after the first epoch.

    """

    def __init__(
        self, train_interval: int = 1000, test_interval: int = 1, update_interval: int = 1000, save_interval: int = 1
    ):
        self.train_interval, self.test_interval, self.update_interval = train_interval, test_interval, update_interval
        self.save_interval = save_interval
        self._last = {"train": -train_interval, "test": -test_interval, "update": -update_interval}
        self._last_save = -save_interval

    @abstractmethod
    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write figures by name; `step_type` names the counter of `step`, such as `train/env_step`."""

    def log_train_data(self, collect_result: Mapping[str, Any], step: int) -> None:
        """Log the figures of a collection if an episode ended in it and the interval has passed."""
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

    def log_best(self, epoch: int, reward: float, reward_std: float) -> None:
        """Log the best test so far, for trainings that resume from this log."""
        self.write("best/epoch", epoch, {"best/reward": reward, "best/reward_std": reward_std})

    def save_data(
        self, epoch: int, env_step: int, gradient_step: int, save_checkpoint_fn: SaveCheckpoint | None = None
    ) -> None:
        """Call `save_checkpoint_fn` if `save_interval` has passed since its last call, and log the counters."""
        if save_checkpoint_fn is None:
            return
        at = self._saves_by(epoch, env_step, gradient_step)
        if not 0 <= at - self._last_save < self.save_interval:
            self._last_save = at
            self._log_saved(epoch, env_step, gradient_step, save_checkpoint_fn(epoch, env_step, gradient_step))

    def _saves_by(self, epoch: int, env_step: int, gradient_step: int) -> int:
        """Return the value of the counter that `save_interval` refers to."""
        return epoch

    def _log_saved(self, epoch: int, env_step: int, gradient_step: int, saved: Any) -> None:  # noqa: B027
        """Log the counters of a checkpoint and the result of `save_checkpoint_fn`; by default do nothing."""

    def restore_data(self) -> tuple[int, int, int]:
        """Return the counters of the last checkpoint: epoch, environment step, gradient step; 0 without one."""
        return 0, 0, 0

    def restore_best(self) -> tuple[int, float, float] | None:
        """Return the latest arguments of `log_best`: epoch, mean return and its deviation; None if there are none."""
        return None

    def _go_on_from(self, epoch: int, env_step: int, gradient_step: int) -> tuple[int, int, int]:
        """Start intervals at restored counters, if there are any; return the counters."""
        if epoch:
            self._last_save = self._saves_by(epoch, env_step, gradient_step)
            self._last.update(train=env_step, test=env_step or gradient_step, update=gradient_step)
        return epoch, env_step, gradient_step


def _renamed(figures: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: figures[key] for key, name in names.items() if key in figures}


class LazyLogger(BaseLogger):
    """Logs nothing."""

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write nothing."""


class TensorboardLogger(BaseLogger):
    """Writes to TensorBoard.

    Args:
        writer: a `SummaryWriter` of torch.
        train_interval: as in `BaseLogger`.
        test_interval: as in `BaseLogger`.
        update_interval: as in `BaseLogger`.
        save_interval: as in `BaseLogger`.

    """

    def __init__(
        self,
        writer: "SummaryWriter",
        train_interval: int = 1000,
        test_interval: int = 1,
        update_interval: int = 1000,
        save_interval: int = 1,
    ):
        super().__init__(train_interval, test_interval, update_interval, save_interval)
        self.writer = writer

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write scalars (for a list or array, its mean)."""
        for key, value in data.items():
            self.writer.add_scalar(key, float(np.mean(value)), global_step=step)
        self.writer.flush()

    def _log_saved(self, epoch: int, env_step: int, gradient_step: int, saved: Any) -> None:
        for name, count in zip(SAVED, (epoch, env_step, gradient_step), strict=True):
            self.write(name, count, {name: count})

    def restore_data(self) -> tuple[int, int, int]:
        """Return the counters of the last checkpoint in the event files; 0 without one."""
        epoch, env_step, gradient_step = (0 if last is None else last.step for last in self._newest(*SAVED))
        return self._go_on_from(epoch, env_step, gradient_step)

    def restore_best(self) -> tuple[int, float, float] | None:
        """Return the best logged test, to the seven digits that TensorBoard keeps."""
        reward, std = self._newest("best/reward", "best/reward_std")
        return None if reward is None or std is None else (reward.step, reward.value, std.value)

    def _newest(self, *tags: str) -> list[Any]:
        """Return the last entry of each tag in the event files, None if there is none.

        The last by its time: files of the same second are not read in the order in which they were written.
        """
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        self.writer.flush()
        events = EventAccumulator(str(Path(self.writer.log_dir)))
        events.Reload()
        known = events.Tags()["scalars"]
        return [max(events.Scalars(tag), key=lambda e: e.wall_time) if tag in known else None for tag in tags]


BasicLogger = TensorboardLogger  # the name it had before
