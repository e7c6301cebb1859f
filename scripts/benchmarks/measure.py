"""Side-by-side measurement of two loops."""

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

Work = Callable[[], int]
"""Do one round and return its units of work."""


@dataclass(frozen=True)
class Row:
    """One comparison."""

    section: str
    work: str
    """Description of the work."""
    ours: float
    peer: float | None
    """Figure of the peer; None if there is no peer, or it is not installed."""
    peer_name: str
    ratio: float | None
    """Factor by which ours is faster; None without a peer."""
    unit: str


@dataclass(frozen=True)
class Peer:
    """Another library at the same work, and its loop."""

    name: str
    loop: Callable[[], float] | None
    """None if there is no peer, or it is not installed; the name says which."""


NOBODY = Peer("no peer", None)


def missing(peer: str, *packages: str) -> Peer | None:
    """Return a peer that cannot run because one of its packages is not installed; None if all are."""
    absent = [package for package in packages if importlib.util.find_spec(package) is None]
    return Peer(f"{peer} not run: {', '.join(absent)} not installed (extra: bench)", None) if absent else None


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and the processes that it starts, on one core, where the system can."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def rate(section: str, work: str, unit: str, ours: Work, peer: Peer, rounds: int = 5) -> Row:
    """Measure units of work a second: the median of one-second rounds in which the two alternate."""
    for loop in (ours, peer.loop):
        if loop is not None:
            loop()  # compiles and fills caches
    mine, theirs = _alternate(_one_second_of, ours, peer, rounds)
    return Row(section, work, mine, theirs, peer.name, mine / theirs if theirs else None, unit)


def duration(section: str, work: str, ours: Callable[[], float], peer: Peer, rounds: int = 5) -> Row:
    """Measure seconds as reported by the loops: the median of rounds in which the two alternate."""
    mine, theirs = _alternate(lambda loop: loop(), ours, peer, rounds)
    return Row(section, work, mine, theirs, peer.name, theirs / mine if theirs else None, "s")


def in_a_process(program: str, setup: str = "") -> Callable[[], float]:
    """Return a loop that runs a program in a process of its own and returns its seconds, `setup` excluded."""
    code = f"{setup}\nimport time\nstart = time.perf_counter()\n{program}\nprint(time.perf_counter() - start)\n"

    def run() -> float:
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True)
        return float(done.stdout.split()[-1])

    return run


def _alternate(
    measure: Callable[[Callable[[], float]], float], ours: Callable[[], float], peer: Peer, rounds: int
) -> tuple[float, float | None]:
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(measure(ours))
        if peer.loop is not None:
            theirs.append(measure(peer.loop))
    return median(mine), median(theirs) if theirs else None


def _one_second_of(work: Callable[[], float]) -> float:
    start, done = time.perf_counter(), 0.0
    while (spent := time.perf_counter() - start) < 1.0:
        done += work()
    return done / spent
