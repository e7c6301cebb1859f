"""Memory that has been freed is taken again as it is, and garbage is looked for less often."""

import gc
import platform
import subprocess
import sys

import pytest

from arena.base.memory import GARBAGE
from arena.cli.main import main

pytestmark = pytest.mark.full

ROUNDS = """
import resource, sys
import numpy as np
from arena.base.memory import keep_freed_memory
if "keep" in sys.argv:
    keep_freed_memory()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    blocks = [np.ones(2**20) for _ in range(4)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def pages_cleared(*words):
    """How often a process met a new page that asked for 32 MB and freed them, twenty times."""
    done = subprocess.run([sys.executable, "-c", ROUNDS, *words], check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory as they like")
def test_pages_are_cleared_once_and_not_each_time():
    assert pages_cleared("keep") < pages_cleared() / 5


def test_a_command_has_garbage_looked_for_less_often(capsys):
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 10)
        assert main(["--version"]) == 0
        assert gc.get_threshold() == GARBAGE
    finally:
        gc.set_threshold(*before)
