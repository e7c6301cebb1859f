"""Torch's threads in scripts: one for small networks, and never another number than somebody has chosen."""

import os
import subprocess
import sys

import pytest

from arena.base.cores import usable_cores

pytestmark = pytest.mark.full

SCRIPT = """
import os, sys
import torch, gymnasium
from torch import nn
from agents import DQNPolicy
from agents.networks import Net
from arena.collector import Collector
from arena.env import DummyVectorEnv
from arena.policy import RandomPolicy

def threads(before, network, after, begun):
    exec(before)
    env = DummyVectorEnv([lambda: gymnasium.make("CartPole-v1")])
    Collector(RandomPolicy(action_space=env.action_space[0]), env)
    assert torch.get_num_threads() == begun or begun == 0
    policy = DQNPolicy(eval(network), None)
    Collector(policy, env)
    exec(after)
    Collector(policy, env)
    return torch.get_num_threads()

for case in {cases}:  # each in a process of its own
    if (child := os.fork()) == 0:
        print(threads(*case), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
SMALL, LARGE = "Net(4, 2, hidden_sizes=(64, 64))", "Net(4, 2, hidden_sizes=(1024, 1024))"
BOARD = "nn.Sequential(nn.Conv2d(1, 4, 3))"
ALL = usable_cores()
CASES = {
    "a small network": ("", SMALL, "", 1),
    "a large one": ("", LARGE, "", ALL),
    "a convolution": ("", BOARD, "", ALL),
    "chosen before": ("torch.set_num_threads(3)", SMALL, "", 3),
    "chosen afterwards": ("", SMALL, f"torch.set_num_threads({ALL})", ALL),
}


def numbers(cases, **chosen):
    """The number of threads in each case, of programs with these variables in their environment."""
    rest = {key: value for key, value in os.environ.items() if key not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    program = SCRIPT.format(cases=cases)
    ended = subprocess.run(
        [sys.executable, "-c", program], env=rest | chosen, capture_output=True, text=True, check=True
    )
    return list(map(int, ended.stdout.split()))


@pytest.mark.skipif(ALL == 1, reason="one core has one thread")
def test_the_number_of_threads():
    cases = [(before, network, after, 0 if before else ALL) for before, network, after, _ in CASES.values()]
    assert dict(zip(CASES, numbers(cases), strict=True)) == {case: expected for case, (*_, expected) in CASES.items()}


@pytest.mark.skipif(ALL == 1, reason="one core has one thread")
def test_the_environment_chooses():
    assert numbers([("", SMALL, "", 0)], OMP_NUM_THREADS=str(ALL)) == [ALL]
