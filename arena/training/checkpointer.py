"""`Checkpointer`: keeps a training in its folder, as snapshots and as the state that it resumes from."""

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.base.errors import DivergedError
from arena.base.tensors import TensorInfo
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import NETWORK, SEATS, require_finite, require_like, save_policy
from arena.policy.layout import SHARED
from arena.policy.optimizer import load_optimizer_state_dict, optimizer_state_dict, optimizers_of
from arena.policy.snapshots import count_snapshots, find_snapshot
from arena.training.folder import STABILIZING, RunFolder
from arena.training.options import RESOURCES, RunOptions
from arena.training.setup import TrainingSetup


class Checkpointer:
    """Writes policies of a training as checkpoints, and explains from which of them to resume.

    Args:
        setup: the training.

    """

    def __init__(self, setup: TrainingSetup[Any, RunOptions]):
        self._setup = setup
        self.files = RunFolder(setup.folder, type(setup.config))
        """The folder of the run, with the state to resume from."""

    def claim(self, more: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """Claim the folder, as `RunFolder.claim` does; `more` are further entries of `run.json` and its resources."""
        more, description = more or {}, self._setup.description()
        resources = description[RESOURCES] | more.get(RESOURCES, {})
        return self.files.claim({**description, **more, RESOURCES: resources}, self._setup.options.resume)

    def write_policy(self, folder: Path, policy: BasePolicy, step: int, evaluation: Mapping[str, float]) -> str:
        """Write a policy into a new folder, with its step and its scores; return the hash of its weights."""
        setup = self._setup
        extra: dict[str, Any] = {"env_step": step, "evaluation": evaluation}
        if setup.seats != SHARED:
            extra[SEATS] = setup.seats
        if setup.network:
            extra[NETWORK] = setup.network
        return save_policy(folder, policy, setup.algo, setup.task, setup.config, extra)

    @contextmanager
    def explaining_divergence(self) -> Iterator[None]:
        """Add to a `DivergedError` from which snapshot to resume, and with which settings."""
        try:
            yield
        except DivergedError as error:
            self.files.note_divergence(str(error))
            advice = "there is no snapshot yet: start again with --resume"
            if count_snapshots(self.files.path):
                advice = f"the last good snapshot is {find_snapshot(self.files.path)}: resume from it with --resume"
            settings = dataclasses.asdict(self._setup.config)
            changes = {key: settings[key] for key in STABILIZING if key in settings}
            options = " or ".join(f"--{key.replace('_', '-')} below {value:g}" for key, value in changes.items())
            raise DivergedError(f"{error}; {advice}" + (f" and {options}" if options else "")) from None


def learner_state_dict(policy: BasePolicy) -> Batch:
    """Return the training state of a learner: weights, optimizer states, and what else the policy saves."""
    optimizers = {str(number): optimizer_state_dict(optim) for number, optim in enumerate(optimizers_of(policy))}
    return Batch(weights=dict(policy.state_dict()), optimizers=optimizers, memory=policy.extra_state_dict())


def require_learner(policy: BasePolicy, tensors: Mapping[str, TensorInfo], prefix: str) -> None:
    """Raise `CheckpointError` unless the weights among `tensors`, named with `prefix`, fit the learner."""
    prefix = f"{prefix}weights/"
    weights = {name: info for name, info in tensors.items() if name.startswith(prefix)}
    require_like(policy.state_dict(), weights, prefix)


def load_learner_state_dict(policy: BasePolicy, arrays: Batch) -> None:
    """Load what `learner_state_dict` returned; raise `CheckpointError` if a weight is not finite."""
    arrays.weights.to_torch()
    weights = dict(arrays.weights.items())
    require_finite(weights, "weights/")
    policy.load_state_dict(weights)
    for number, optimizer in enumerate(optimizers_of(policy)):
        load_optimizer_state_dict(optimizer, arrays.get("optimizers", Batch()).get(str(number), Batch()))
    policy.load_extra_state_dict(arrays.get("memory", Batch()))
