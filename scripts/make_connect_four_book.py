"""Make the opening book of Connect Four: the exact score of every position after the first PLIES moves.

    python scripts/make_connect_four_book.py 8 --work c4-book --threads 16 --table 30

Results are kept in the folder as they come, so that it may be stopped and started again. The cost grows some fivefold a
ply; the work is shared by threads, which share one table of 2 ** TABLE positions (8 bytes each), too: what one of them
has found out of a position, the others need not.
"""

import argparse
import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_board import measures, positions_after
from agents.perfect.connect_four_book import BOOK, write_book
from agents.perfect.connect_four_search import NODE, solve

BOARD = measures(6, 7)
CHUNK = 16
"""Positions that are solved and stored together: neighbours by key, which share much of what is to be searched."""


def solve_chunk(plies: int, number: int, folder: Path, table: NDArray[np.uint64]) -> int:
    """Solve one chunk, if its file is not there; returns how many positions were looked at.

    A word of the table holds a position and its bound, and is written at once: threads need no lock.
    """
    path = folder / f"{plies}-{number:05}.npy"
    if path.exists():
        return 0
    own, mask = (words[number * CHUNK : (number + 1) * CHUNK] for words in positions_after(plies, BOARD))
    nodes = np.zeros(43, NODE)
    solved = [solve(o, m, -21, 21, BOARD, table, nodes) for o, m in zip(own, mask, strict=True)]
    unfinished = path.with_suffix(".part.npy")
    np.save(unfinished, np.array([score for score, _ in solved], np.int8))
    unfinished.rename(path)
    return sum(looked for _, looked in solved)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plies", type=int, metavar="PLIES")
    parser.add_argument("--work", type=Path, default=Path("c4-book"), metavar="DIR")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", type=int, default=26)
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    count = len(positions_after(options.plies, BOARD)[0])
    numbers = range(-(-count // CHUNK))
    began = time.monotonic()
    table = np.zeros(1 << options.table, np.uint64)
    with ThreadPoolExecutor(options.threads) as pool:
        every = [itertools.repeat(each) for each in (options.plies, options.work, table)]
        for number, looked in enumerate(pool.map(solve_chunk, every[0], numbers, every[1], every[2]), start=1):
            minutes = (time.monotonic() - began) / 60
            print(f"{number} of {len(numbers)} chunks, {minutes:.1f} min; {looked / 1e6:.0f} M positions", flush=True)
    scores = np.concatenate([np.load(options.work / f"{options.plies}-{number:05}.npy") for number in numbers])
    write_book(BOOK, scores, options.plies, BOARD)
    print(f"{BOOK}: {count} positions after {options.plies} moves, {BOOK.stat().st_size} bytes")


if __name__ == "__main__":
    main()
