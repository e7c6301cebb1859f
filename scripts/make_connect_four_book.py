"""Make the opening book of Connect Four: perfect answers to all positions with fewer than PLIES discs.

    python scripts/make_connect_four_book.py 8 --work c4-book --threads 2

Answers of the existing book are reused, and new ones are saved in the folder at once, so that an interrupted run can be
restarted. Ctrl-C writes the book with the answers so far. Positions are solved in threads that share one transposition
table of 2 ** TABLE positions (8 bytes each).
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import local

import numpy as np
from rich.progress import track

from agents.perfect.connect_four import ConnectFourSolver
from agents.perfect.connect_four_board import Words, measures
from agents.perfect.connect_four_book import BOOK, BookEntry, make_book, shipped_book, write_book
from arena.policy.registry import make_game


class AnswerFile:
    """Known answers: the book's, and those in a file of lines: key, score, best columns as seven digits."""

    def __init__(self, file: Path):
        self._file = file
        book = shipped_book()
        self.answers: dict[int, BookEntry] = {} if book is None else dict(book.answers)
        if file.exists():
            for line in file.read_text().splitlines(keepends=True):
                if line.endswith("\n"):  # the last one may have been cut off
                    key, score, best = line.split()
                    self.answers[int(key)] = BookEntry(np.array([digit == "1" for digit in best]), int(score))

    def add(self, key: int, answer: BookEntry) -> None:
        """Add an answer."""
        self.answers[key] = answer
        with self._file.open("a") as file:
            file.write(f"{key} {answer.score} {''.join(str(int(each)) for each in answer.best)}\n")


class ParallelSolver:
    """Answers positions: known ones from the file, all others solved in threads."""

    def __init__(self, answer_file: AnswerFile, threads: int, table: int):
        self._answer_file = answer_file
        self._table = np.zeros(1 << table, np.uint64)
        self._pool = ThreadPoolExecutor(threads)
        self._mine = local()

    def answer_all(self, mover: Words, mask: Words) -> list[BookEntry]:
        """Return answers to positions that are their mover keys, in their order."""
        known, keys = self._answer_file.answers, (mover + mask).tolist()
        new = [place for place, key in enumerate(keys) if key not in known]
        answers = self._pool.map(self._answer, mover[new], mask[new])
        title = f"after {int(mask[0]).bit_count()} moves"
        for place in track(new, title, disable=not new):
            self._answer_file.add(keys[place], next(answers))
        print(f"{title}: {len(keys)} positions, {len(new)} of them new", flush=True)
        return [known[key] for key in keys]

    def _answer(self, mover: np.uint64, mask: np.uint64) -> BookEntry:
        if not hasattr(self._mine, "solver"):
            self._mine.solver = ConnectFourSolver(make_game("connect_four"), self._table)
        answer: BookEntry = self._mine.solver.solve(mover, mask)
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plies", type=int, metavar="PLIES", help="discs after which the book ends")
    parser.add_argument("--work", type=Path, default=Path("c4-book"), metavar="DIR", help="folder of new answers")
    parser.add_argument("--threads", type=int, default=1, help="threads that solve positions")
    parser.add_argument("--table", type=int, default=26, help="binary logarithm of the table's size")
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    answer_file = AnswerFile(options.work / "answers.txt")
    with suppress(KeyboardInterrupt):
        make_book(options.plies, measures(6, 7), ParallelSolver(answer_file, options.threads, options.table).answer_all)
    write_book(BOOK, answer_file.answers)
    print(f"{BOOK}: {len(answer_file.answers)} positions, {BOOK.stat().st_size} bytes")


if __name__ == "__main__":
    main()
