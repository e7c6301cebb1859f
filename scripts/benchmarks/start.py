"""How long a process takes before it plays, and before it helps."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from benchmarks.measure import Peer, Row, duration, missing

OURS = """
from arena.env.native import GameVectorEnv
env = GameVectorEnv("connect_four", 1)
env.reset()
env.step([3])
"""
PEER = """
from pettingzoo.classic import connect_four_v3
env = connect_four_v3.env()
env.reset()
env.step(3)
"""
NOBODY = Peer("no peer", None)
CLOCK = "import time\nstart = time.perf_counter()\n{program}\nprint(time.perf_counter() - start)\n"


def rows() -> Iterator[Row]:
    """Seconds in a process of its own; kernels are on disk from an earlier one."""
    ours, zoo = first_step(OURS), "PettingZoo connect_four_v3"
    peer = missing(zoo, "pygame") or Peer(zoo, first_step(PEER))
    ours()  # fills the cache
    yield duration("start", "connect_four: import to first step", ours, peer)
    yield duration("start", "arena --help, the whole process", whole_process("-m", "arena", "--help"), NOBODY)


def first_step(program: str) -> Callable[[], float]:
    """Runs a program in a process and reads off how long it took."""

    def run() -> float:
        code = CLOCK.format(program=program)
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True)
        return float(done.stdout.split()[-1])

    return run


def whole_process(*words: str) -> Callable[[], float]:
    """Runs Python with these words and takes the time from outside."""

    def run() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        return time.perf_counter() - start

    return run
