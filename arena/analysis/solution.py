"""Checkpoints of solved games: arrays and a readable `config.json`, without a network."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arena.base.errors import CheckpointError
from arena.base.folders import draft_of_folder
from arena.base.tensors import read_arrays, write_arrays
from arena.policy.snapshots import CONFIG, FORMAT, find_snapshot, read_config
from games.engine.game import Game
from games.engine.identity import GameId


def save_solution(
    file: Path, game: Game, algorithm: str, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]
) -> None:
    """Write arrays into `file`, and the description of a checkpoint beside it; the folder appears whole or not at all.

    `algorithm` is the name of the agent that plays it, `config` records how it was made.
    """
    with draft_of_folder(file.parent) as draft:
        description = {
            "format": FORMAT,
            "algorithm": algorithm,
            "game": game.name,
            "options": dict(game.options),
            "config": dict(config),
            "sha256": write_arrays(draft / file.name, arrays),
        }
        (draft / CONFIG).write_text(json.dumps(description, indent=2), encoding="utf-8")


def load_solution(folder: Path, name: str, game: Game, algorithm: str, what: str) -> tuple[Path, dict[str, Any]]:
    """Return the newest file of this name in a checkpoint or a run, and its arrays.

    Raises `CheckpointError` if there is none of `algorithm` for `game`, which it calls `what`, or it is damaged.
    """
    folder = find_snapshot(folder)
    described = read_config(folder)
    if described["algorithm"] != algorithm:
        raise CheckpointError(f"{folder} holds no {what} but an agent of {described['algorithm']!r}")
    if (described["game"], described["options"]) != (game.name, dict(game.options)):
        other = GameId(described["game"], described["options"]).label
        raise CheckpointError(f"{folder} plays {other}, not {game.label}")
    file = folder / name
    arrays, sha256 = read_arrays(file)
    if sha256 != described["sha256"]:
        raise CheckpointError(f"{file} has changed: its hash differs from that in {CONFIG}")
    return file, arrays


def require_arrays(file: Path, game: Game, what: str, arrays: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Raise `CheckpointError` unless arrays have the `expected` names, each with its shape and dtype."""
    actual = {name: (array.shape, array.dtype) for name, array in arrays.items()}
    if actual != expected:
        raise CheckpointError(f"{file} is no {what} of {game.label}: it holds {actual}, not {expected}")
