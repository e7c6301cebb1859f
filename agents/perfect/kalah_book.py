"""Opening book of kalah with six houses and four seeds, for the first player: how it wins against every reply.

The book holds one winning move in each position that the first player can come to by its moves, as long as there are
many seeds in the houses; `KalahSolver` finds the moves from then on. `scripts/make_kalah_book.py` creates it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agents.perfect.kalah_search import KalahRules, Sown, seeds_in, seeds_of, sow

BOOK = Path(__file__).with_name("kalah_book.npz")
RULES = KalahRules(houses=6, empty_capture=False, sweep=True)
SEEDS = 4
"""In each house at the start."""
FEWEST = 31
"""Seeds in the houses down to which the book goes."""

Position = tuple[int, int, int]
"""Houses of the player to move, those of the other, and the lead of the former's store."""


def make_book(winning: Callable[[Position], int]) -> dict[Position, int]:
    """Return a winning house for each position of the book; `winning` finds one."""
    start = int(sum(SEEDS << 8 * house for house in range(RULES.houses)))
    book: dict[Position, int] = {}
    to_do = [(start, start, 0)]
    while to_do:
        position = to_do.pop()
        if position in book or is_late(position):
            continue
        book[position] = winning(position)
        to_do += positions_after(position, book[position])
    return book


def is_late(position: Position) -> bool:
    """Return whether there are too few seeds in the houses for the book."""
    return int(seeds_in(np.uint64(position[0])) + seeds_in(np.uint64(position[1]))) < FEWEST


def positions_after(position: Position, house: int) -> set[Position]:
    """Return the positions in which the same player may be to move next, after its move and any replies."""
    mine, theirs = _after(position, house)
    reached = set(mine)
    visited = set[Position]()
    while theirs:
        if (reply := theirs.pop()) in visited:
            continue
        visited.add(reply)
        for one in [house for house in range(RULES.houses) if seeds_of(np.uint64(reply[0]), house) > 0]:
            again, back = _after(reply, one)
            theirs += again
            reached |= set(back)
    return reached


def _after(position: Position, house: int) -> tuple[list[Position], list[Position]]:
    """Return the position after a move, among those of the same player or the other; in neither if the game is over."""
    own, other, lead = position
    sown: Sown = sow(np.uint64(own), np.uint64(other), house, RULES)
    mine, theirs, lead = int(sown.own), int(sown.other), lead + int(sown.gain)
    if not (mine and theirs):
        return [], []
    return ([(mine, theirs, lead)], []) if sown.again else ([], [(theirs, mine, -lead)])


def write_book(path: Path, book: Mapping[Position, int]) -> None:
    """Write a book: arrays of positions and houses."""
    order = sorted(book)
    own, other, lead = zip(*order, strict=True)
    columns: dict[str, Any] = {
        "own": np.array(own, np.uint64),
        "other": np.array(other, np.uint64),
        "lead": np.array(lead, np.int8),
        "house": np.array([book[position] for position in order], np.int8),
    }
    np.savez_compressed(path, **columns)


def read_book(path: Path) -> dict[Position, int]:
    """Read a book written by `write_book`."""
    with np.load(path, allow_pickle=False) as file:
        own, other, lead, house = (file[name].tolist() for name in ("own", "other", "lead", "house"))
    return dict(zip(zip(own, other, lead, strict=True), house, strict=True))


@cache
def shipped_book() -> dict[Position, int]:
    """Return the book of the package; empty if it has not been made."""
    return read_book(BOOK) if BOOK.exists() else {}
