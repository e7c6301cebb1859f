"""Strategies as tables: action probabilities by information state, in memory and on disk.

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

from arena.analysis.tree import Floats, GameTree, Ints
from arena.base.errors import CheckpointError, UsageError
from arena.base.folders import write_folder
from arena.base.tensors import read_tensors
from arena.policy.snapshots import CONFIG, FORMAT, find_snapshot, read_config
from games.engine.compiler import instantiate
from games.engine.game import Game
from games.engine.identity import GameId

TABULAR, TABLE = "tabular", "table.safetensors"


@dataclass(frozen=True, eq=False)
class StrategyTable:
    """A strategy: action probabilities in every information state. S information states of I numbers, A actions."""

    seats: Ints
    """[S], the seat that acts in each information state."""
    known: NDArray[Any]
    """[S, I], the information states."""
    probs: Floats
    """[S, A], rows sum to 1."""

    @classmethod
    def of_strategy(cls, tree: GameTree, strategy: Floats) -> "StrategyTable":
        """Return the table of a strategy [Q]; `UsageError` for games of perfect information."""
        require_hidden(tree.game)
        return cls(tree.seats, tree.known, tree.table(strategy))

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {key: row for row, key in enumerate(_keys(self.seats, self.known))}

    def look_up(self, seats: Ints, known: NDArray[Any]) -> Floats:
        """Return the probabilities [n, A] of `seats` [n] in information states `known` [n, I].

        Raises `UsageError` for an information state that the table lacks.
        """
        rows = np.array([self._rows.get(key, -1) for key in _keys(seats, known)], np.int64)
        if (rows < 0).any():
            raise UsageError("the table has no such information state: it was made for another game")
        return self.probs[rows]


def _keys(seats: Ints, known: NDArray[Any]) -> list[bytes]:
    return [bytes([seat]) + row.tobytes() for seat, row in zip(seats.tolist(), known, strict=True)]


def require_hidden(game: Game) -> None:
    """Raise `UsageError` for games of perfect information."""
    if game.information_shape is None:
        raise UsageError(f"{game.name} has no hidden information: use search (alphabeta, mcts) instead of a table")


def information_states(game: Game, states: NDArray[Any], seats: Ints) -> NDArray[Any]:
    """Return the information states [n, I] of `seats` [n] in positions [n], which may be determinized ones."""
    assert game.information_shape is not None
    known = np.empty((len(states), *game.information_shape), game.observation_dtype)
    instantiate("games.engine.knowledge", game).information_states(states, seats, known)
    return known.reshape(len(states), -1)


def save_table(folder: Path, game: Game, table: StrategyTable, config: Mapping[str, Any]) -> None:
    """Write a table as a checkpoint into `folder`, atomically; `config` records how it was made."""
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


def load_table(folder: Path, game: Game) -> StrategyTable:
    """Return the newest table in a folder; `CheckpointError` if there is none for `game`, or it is damaged."""
    folder = find_snapshot(folder)
    described = read_config(folder)
    if described["algorithm"] != TABULAR:
        raise CheckpointError(f"{folder} holds no table but an agent of {described['algorithm']!r}")
    if (described["game"], described["options"]) != (game.name, dict(game.options)):
        other = GameId(described["game"], described["options"]).label
        raise CheckpointError(f"{folder} plays {other}, not {game.label}")
    try:
        content = read_tensors(folder / TABLE)
        arrays = load(content)
    except (SafetensorError, TypeError, KeyError) as error:  # KeyError: a dtype that numpy lacks
        raise CheckpointError(f"{folder / TABLE} cannot be read: {error}") from None
    if hashlib.sha256(content).hexdigest() != described["sha256"]:
        raise CheckpointError(f"{folder / TABLE} has changed: its hash differs from that in {CONFIG}")
    return _validated(arrays, game, folder / TABLE)


def _validated(arrays: Mapping[str, NDArray[Any]], game: Game, path: Path) -> StrategyTable:
    """Return a table of these arrays; `CheckpointError` if names, shapes, dtypes or values are wrong."""
    require_hidden(game)
    size = len(arrays["seats"]) if "seats" in arrays and arrays["seats"].ndim == 1 else 0
    width = int(np.prod(game.information_shape or ()))
    expected = {
        "seats": ((size,), np.dtype(np.int64)),
        "known": ((size, width), np.dtype(game.observation_dtype)),
        "probs": ((size, game.num_actions), np.dtype(np.float64)),
    }
    actual = {name: (array.shape, array.dtype) for name, array in arrays.items()}
    if actual != expected:
        raise CheckpointError(f"{path} is no table of {game.label}: it holds {actual}, not {expected}")
    table = StrategyTable(arrays["seats"], arrays["known"], arrays["probs"])
    if not ((table.probs >= 0).all() and np.allclose(table.probs.sum(axis=1), 1.0)):
        raise CheckpointError(f"{path}: its rows are not probabilities")
    if not ((table.seats >= 0) & (table.seats < game.num_players)).all():
        raise CheckpointError(f"{path}: it names seats that {game.label} does not have")
    return table
