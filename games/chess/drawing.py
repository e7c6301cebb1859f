"""Pictures of chess positions: white below, letters for the pieces."""

import numpy as np
from numpy.typing import NDArray

from games.chess.actions import ORIGINS, TARGETS
from games.chess.fen import LETTERS, letters, pieces
from games.engine.game import State
from games.engine.picture import Picture

UPSIDE_DOWN = 56
FIGURES = np.array(["", *"♙♘♗♖♕♔", "", *"♟♞♝♜♛♚"])
"""By kind of piece, those of white first."""


def cells(squares: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """Return row and column of squares [N, 2] that the player `turn` sees; -1 stays -1."""
    viewed = squares ^ (UPSIDE_DOWN * turn)
    return np.where(squares[:, None] < 0, -1, np.stack([7 - viewed // 8, viewed % 8], axis=1))


def picture(state: State) -> Picture:
    """Return the board, the last move's target marked; below it the move's number and a check."""
    kinds, seats = pieces(state)
    turn, last = int(state["turn"]), int(state["last_action"])
    marked = cells(TARGETS[[last]], 1 - turn)[0].tolist()
    check = ", in check" if state["in_check"] else ""
    return Picture(
        pieces=seats.reshape(8, 8)[::-1].copy(),
        cell_actions=np.full((8, 8), -1),
        action_cells=cells(TARGETS, turn),
        row_labels=tuple("87654321"),
        column_labels=tuple("abcdefgh"),
        last=(marked[0], marked[1]) if last >= 0 else None,
        letters=letters(kinds, seats).reshape(8, 8)[::-1].copy(),
        figures=FIGURES[kinds + len(LETTERS) * (seats == 1)].reshape(8, 8)[::-1].copy(),
        action_origins=cells(ORIGINS, turn),
        board="squares",
        sides=("white", "black"),
        notes=(f"move {state['number']}, {('white', 'black')[turn]}{check}",),
    )
