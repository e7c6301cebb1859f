"""Checkpoints: a folder with a readable `config.json` and `weights.safetensors`; nothing is ever unpickled."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from arena.data.folders import write_folder
from arena.errors import CheckpointError, UsageError
from arena.policy.base import BasePolicy
from arena.policy.kinds import Algorithm, SpacedTask, Spaces, Task
from arena.policy.seats import SeatPolicies
from arena.policy.snapshots import CONFIG, FORMAT, newest_snapshot, read_config
from games.engine.game import Game

WEIGHTS = "weights.safetensors"
SEPARATE = "separate"
"""Said of `seats` in `config.json`: there is a policy for each."""


def save_policy(
    folder: Path, policy: BasePolicy, algorithm: str, task: Task, config: Any, extra: Mapping[str, Any] | None = None
) -> str:
    """Write a checkpoint into a new `folder`, whole or not at all; returns the hash of its weights.

    `config` is the algorithm's config dataclass; `extra` goes into `config.json` beside it.
    """
    weights = weights_of(policy)
    description = {
        "format": FORMAT,
        "algorithm": algorithm,
        "game": task.name,
        "options": dict(task.options),
        "config": dataclasses.asdict(config),
        "sha256": hashlib.sha256(weights).hexdigest(),
        **(extra or {}),
    }
    write_folder(folder, {CONFIG: json.dumps(description, indent=2).encode(), WEIGHTS: weights})
    return str(description["sha256"])


def unique_tensors(policy: BasePolicy) -> dict[str, torch.Tensor]:
    """Parameters and persistent buffers of a policy, those that modules share under the first of their names."""
    kept = policy.state_dict().keys()
    held = {**dict(policy.named_parameters()), **dict(policy.named_buffers())}
    return {name: tensor for name, tensor in held.items() if name in kept}


def weights_of(policy: BasePolicy) -> bytes:
    """All weights of a policy, in the format safetensors."""
    return save({name: tensor.detach().cpu().contiguous() for name, tensor in unique_tensors(policy).items()})


def put_weights(policy: BasePolicy, content: bytes, where: str) -> None:
    """Give `policy` the weights that `weights_of` gave; `CheckpointError` if they are broken or of another shape.

    `where` names, in messages, where they are from.
    """
    try:
        weights: dict[str, torch.Tensor] = load(content)
    except SafetensorError as error:
        raise CheckpointError(f"{where} cannot be read: {error}") from None
    own = {name: tensor.shape for name, tensor in unique_tensors(policy).items()}
    found = {name: tensor.shape for name, tensor in weights.items()}
    if own != found:
        differing = sorted(name for name in own | found if own.get(name) != found.get(name))
        raise CheckpointError(f"{where}: the weights do not fit the network, which differs in {', '.join(differing)}")
    policy.load_state_dict(
        weights, strict=False
    )  # a tensor that is shared has one name in the file, several in the state


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as it was read, to be sent to where its folder is not."""

    where: str
    """The folder."""
    description: Mapping[str, Any]
    """What `config.json` says."""
    weights: bytes

    @classmethod
    def read(cls, folder: Path) -> "Checkpoint":
        """Read a folder; `CheckpointError` if there is none, or its weights are not those that were saved."""
        description = read_config(folder)
        try:
            weights = (folder / WEIGHTS).read_bytes()
        except OSError as error:
            raise CheckpointError(f"{folder / WEIGHTS} cannot be read: {error}") from None
        if hashlib.sha256(weights).hexdigest() != description["sha256"]:
            raise CheckpointError(f"{folder / WEIGHTS} is not what was saved: its hash differs from that in {CONFIG}")
        return cls(str(folder), description, weights)

    def policy(self, name: str, algorithm: Algorithm, task: Game | SpacedTask, training: bool = False) -> BasePolicy:
        """The policy, as `load_policy` gives it."""
        description = self.description
        if description["algorithm"] != name:
            raise CheckpointError(f"{self.where} was trained with {description['algorithm']!r}, not {name!r}")
        trained, wanted = _label(description["game"], description["options"]), _label(task.name, task.options)
        if trained != wanted:
            raise CheckpointError(f"{self.where} plays {trained}, not {wanted}")
        try:
            config = algorithm.config(**description["config"])
        except (TypeError, UsageError) as error:  # an unknown field, or a value out of range
            raise CheckpointError(f"{Path(self.where) / CONFIG}: {error}") from None
        policy = build_policy(algorithm, task, config, training, description.get("seats") == SEPARATE)
        put_weights(policy, self.weights, str(Path(self.where) / WEIGHTS))
        return policy.train(training)


def load_policy(
    name: str, algorithm: Algorithm, task: Game | SpacedTask, argument: str, training: bool = False
) -> BasePolicy:
    """The policy that a spec's argument (a folder) names, for `task`, in testing state unless `training`.

    Raises `CheckpointError` if the folder holds no checkpoint, a broken one, or one of another algorithm or task.
    """
    if not argument:
        raise UsageError(f"{name!r} needs a folder: {name}:runs/NAME")
    return Checkpoint.read(newest_snapshot(Path(argument))).policy(name, algorithm, task, training)


def build_policy(
    algorithm: Algorithm, task: Game | SpacedTask, config: Any, training: bool, separate: bool = False
) -> BasePolicy:
    """A policy with initial weights; with `separate`, in games, one for each seat."""
    spaces = Spaces.of_task(task)
    if separate and isinstance(task, Game):
        return SeatPolicies([algorithm.build(spaces, config, training) for _ in range(task.num_players)])
    return algorithm.build(spaces, config, training)


def _label(name: str, options: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"
