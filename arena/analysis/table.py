"""Strategies as tables: action probabilities by information state, in memory and on disk.

The folder has the readable `config.json` of every checkpoint, and `table.safetensors` with `seats` [S], `known` [S, I]
and `probs` [S, A].
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.solution import load_solution, require_arrays, save_solution
from arena.analysis.tree import Floats, GameTree, Ints
from arena.base.errors import CheckpointError, UsageError
from games.engine.compiler import instantiate
from games.engine.game import Game

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
    arrays = {"seats": table.seats, "known": table.known, "probs": table.probs}
    save_solution(folder / TABLE, game, TABULAR, arrays, config)


def load_table(folder: Path, game: Game) -> StrategyTable:
    """Return the newest table in a folder; `CheckpointError` if there is none for `game`, or it is damaged."""
    path, arrays = load_solution(folder, TABLE, game, TABULAR, "table")
    require_hidden(game)
    size = len(arrays["seats"]) if "seats" in arrays and arrays["seats"].ndim == 1 else 0
    width = int(np.prod(game.information_shape or ()))
    expected = {
        "seats": ((size,), np.dtype(np.int64)),
        "known": ((size, width), np.dtype(game.observation_dtype)),
        "probs": ((size, game.num_actions), np.dtype(np.float64)),
    }
    require_arrays(path, game, "table", arrays, expected)
    table = StrategyTable(arrays["seats"], arrays["known"], arrays["probs"])
    if not ((table.probs >= 0).all() and np.allclose(table.probs.sum(axis=1), 1.0)):
        raise CheckpointError(f"{path}: its rows are not probabilities")
    if not ((table.seats >= 0) & (table.seats < game.num_players)).all():
        raise CheckpointError(f"{path}: it names seats that {game.label} does not have")
    return table
