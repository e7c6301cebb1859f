"""Make the opening book of kalah: python scripts/make_kalah_book.py. It takes about a minute, and 1.6 GB of memory."""

import argparse

import numpy as np

from agents.perfect.kalah import KalahSolver
from agents.perfect.kalah_book import BOOK, Position, make_book, write_book
from arena.policy.registry import make_game


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=int, default=26, help="binary logarithm of the size of the solver's table")
    options = parser.parse_args()
    solver = KalahSolver(make_game("kalah"), 1 << options.table)

    def winning(position: Position) -> int:
        own, other, lead = position
        house = solver.winning(np.uint64(own), np.uint64(other), lead)
        assert house is not None, f"{position} is not won"
        return house

    book = make_book(winning)
    write_book(BOOK, book)
    print(f"{BOOK}: {len(book)} positions, {BOOK.stat().st_size} bytes, {solver.num_searched:,} positions searched")


if __name__ == "__main__":
    main()
