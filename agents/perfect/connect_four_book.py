"""Opening book of Connect Four on 7 x 6, for a player whose own moves were all best ones.

A perfect player meets few positions, since only its own best moves have to be followed. For either seat, the book holds
the score and the best columns of these positions in the first plies, with one of each mirrored pair.
`scripts/make_connect_four_book.py` creates it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_board import Words, following, keys, measures, positions_after

BOOK = Path(__file__).with_name("connect_four_book.npz")


class BookEntry(NamedTuple):
    """Best columns and score of a position, for the player to move."""

    best: NDArray[np.bool_]
    """Best columns, [W]."""
    score: int
    """Score as in `connect_four_search`."""


class SolutionBook:
    """Entries by the `keys` of positions; columns are those of the mirror image whose own word is the key."""

    def __init__(self, answers: Mapping[int, BookEntry], board: Any):
        self.answers, self._board = answers, board

    def look_up(self, own: np.uint64, mask: np.uint64) -> BookEntry | None:
        """Return the entry of an unfinished position, None if there is none."""
        key = keys(np.array([own]), np.array([mask]), self._board)[0]
        if (answer := self.answers.get(int(key))) is None:
            return None
        return answer if own + mask == key else BookEntry(answer.best[::-1], answer.score)


def make_book(plies: int, board: Any, answer_all: Callable[[Words, Words], list[BookEntry]]) -> dict[int, BookEntry]:
    """Return the entries of positions with fewer than `plies` discs; `answer_all` solves the positions of one ply."""
    book: dict[int, BookEntry] = {}
    positions = [positions_after(seat, board) for seat in (0, 1)]
    for ply in range(plies):
        own, mask = positions[ply % 2]
        answers = answer_all(own, mask)
        book |= zip((own + mask).tolist(), answers, strict=True)
        positions[ply % 2] = lines(own, mask, answers, board)
    return book


def lines(own: Words, mask: Words, answers: list[BookEntry], board: Any) -> tuple[Words, Words]:
    """Return the positions at the next move of a player who plays the best moves, after any reply."""
    best = np.array([answer.best for answer in answers]).T
    return following(*following(own, mask, board, best), board)


def write_book(path: Path, answers: Mapping[int, BookEntry]) -> None:
    """Write a book: arrays of keys, scores and best columns."""
    order = sorted(answers)
    np.savez_compressed(
        path,
        keys=np.array(order, np.uint64),
        scores=np.array([answers[key].score for key in order], np.int8),
        best=np.array([answers[key].best for key in order], np.bool_),
    )


def read_book(path: Path, board: Any) -> SolutionBook:
    """Read a book written by `write_book`."""
    with np.load(path, allow_pickle=False) as file:
        rows = zip(file["keys"].tolist(), file["best"], file["scores"].tolist(), strict=True)
        return SolutionBook({key: BookEntry(best, score) for key, best, score in rows}, board)


@cache
def shipped_book() -> SolutionBook | None:
    """Return the book of the package, None if it has not been made."""
    return read_book(BOOK, measures(6, 7)) if BOOK.exists() else None
