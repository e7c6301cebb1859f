"""The clock that compiled code reads."""

import threading
import time

from agents.search.deadline import bring_forward, monotonic, new_deadline, passed
from games.engine.jit import njit


@njit(nogil=True)
def wait_for(deadline):
    """Return how often the clock was read before the deadline."""
    looks = 0
    while not passed(deadline):
        looks += 1
    return looks


@njit
def compiled_time():
    """Return the time as compiled code reads it."""
    return monotonic()


def test_compiled_code_reads_the_clock_of_python():
    compiled_time()
    before = time.monotonic()
    assert before <= compiled_time() <= time.monotonic()


def test_a_deadline_passes_at_its_time():
    wait_for(new_deadline(0.0))
    deadline = new_deadline(0.01)
    assert wait_for(deadline) > 0
    assert time.monotonic() >= deadline[0]


def test_without_a_time_it_passes_once_it_is_brought_forward():
    deadline = new_deadline(None)
    assert not passed(deadline)
    threading.Timer(0.01, bring_forward, (deadline,)).start()
    wait_for(deadline)
    assert passed(deadline)
