"""`Presentation`: a few lines beside an environment that give it a board, names of actions and a notation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from games.engine.boards import COLUMN_LETTERS
from games.engine.picture import Picture


@dataclass(frozen=True)
class Grid:
    """A board of R rows and C columns, row 0 on top, on which screens draw pieces and let people point at cells."""

    pieces: Any
    """[R, C]: the seat whose piece stands on a cell, -1 for none."""
    actions: Any = None
    """[R, C]: the action that pointing at a cell means, -1 for none; None where actions are not those of cells."""
    letters: Any = None
    """[R, C]: a letter for each piece, "" for a plain one."""
    last: tuple[int, int] | None = None
    """Cell of the last action."""
    notes: Sequence[str] = ()
    """Lines below the board."""

    def picture(self, num_actions: int) -> Picture:
        """Return the board as a picture; `ValueError` where its parts do not fit each other."""
        pieces = np.asarray(self.pieces, np.int8)
        if pieces.ndim != 2 or not pieces.size:
            raise ValueError(f"the pieces of a Grid are rows of columns, not of shape {pieces.shape}")
        actions = np.full(pieces.shape, -1) if self.actions is None else np.asarray(self.actions, np.int64)
        letters = None if self.letters is None else np.asarray(self.letters, np.str_)
        for name, part in (("actions", actions), ("letters", letters)):
            if part is not None and part.shape != pieces.shape:
                raise ValueError(f"{name} of a Grid are of shape {part.shape}, its pieces of {pieces.shape}")
        if actions.max() >= num_actions:
            raise ValueError(f"a Grid has the action {actions.max()}; there are {num_actions}")
        cells = np.full((num_actions, 2), -1)
        for row, column in np.argwhere(actions >= 0):
            cells[actions[row, column]] = row, column
        rows, columns = pieces.shape
        return Picture(
            pieces=pieces,
            cell_actions=actions,
            action_cells=cells,
            row_labels=tuple(str(row + 1) for row in range(rows)),
            column_labels=tuple(_column_label(column) for column in range(columns)),
            last=self.last,
            letters=letters,
            notes=tuple(self.notes),
        )


Drawing = str | NDArray[np.uint8] | Grid
"""A position as it is shown: lines of text, RGB pixels [H, W, 3], or a grid of pieces."""


@dataclass(frozen=True)
class Presentation:
    """Drawing of an environment's positions, and names of its actions, where the environment itself gives none.

    A module that holds one as `PRESENTATION` beside its `env`, `raw_env` or `parallel_env` gives it to that
    environment. It may be somebody else's, imported there: `from pettingzoo.classic.rps_v2 import env`. Functions are
    called with the environment itself, without wrappers, and leave it as it is.
    """

    title: str | None = None
    """Name of the game for people."""
    board: Callable[[Any], Drawing] | None = None
    """Draws the whole position."""
    view: Callable[[Any, str], Drawing] | None = None
    """Draws what an agent may know, where something is hidden; without it, the agent's observation is shown."""
    action_names: Sequence[str] = ()
    """Names of the actions, the first one that of action 0."""
    action_to_string: Callable[[Any, Any], str] | None = None
    """Names an action of the agent to act, in place of `action_names`."""
    string_to_action: Callable[[Any, str], int] | None = None
    """Reads what people type that is no name of an action; `ValueError` for what it cannot read."""

    def require_fit(self, name: str, num_actions: int) -> None:
        """Raise `UsageError` where there are not as many names as actions."""
        if self.action_names and len(self.action_names) != num_actions:
            raise UsageError(
                f"{name}: PRESENTATION names {len(self.action_names)} actions; the environment has {num_actions}"
            )


def _column_label(column: int) -> str:
    """Return `a`, `b`, ... and numbers once letters are used up."""
    return COLUMN_LETTERS[column] if column < len(COLUMN_LETTERS) else str(column + 1)
