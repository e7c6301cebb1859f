"""Start-up time of a process until it plays, and until it shows its help."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from benchmarks.measure import NOBODY, Peer, Row, duration, in_a_process, missing

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


def rows() -> Iterator[Row]:
    """Measure seconds in a process of its own, with kernels cached by an earlier one."""
    ours, zoo = in_a_process(OURS), "PettingZoo connect_four_v3"
    peer = missing(zoo, "pygame") or Peer(zoo, in_a_process(PEER))
    ours()  # fills the cache
    yield duration("start", "connect_four: import to first step", ours, peer)
    yield duration("start", "arena --help, the whole process", whole_process("-m", "arena", "--help"), NOBODY)


def whole_process(*words: str) -> Callable[[], float]:
    """Return a loop that runs Python with these arguments and measures it from outside."""

    def run() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        return time.perf_counter() - start

    return run
