"""`WandbLogger`: figures and checkpoints on Weights & Biases."""

import dataclasses
import json
import warnings
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.base.saving import replace_text
from arena.trainer.logger import SAVED, BaseLogger

AXES = {
    "train": "train/env_step",
    "test": "test/env_step",
    "update": "update/gradient_step",
    "best": "best/epoch",
}
"""Axis of each panel of figures."""
BEST = ("best/epoch", "best/reward", "best/reward_std")


class WandbLogger(BaseLogger):
    """Writes to a run of Weights & Biases, `wandb_run`: the active one of this process, or else a new one.

    What `save_checkpoint_fn` returns, the path of a file or folder, becomes a version of the artifact
    `run_<id>_checkpoint`. A run goes on under its `run_id`, on any device: `restore_data` fetches the last checkpoint
    to where it was saved, if it is newer than what is known there. Counters and best test are noted in
    `wandb/arena-<id>.json` too, so that a run without network (`WANDB_MODE=offline`) goes on as well. There is no
    argument for videos of environments: `wandb.init(monitor_gym=True)`, called beforehand, begins a run that has them.

    Args:
        train_interval: as in `BaseLogger`.
        test_interval: as in `BaseLogger`.
        update_interval: as in `BaseLogger`.
        save_interval: environment steps between two checkpoints, gradient steps where none are collected; not epochs,
            as in other loggers.
        project: name of the project.
        name: name of the run; None for a random one.
        entity: user or team that it belongs to; None for the usual one.
        run_id: of the run to go on with, or to begin; None for a new one.
        config: settings of the experiment: a `Namespace`, a dataclass or a mapping.

    """

    def __init__(
        self,
        train_interval: int = 1000,
        test_interval: int = 1,
        update_interval: int = 1000,
        save_interval: int = 1000,
        project: str = "arena",
        name: str | None = None,
        entity: str | None = None,
        run_id: str | None = None,
        config: Namespace | Mapping[str, Any] | Any = None,
    ):
        super().__init__(train_interval, test_interval, update_interval, save_interval)
        wandb = _wandb()
        try:
            self.wandb_run: Any = wandb.init(
                project=project, name=name, entity=entity, id=run_id, resume="allow", config=_settings(config)
            )
        except wandb.Error as error:  # no account, no network
            reason = str(error).strip().removesuffix(".")
            raise UsageError(f"Weights & Biases: {reason}; WANDB_MODE=offline needs no account") from error
        if run_id not in (None, self.wandb_run.id):
            raise UsageError(f"run {self.wandb_run.id!r} is under way: finish() it to go on with run {run_id!r}")
        for panel, axis in AXES.items():
            self.wandb_run.define_metric(axis)
            self.wandb_run.define_metric(f"{panel}/*", step_metric=axis)
        self._notes_path = Path(self.wandb_run.settings.wandb_dir) / f"arena-{self.wandb_run.id}.json"

    @property
    def artifact(self) -> str:
        """Name of the artifact whose versions are the checkpoints."""
        return f"run_{self.wandb_run.id}_checkpoint"

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Log figures (for a list or array, its mean) with the counter that they belong to."""
        self.wandb_run.log({step_type: step} | {key: float(np.mean(value)) for key, value in data.items()})

    def _saves_by(self, epoch: int, env_step: int, gradient_step: int) -> int:
        return env_step or gradient_step

    def _log_saved(self, epoch: int, env_step: int, gradient_step: int, saved: Any) -> None:
        """Upload a checkpoint with its counters; without a path in `saved`, the counters alone."""
        notes: dict[str, Any] = dict(zip(SAVED, (epoch, env_step, gradient_step), strict=True))
        if saved is not None:
            path = Path(saved)
            notes |= {"checkpoint_path": str(path), "folder": str(path if path.is_dir() else path.parent)}
            artifact = _wandb().Artifact(self.artifact, type="model", metadata=notes)
            (artifact.add_dir if path.is_dir() else artifact.add_file)(str(path))
            self.wandb_run.log_artifact(artifact)
        self._note(notes)

    def log_best(self, epoch: int, reward: float, reward_std: float) -> None:
        """Log the best test so far."""
        super().log_best(epoch, reward, reward_std)
        self._note(dict(zip(BEST, (epoch, reward, reward_std), strict=True)))

    def restore_data(self) -> tuple[int, int, int]:
        """Return the counters of the last checkpoint, downloaded if necessary; zeros if there is none."""
        notes = self._notes()
        if not (self.wandb_run.offline or self.wandb_run.disabled):
            notes = self._fetched(notes)
        epoch, env_step, gradient_step = (notes.get(name, 0) for name in SAVED)
        return self._go_on_from(epoch, env_step, gradient_step)

    def restore_best(self) -> tuple[int, float, float] | None:
        """Return the best test of this run, on this or another device."""
        records = [tuple(known.get(name) for name in BEST) for known in (self._notes(), self.wandb_run.summary)]
        whole: list[Any] = [best for best in records if None not in best]
        return max(whole, key=lambda best: best[1], default=None)

    def _fetched(self, notes: dict[str, Any]) -> dict[str, Any]:
        """Download the newest checkpoint on W&B if it is newer than that of `notes`; return its notes."""
        wandb = _wandb()
        try:
            artifact = self.wandb_run.use_artifact(f"{self.artifact}:latest")
            stored = dict(artifact.metadata)
            if stored.get(SAVED[0], 0) > notes.get(SAVED[0], 0):
                artifact.download(stored["folder"])
                return stored
        except (ValueError, wandb.Error) as error:
            warnings.warn(f"no checkpoint came from W&B: {error}", stacklevel=4)
        return notes

    def _notes(self) -> dict[str, Any]:
        """Return the notes of this run on this device."""
        return json.loads(self._notes_path.read_text()) if self._notes_path.exists() else {}

    def _note(self, figures: Mapping[str, Any]) -> None:
        if self.wandb_run.disabled:
            return  # WANDB_MODE=disabled leaves nothing behind
        text = json.dumps({**self._notes(), **figures})
        self._notes_path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(self._notes_path, text)


def _wandb() -> Any:
    try:
        import wandb
    except ImportError:
        raise UsageError(f"WandbLogger needs wandb: {install_command('wandb')}") from None
    return wandb


def _settings(config: Any) -> dict[str, Any] | None:
    """Return the settings of an experiment as a dictionary."""
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        return dataclasses.asdict(config)
    if isinstance(config, Namespace):
        return vars(config)
    if config is None or isinstance(config, Mapping):
        return None if config is None else dict(config)
    raise UsageError(f"config is a Namespace, a dataclass or a mapping, not {type(config).__name__}")
