"""Saving a training and loading it again takes hardly more memory than its buffer does."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.full

SAVE = """
import numpy as np
from arena.data import Batch, VectorReplayBuffer
from arena.training.folder import RunFolder
from pathlib import Path

def memory_mb(name):
    return int(next(line for line in open("/proc/self/status") if line.startswith(name)).split()[1]) / 1024

buffer, ids, no = VectorReplayBuffer(50_000, 50), np.arange(50), np.zeros(50, bool)
folder = RunFolder(Path("run"))
"""
FILL = """
obs = np.ones((50, 1000), np.float32)
for _ in range(int(1000 * {share})):
    buffer.add(Batch(obs=obs, act=ids, rew=ids, terminated=no, truncated=no), ids)
held = memory_mb("VmRSS")
folder.write_state({{}}, Batch(buffer=buffer.filled_state_dict()))
print(memory_mb("VmHWM") - held)
"""
LOAD = """
folder.claim({}, resume=True)
before = memory_mb("VmRSS")
buffer.load_state_dict(folder.read_arrays().buffer)
print(len(buffer), memory_mb("VmHWM") - before)
"""


def run(folder, program):
    done = subprocess.run(
        [sys.executable, "-c", SAVE + program], cwd=folder, capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells how much memory a process has had")
@pytest.mark.parametrize(("share", "saving_mb"), [(1.0, 20), (0.7, 20), (0.2, 60)])
def test_the_buffer_is_there_once(share, saving_mb, tmp_path):
    """Of 200 MB when it is full. A part of less than half is copied, which takes no more than the whole would."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    (saving,) = run(tmp_path, FILL.format(share=share))
    held, loading = run(tmp_path, LOAD)
    assert held == 50_000 * share
    assert saving < saving_mb
    assert loading < 220
