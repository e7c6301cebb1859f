"""What a process and its descendants use."""

import os
import subprocess
import sys

from arena.processes.tree import tree, used_time

BUSY = """
import os, sys, time
def work():
    while time.process_time() < 0.3: pass
ended = os.fork()
if not ended:
    work(); os._exit(0)
os.waitpid(ended, 0)
staying = os.fork()
work()
print(flush=True)
sys.stdin.read()
"""


def test_time_of_a_tree():
    program = subprocess.Popen([sys.executable, "-I", "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdout
    for _ in "parent", "staying child":
        assert program.stdout.readline() == b"\n"
    processes = tree(program.pid)
    assert len(processes) == 2
    assert 0.8 <= used_time(processes) < 1.4, "three times 0.3 s, and the start"
    assert used_time([processes[1]]) < used_time(processes)
    program.communicate()
    assert used_time([program.pid]) == 0, "it has ended"
    assert used_time([os.getpid()]) > 0
