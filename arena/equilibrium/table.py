"""Strategies as tables: what a seat knows, and how likely it then plays each action; in a folder, or looked up.

The folder has the readable `config.json` of every checkpoint, and `table.safetensors` with `seats` [S], `known` [S, I]
and `probs` [S, A].
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from arena.data.folders import write_folder
from arena.equilibrium.tree import Floats, GameTree, Ints
from arena.errors import CheckpointError, UsageError
from arena.policy.snapshots import CONFIG, FORMAT, newest_snapshot, read_config
from games.engine.compiler import instantiate
from games.engine.game import Game

TABULAR, TABLE = "tabular", "table.safetensors"


@dataclass(frozen=True, eq=False)
class Table:
    """What is played in every information state of a game. S information states of I numbers, A actions."""

    seats: Ints
    """[S]"""
    known: NDArray[Any]
    """[S, I], what the seat knows."""
    probs: Floats
    """[S, A]"""

    @classmethod
    def of_strategy(cls, tree: GameTree, strategy: Floats) -> "Table":
        """The table of a strategy [Q]; `UsageError` where positions say nothing of how they came about."""
        require_hidden(tree.game)
        return cls(tree.seats, tree.known, tree.table(strategy))

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {key: row for row, key in enumerate(_keys(self.seats, self.known))}

    def look_up(self, seats: Ints, known: NDArray[Any]) -> Floats:
        """The probabilities [n, A] of `seats` [n] who know `known` [n, I]; `UsageError` for what the table lacks."""
        rows = np.array([self._rows.get(key, -1) for key in _keys(seats, known)], np.int64)
        if (rows < 0).any():
            raise UsageError("the table has no such information state: it was made for another game")
        return self.probs[rows]


def _keys(seats: Ints, known: NDArray[Any]) -> list[bytes]:
    return [bytes([seat]) + row.tobytes() for seat, row in zip(seats.tolist(), known, strict=True)]


def require_hidden(game: Game) -> None:
    """`UsageError` for games of perfect information."""
    if game.information_shape is None:
        raise UsageError(f"{game.name} hides nothing: it is a game for search (alphabeta, mcts), not for a table")


def information_states(game: Game, states: NDArray[Any], seats: Ints) -> NDArray[Any]:
    """What `seats` [n] know in positions [n], as [n, I]; also in positions that they only imagine."""
    assert game.information_shape is not None
    known = np.empty((len(states), *game.information_shape), game.observation_dtype)
    instantiate("games.engine.knowledge", game).information_states(states, seats, known)
    return known.reshape(len(states), -1)


def save_table(folder: Path, game: Game, table: Table, config: Mapping[str, Any]) -> None:
    """Write a table as a checkpoint into `folder`, whole or not at all; `config` says how it was made."""
    content = save({"seats": table.seats, "known": table.known, "probs": table.probs})
    description = {
        "format": FORMAT,
        "algorithm": TABULAR,
        "game": game.name,
        "options": dict(game.options),
        "config": dict(config),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    write_folder(folder, {CONFIG: json.dumps(description, indent=2).encode(), TABLE: content})


def load_table(folder: Path, game: Game) -> Table:
    """The newest table in a folder; `CheckpointError` if there is none for `game`, or it is broken."""
    folder = newest_snapshot(folder)
    described = read_config(folder)
    if described["algorithm"] != TABULAR:
        raise CheckpointError(f"{folder} holds no table but an agent of {described['algorithm']!r}")
    if (described["game"], described["options"]) != (game.name, dict(game.options)):
        options = ", ".join(f"{key}={value}" for key, value in described["options"].items())
        raise CheckpointError(f"{folder} plays {described['game']}({options}), not {game.label}")
    try:
        content = (folder / TABLE).read_bytes()
        arrays = load(content)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{folder / TABLE} cannot be read: {error}") from None
    if hashlib.sha256(content).hexdigest() != described["sha256"]:
        raise CheckpointError(f"{folder / TABLE} is not what was saved: its hash differs from that in {CONFIG}")
    return _checked(arrays, game, folder / TABLE)


def _checked(arrays: Mapping[str, NDArray[Any]], game: Game, path: Path) -> Table:
    """A table from its arrays; `CheckpointError` if they are not of the right kinds and sizes."""
    require_hidden(game)
    size = len(arrays["seats"]) if "seats" in arrays and arrays["seats"].ndim == 1 else 0
    width = int(np.prod(game.information_shape or ()))
    wanted = {
        "seats": ((size,), np.dtype(np.int64)),
        "known": ((size, width), np.dtype(game.observation_dtype)),
        "probs": ((size, game.num_actions), np.dtype(np.float64)),
    }
    found = {name: (array.shape, array.dtype) for name, array in arrays.items()}
    if found != wanted:
        raise CheckpointError(f"{path} is no table of {game.label}: it holds {found}, not {wanted}")
    table = Table(arrays["seats"], arrays["known"], arrays["probs"])
    if not ((table.probs >= 0).all() and np.allclose(table.probs.sum(axis=1), 1.0)):
        raise CheckpointError(f"{path}: its rows are no probabilities")
    if not ((table.seats >= 0) & (table.seats < game.num_players)).all():
        raise CheckpointError(f"{path}: it names seats that {game.label} does not have")
    return table
