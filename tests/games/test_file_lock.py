"""Processes that share a lock, and the kernels that they compile once between them."""

import os
import subprocess
import sys
import time
from collections import Counter

import pytest

from games.engine.file_lock import file_lock

pytestmark = pytest.mark.full

HOLD = """
import sys
from games.engine.file_lock import file_lock
with file_lock(sys.argv[1], 10.0):
    print("held", flush=True)
    sys.stdin.read()
"""
COMPILE = """
from arena.env.native import GameVectorEnv
from games.engine.jit import KernelCache
from games.engine.registry import make_game
save = KernelCache.save_overload
def saved(self, signature, data):
    print(self._function.__qualname__, flush=True)
    save(self, signature, data)
KernelCache.save_overload = saved
env = GameVectorEnv(make_game("tic_tac_toe:m=5,n=5,k=4"), 2)
env.reset(seed=1)
env.step(env.mask.argmax(axis=1))
"""


def start(code: str, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=os.environ | environment, **pipes)


def test_a_lock_is_waited_for_and_ends_with_its_process(tmp_path):
    path = str(tmp_path / "lock")
    with start(HOLD, path) as other:
        assert other.stdout.readline() == "held\n"
        began = time.monotonic()
        with file_lock(path, 0.3):
            assert time.monotonic() - began >= 0.3, "others are waited for, but not for ever"
        other.kill()
        other.wait()
        began = time.monotonic()
        with file_lock(path, 60.0):
            assert time.monotonic() - began < 30


def test_what_cannot_be_locked_is_done_all_the_same(tmp_path):
    ran = []
    with file_lock(str(tmp_path / "nowhere" / "lock"), 60.0):
        ran.append(1)
    assert ran


@pytest.mark.slow("compiles a game in every process")
def test_processes_that_start_together_compile_each_kernel_once(tmp_path):
    programs = [start(COMPILE, ARENA_CACHE=str(tmp_path)) for _ in range(3)]
    compiled = Counter(name for program in programs for name in program.communicate(timeout=300)[0].split())
    assert [program.returncode for program in programs] == [0, 0, 0]
    assert {"reset", "step"} & compiled.keys()
    assert set(compiled.values()) == {1}
