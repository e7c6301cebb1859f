"""Torch's threads in scripts: one for small networks, and never another number than somebody has chosen."""

import os
import subprocess
import sys

import pytest

from arena.base.cores import usable_cores

pytestmark = pytest.mark.full

SCRIPT = """
import torch, gymnasium
from torch import nn
from agents import DQNPolicy
from agents.networks import Net
from arena.collector import Collector
from arena.env import DummyVectorEnv
from arena.policy import RandomPolicy

{before}
env = DummyVectorEnv([lambda: gymnasium.make("CartPole-v1")])
Collector(RandomPolicy(action_space=env.action_space[0]), env)
assert torch.get_num_threads() == {begun} or {begun} == 0
policy = DQNPolicy({network}, None)
Collector(policy, env)
{after}
Collector(policy, env)
print(torch.get_num_threads())
"""
SMALL, LARGE = "Net(4, 2, hidden_sizes=(64, 64))", "Net(4, 2, hidden_sizes=(1024, 1024))"
BOARD = "nn.Sequential(nn.Conv2d(1, 4, 3))"
ALL = usable_cores()
CASES = {
    "a small network": ("", SMALL, "", {}, 1),
    "a large one": ("", LARGE, "", {}, ALL),
    "a convolution": ("", BOARD, "", {}, ALL),
    "chosen before": ("torch.set_num_threads(3)", SMALL, "", {}, 3),
    "chosen afterwards": ("", SMALL, f"torch.set_num_threads({ALL})", {}, ALL),
    "chosen by the environment": ("", SMALL, "", {"OMP_NUM_THREADS": str(ALL)}, ALL),
}


@pytest.mark.skipif(ALL == 1, reason="one core has one thread")
@pytest.mark.parametrize("case", CASES)
def test_the_number_of_threads(case):
    before, network, after, told, expected = CASES[case]
    program = SCRIPT.format(before=before, network=network, after=after, begun=0 if before or told else ALL)
    rest = {key: value for key, value in os.environ.items() if key not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    ended = subprocess.run([sys.executable, "-c", program], env=rest | told, capture_output=True, text=True, check=True)
    assert int(ended.stdout) == expected
