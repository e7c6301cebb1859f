"""Work on parts of a batch: all of it is done, side by side where it is worth it, and what goes wrong is told."""

import gc
import threading
import weakref

import numpy as np
import pytest

from arena.env import row_threads
from arena.env.row_threads import RowThreads


@pytest.fixture
def heavy(monkeypatch):
    monkeypatch.setattr(row_threads, "LEAST_PART_S", 1e-12)


def parts_of(threads: RowThreads, size: int) -> list[tuple[int, range]]:
    parts: list[tuple[int, range]] = []
    threads.over(size, lambda k, rows: parts.append((k, range(size)[rows])))
    return sorted(parts, key=lambda part: part[0])


@pytest.mark.usefixtures("heavy")
@pytest.mark.parametrize("size", [0, 1, 2, 3, 100])
def test_the_parts_are_all_rows_once(size):
    threads = RowThreads(3)
    for _ in range(3):
        parts = parts_of(threads, size)
        assert [k for k, _ in parts] == list(range(max(1, min(3, size))))
        assert [row for _, rows in parts for row in rows] == list(range(size))


@pytest.mark.usefixtures("heavy")
def test_parts_run_at_the_same_time():
    both = threading.Barrier(2, timeout=20)  # passed only if two arrive
    threads, who = RowThreads(2), np.zeros(2, np.int64)

    def work(k, rows):
        both.wait()
        who[k] = threading.get_ident()

    threads.over(2, work)
    assert who[0] == threading.get_ident() != who[1]


def test_light_work_stays_in_one_thread():
    threads = RowThreads(2)
    assert len(parts_of(threads, 10)) == 2  # nothing is known of it yet
    assert len(parts_of(threads, 10)) == 1


@pytest.mark.usefixtures("heavy")
@pytest.mark.parametrize("faulty", [0, 1])
def test_what_a_part_raises_is_raised_when_all_are_done(faulty):
    threads, done = RowThreads(2), []

    def work(k, rows):
        if k == faulty:
            raise ArithmeticError(f"part {k}")
        done.append(k)

    with pytest.raises(ArithmeticError, match=f"part {faulty}"):
        threads.over(10, work)
    assert done == [1 - faulty]
    assert len(parts_of(threads, 10)) == 2


@pytest.mark.usefixtures("heavy")
def test_threads_end_with_their_owner():
    before = threading.enumerate()  # of other tests, some may end meanwhile
    threads = RowThreads(3)
    parts_of(threads, 10)
    mine = [thread for thread in threading.enumerate() if thread.name == "games" and thread not in before]
    assert len(mine) == 2
    gone = weakref.ref(threads)
    del threads
    gc.collect()
    assert gone() is None
    for thread in mine:
        thread.join(20)
        assert not thread.is_alive()
