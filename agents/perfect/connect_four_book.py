"""The opening book of Connect Four on 7 x 6: what a perfect player answers, as long as all its own moves were best.

Who always plays a best move meets few positions, whatever the other one does: of their own moves only the best have to
be followed. The book holds those of the first plies for either seat, one of a mirrored pair: its score, and the columns
that keep it. `scripts/make_connect_four_book.py` makes it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_board import Words, following, keys, measures, positions_after

BOOK = Path(__file__).with_name("connect_four_book.npz")


class Answer(NamedTuple):
    """What is known of a position, for the player to move."""

    best: NDArray[np.bool_]
    """The columns [W] that keep the score."""
    score: int
    """As `connect_four_search` says."""


class Book:
    """Answers by the `keys` of positions; columns count from the side from which the position is its own key."""

    def __init__(self, answers: Mapping[int, Answer], board: Any):
        self.answers, self._board = answers, board

    def look_up(self, own: np.uint64, mask: np.uint64) -> Answer | None:
        """What the book answers to an unfinished position; None where it holds nothing."""
        key = keys(np.array([own]), np.array([mask]), self._board)[0]
        if (answer := self.answers.get(int(key))) is None:
            return None
        return answer if own + mask == key else Answer(answer.best[::-1], answer.score)


def make_book(plies: int, board: Any, answer_all: Callable[[Words, Words], list[Answer]]) -> dict[int, Answer]:
    """The answers of a book to positions with fewer discs than `plies`; `answer_all` finds them out, ply after ply."""
    book: dict[int, Answer] = {}
    positions = [positions_after(seat, board) for seat in (0, 1)]
    for ply in range(plies):
        own, mask = positions[ply % 2]
        answers = answer_all(own, mask)
        book |= zip((own + mask).tolist(), answers, strict=True)
        positions[ply % 2] = lines(own, mask, answers, board)
    return book


def lines(own: Words, mask: Words, answers: list[Answer], board: Any) -> tuple[Words, Words]:
    """Where a player who answers so in these positions may have to move next, whatever the other one replies."""
    best = np.array([answer.best for answer in answers]).T
    return following(*following(own, mask, board, best), board)


def write_book(path: Path, answers: Mapping[int, Answer]) -> None:
    """Write a book: an array of keys, one of scores, and one of best columns."""
    order = sorted(answers)
    np.savez_compressed(
        path,
        keys=np.array(order, np.uint64),
        scores=np.array([answers[key].score for key in order], np.int8),
        best=np.array([answers[key].best for key in order], np.bool_),
    )


def read_book(path: Path, board: Any) -> Book:
    """Read what `write_book` wrote."""
    with np.load(path, allow_pickle=False) as file:
        rows = zip(file["keys"].tolist(), file["best"], file["scores"].tolist(), strict=True)
        return Book({key: Answer(best, score) for key, best, score in rows}, board)


@cache
def shipped_book() -> Book | None:
    """The book that comes with the package; None before one has been made."""
    return read_book(BOOK, measures(6, 7)) if BOOK.exists() else None
