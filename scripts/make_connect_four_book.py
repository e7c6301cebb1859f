"""Make the opening book of Connect Four: what a perfect player answers to positions with fewer than PLIES discs.

    python scripts/make_connect_four_book.py 8 --work c4-book --threads 2

What the book knows already is taken over, and other answers are kept in the folder as they are found: it may be stopped
and started again. Ctrl-C writes the book as far as it has come. Answers are worked out in threads that share one table
of 2 ** TABLE positions (8 bytes each): what one has found out, the others need not.
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
from agents.perfect.connect_four_book import BOOK, Answer, make_book, shipped_book, write_book
from arena.registry import make_game


class Work:
    """Answers that are known: the book's, and those in a file of lines: key, score, best columns as seven digits."""

    def __init__(self, file: Path):
        self._file = file
        book = shipped_book()
        self.answers: dict[int, Answer] = {} if book is None else dict(book.answers)
        if file.exists():
            for line in file.read_text().splitlines(keepends=True):
                if line.endswith("\n"):  # the last one may have been cut off
                    key, score, best = line.split()
                    self.answers[int(key)] = Answer(np.array([digit == "1" for digit in best]), int(score))

    def add(self, key: int, answer: Answer) -> None:
        """Remember an answer."""
        self.answers[key] = answer
        with self._file.open("a") as file:
            file.write(f"{key} {answer.score} {''.join(str(int(each)) for each in answer.best)}\n")


class Solving:
    """Answers to positions: known ones from `work`, the others worked out in threads."""

    def __init__(self, work: Work, threads: int, table: int):
        self._work = work
        self._table = np.zeros(1 << table, np.uint64)
        self._pool = ThreadPoolExecutor(threads)
        self._mine = local()

    def answer_all(self, own: Words, mask: Words) -> list[Answer]:
        """Answers to positions that are their own keys, in their order."""
        known, found = self._work.answers, (own + mask).tolist()
        new = [place for place, key in enumerate(found) if key not in known]
        answers = self._pool.map(self._answer, own[new], mask[new])
        title = f"after {int(mask[0]).bit_count()} moves"
        for place in track(new, title, disable=not new):
            self._work.add(found[place], next(answers))
        print(f"{title}: {len(found)} positions, {len(new)} of them new", flush=True)
        return [known[key] for key in found]

    def _answer(self, own: np.uint64, mask: np.uint64) -> Answer:
        if not hasattr(self._mine, "solver"):
            self._mine.solver = ConnectFourSolver(make_game("connect_four"), self._table)
        answer: Answer = self._mine.solver.solve(own, mask)
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plies", type=int, metavar="PLIES", help="discs after which the book ends")
    parser.add_argument("--work", type=Path, default=Path("c4-book"), metavar="DIR")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", type=int, default=26)
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    work = Work(options.work / "answers.txt")
    with suppress(KeyboardInterrupt):
        make_book(options.plies, measures(6, 7), Solving(work, options.threads, options.table).answer_all)
    write_book(BOOK, work.answers)
    print(f"{BOOK}: {len(work.answers)} positions, {BOOK.stat().st_size} bytes")


if __name__ == "__main__":
    main()
