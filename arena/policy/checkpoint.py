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

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import read_bytes, reason
from arena.base.folders import write_folder
from arena.base.tensors import TensorInfo, header_of, memory_bytes
from arena.base.typed import as_type
from arena.policy.base import BasePolicy
from arena.policy.former_names import read_options
from arena.policy.layout import SHARED, config_for, layout
from arena.policy.network import network_of
from arena.policy.registration import Algorithm, SpacedTask, Spaces, Task
from arena.policy.registry import learning_algorithm
from arena.policy.seats import seat_policies
from arena.policy.shapes import OwnShapes, Shapes
from arena.policy.size import weights_within
from arena.policy.snapshots import CONFIG, FORMAT, find_snapshot, read_config
from games.engine.game import Game
from games.engine.identity import GameId
from games.engine.source_files import without_hash

WEIGHTS = "weights.safetensors"
ROOM = 4
"""Weights that a network may have while it is built, copies and shared parts included, per byte of its file."""
NETWORK = "network"
"""Key in `config.json` of the function that makes the bodies of the networks, if that is a user's."""
SEATS = "seats"
"""Key in `config.json` of how policies hold the seats, if not one holds all: see `arena.policy.layout`."""


def save_policy(
    folder: Path, policy: BasePolicy, algorithm: str, task: Task, config: Any, extra: Mapping[str, Any] | None = None
) -> str:
    """Write a checkpoint into a new `folder`, whole or not at all; returns the hash of its weights.

    `config` is the algorithm's config dataclass; `extra` goes into `config.json` beside it.
    """
    weights = weights_to_bytes(policy)
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
    """Return parameters and persistent buffers of a policy; shared ones appear under their first name only."""
    kept = policy.state_dict().keys()
    tensors = {**dict(policy.named_parameters()), **dict(policy.named_buffers())}
    return {name: tensor for name, tensor in tensors.items() if name in kept}


def weights_to_bytes(policy: BasePolicy) -> bytes:
    """Return all weights of a policy in the safetensors format."""
    return save({name: tensor.detach().cpu().contiguous() for name, tensor in unique_tensors(policy).items()})


def load_weights(policy: BasePolicy, content: bytes, where: str) -> None:
    """Load weights from `weights_to_bytes` into `policy`; `CheckpointError` if broken or of another shape.

    `where` names their source in messages.
    """
    try:
        infos = header_of(content)
        weights: dict[str, torch.Tensor] = load(content)
    except (SafetensorError, ValueError) as error:
        raise CheckpointError(f"{where} cannot be read: {error}") from None
    own = unique_tensors(policy)
    try:
        require_like(own, _in_full_precision(infos, own))
        require_finite(weights)
    except CheckpointError as error:
        raise CheckpointError(f"{where}: {error}") from None
    policy.load_state_dict(
        weights, strict=False
    )  # a tensor that is shared has one name in the file, several in the state


def _label(name: str, options: Mapping[str, Any], ignored: tuple[str, ...]) -> str:
    """Return the label of a game with its options, but for those ignored."""
    return GameId(without_hash(name), {key: value for key, value in options.items() if key not in ignored}).label


DTYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    **{f"I{bits}": getattr(torch, f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"F{bits}": getattr(torch, f"float{bits}") for bits in (16, 32, 64)},
    "BF16": torch.bfloat16,
}
"""Types by their names in headers."""


HALF = "F16", "BF16"
"""Types in which the weights of a network of single precision may be kept: in half of the bytes."""


def _in_full_precision(infos: Mapping[str, TensorInfo], own: Mapping[str, torch.Tensor]) -> dict[str, TensorInfo]:
    """Return the tensors of a file as `load_state_dict` puts them into a network, which widens half precision."""
    single = {name for name, tensor in own.items() if tensor.dtype == torch.float32}
    return {
        name: dataclasses.replace(info, dtype="F32") if name in single and info.dtype in HALF else info
        for name, info in infos.items()
    }


def weights_in_half(content: bytes) -> bytes:
    """Return weights of `weights_to_bytes` with those of single precision in half precision (float16).

    Raises `CheckpointError` for one that float16 does not hold.
    """
    weights: dict[str, torch.Tensor] = load(content)
    halved = {name: tensor.half() if tensor.dtype == torch.float32 else tensor for name, tensor in weights.items()}
    require_finite(halved)
    return save(halved)


def require_like(own: Mapping[str, torch.Tensor], infos: Mapping[str, TensorInfo], prefix: str = "") -> None:
    """Raise `CheckpointError` unless tensors match a network's by name (after `prefix`), shape and type."""
    named = {prefix + name: tensor for name, tensor in own.items()}
    differing = [
        name
        for name in sorted(named.keys() | infos.keys())
        if name not in named
        or name not in infos
        or (tuple(named[name].shape), named[name].dtype) != (infos[name].shape, DTYPES.get(infos[name].dtype))
    ]
    if differing:
        more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
        raise CheckpointError(f"the weights do not fit the network, which differs in {', '.join(differing[:5])}{more}")


def require_finite(tensors: Mapping[str, torch.Tensor], prefix: str = "") -> None:
    """Raise `CheckpointError` for a tensor with NaN or infinite entries; the message names it."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(f"{prefix}{name} holds numbers that are not finite (NaN or infinity)")


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """The contents of a checkpoint, which can be sent to processes that cannot read its folder."""

    where: str
    """The folder."""
    description: Mapping[str, Any]
    """Return the content of `config.json`."""
    weights: bytes

    @classmethod
    def read(cls, folder: Path) -> "Checkpoint":
        """Read a folder; `CheckpointError` if it is missing or its weights do not match their hash."""
        description = read_config(folder)
        try:
            weights = read_bytes(folder / WEIGHTS, memory_bytes())
        except OSError as error:
            raise CheckpointError(f"{folder / WEIGHTS} cannot be read: {reason(error)}") from None
        if hashlib.sha256(weights).hexdigest() != description["sha256"]:
            raise CheckpointError(f"{folder / WEIGHTS} has changed: its hash differs from that in {CONFIG}")
        return cls(str(folder), description, weights)

    def policy(self, name: str, algorithm: Algorithm, task: Game | SpacedTask, training: bool = False) -> BasePolicy:
        """Return the policy, as `load_policy` does."""
        description = self.description
        if without_hash(description["algorithm"]) != without_hash(name):
            raise CheckpointError(f"{self.where} was trained with {description['algorithm']!r}, not {name!r}")
        ignored = task.payoff_options if algorithm.any_payoffs and isinstance(task, Game) else ()
        trained = _label(description["game"], description["options"], ignored)
        wanted = _label(task.name, task.options, ignored)
        if trained != wanted:
            raise CheckpointError(f"{self.where} plays {trained}, not {wanted}")
        try:
            config: Any = read_options(algorithm.config, description["config"])
            with weights_within(ROOM * len(self.weights)):  # there is at least a byte of each
                seats = as_type(description.get(SEATS, SHARED), str, SEATS)
                network = as_type(description.get(NETWORK, ""), str, NETWORK)
                policy = build_policy(algorithm, task, config, training, seats, network)
        except UsageError as error:  # an unknown field, a value out of range, a network that is not in the file
            raise CheckpointError(f"{Path(self.where) / CONFIG}: {error}") from None
        load_weights(policy, self.weights, str(Path(self.where) / WEIGHTS))
        return policy.train(training)


def load_policy(
    name: str, algorithm: Algorithm, task: Game | SpacedTask, argument: str, training: bool = False
) -> BasePolicy:
    """Load the policy in a folder, the argument of a spec, for `task`; in testing mode unless `training`.

    Raises `CheckpointError` if the folder holds no checkpoint, a broken one, or one of another algorithm or task.
    """
    if not argument:
        raise UsageError(f"{name!r} needs a folder: {name}:runs/NAME")
    return Checkpoint.read(find_snapshot(Path(argument))).policy(name, algorithm, task, training)


def build_policy(
    algorithm: Algorithm,
    task: Game | SpacedTask,
    config: Any,
    training: bool,
    seats: str = SHARED,
    network: str = "",
) -> BasePolicy:
    """Return a policy with initial weights; in games made of several, as `layout` says for `seats`.

    `network` names the function that makes the bodies of its networks, see `arena.policy.network`. Raises `UsageError`
    if that fails, or an algorithm has no body.
    """
    make = network_of(network) if network else None

    def built(by: Algorithm, spaces: Spaces, options: Any) -> BasePolicy:
        made: list[Any] = []

        def noted(observation: Any, action: Any) -> Any:
            assert make is not None
            made.append(make(observation, action))
            return made[-1]

        policy = by.build(spaces if make is None else dataclasses.replace(spaces, network=noted), options, training)
        if make is not None and not made:
            raise UsageError(f"network={network}: this algorithm has no network whose body could be another")
        return policy

    holdings = layout(task, seats) if isinstance(task, Game) else ()
    if not isinstance(task, Game) or not holdings:
        return built(algorithm, Spaces.of_task(task), config)
    holder: dict[int, BasePolicy] = {}
    shapes: dict[BasePolicy, Shapes] = {}
    for holding in holdings:
        group = holding.group(task)
        own = learning_algorithm(holding.algorithm) if holding.algorithm else algorithm
        policy = built(own, Spaces.of_group(task, group), config_for(own, algorithm, config))
        holder |= dict.fromkeys(holding.seats, policy)
        if group is not None:
            shapes[policy] = OwnShapes(task, group)
    return seat_policies([holder[seat] for seat in range(task.num_players)], shapes)
