"""The opening book of Connect Four on 7 x 6: the scores of all positions after up to N moves, mirrored ones once.

The file holds nothing but scores (int8), ply after ply in the order of the positions' keys, so that it stays small; the
positions are found anew when it is read. `scripts/make_connect_four_book.py` makes it.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_board import Words, children, has_four, keys, measures, positions_after

BOOK = Path(__file__).with_name("connect_four_book.npz")


class Book:
    """Known scores, ply by ply."""

    def __init__(self, scores: list[NDArray[np.int8]], board: Any):
        self.plies = len(scores)
        """Positions with fewer discs are known."""
        self._scores = scores
        self._keys = [keys(*positions_after(ply, board), board) for ply in range(self.plies)]
        self._board = board

    def score(self, own: np.uint64, mask: np.uint64) -> int:
        """The score of an unfinished position with fewer than `plies` discs, for the player to move."""
        ply = int(mask).bit_count()
        key = keys(np.array([own]), np.array([mask]), self._board)
        return int(self._scores[ply][np.searchsorted(self._keys[ply], key)[0]])


@cache
def shipped_book() -> Book | None:
    """The book that comes with the package; None before one has been made."""
    if not BOOK.exists():
        return None
    with np.load(BOOK, allow_pickle=False) as file:
        return Book([file[f"ply_{ply}"] for ply in range(len(file.files))], measures(6, 7))


def write_book(path: Path, deepest: NDArray[np.int8], plies: int, board: Any) -> None:
    """Write the book that follows from the scores of all positions after `plies` moves, in the order of their keys."""
    scores = {plies: deepest}
    for ply in range(plies - 1, -1, -1):
        scores[ply] = scores_before(scores[ply + 1], ply, board)
    np.savez_compressed(path, **{f"ply_{ply}": scores[ply] for ply in sorted(scores)})  # type: ignore[arg-type]


def scores_before(after: NDArray[np.int8], ply: int, board: Any) -> NDArray[np.int8]:
    """Scores of all positions after `ply` moves, from those of the positions one move later."""
    known = keys(*positions_after(ply + 1, board), board)
    own, mask, lawful = children(*positions_after(ply, board), board)
    wins = lawful & has_four(own ^ mask, board)
    places = np.minimum(np.searchsorted(known, keys_of(own, mask, board)), len(known) - 1)
    worth = np.where(lawful & ~wins, -after[places].astype(np.int64), -127)
    worth[wins] = (int(board["count"]) + 1 - ply) // 2
    best: NDArray[np.int8] = worth.max(axis=0).astype(np.int8)
    return best


def keys_of(own: Words, mask: Words, board: Any) -> Words:
    """Keys of positions in an array of any shape."""
    return keys(own.ravel(), mask.ravel(), board).reshape(own.shape)
