"""Environments of different speeds, and a policy that sets them."""

from functools import partial
from pathlib import Path
from time import sleep

import numpy as np

from arena.collector import AsyncCollector
from arena.data import Batch, VectorReplayBuffer
from arena.policy.protocol import Policy
from tests.env.troubled import Troubled

WAIT = -9
"""The action that lets an environment wait for its gate."""


class Gated(Troubled):
    """A step by the action WAIT ends once the file named by the environment's number is there."""

    def __init__(self, number: int, length: int, gates: Path):
        super().__init__(number, length)
        self.gate = gates / str(number)

    def step(self, action):
        while action == WAIT and not self.gate.exists():
            sleep(0.002)
        return super().step(action)

    def render(self):
        return f"{self.number} at {self.steps}"


class Sleeper(Policy):
    """Takes the action that `pace` has for each environment, and writes down whom it was asked for."""

    def __init__(self, *pace: int):
        self.pace, self.asked = np.array(pace), []

    def forward(self, batch, state=None):
        self.asked.append(batch.env_id.tolist())
        return Batch(act=self.pace[batch.env_id], policy=Batch(asked=np.full(len(batch.env_id), len(self.asked))))


def slow(opened, kind, policy: Sleeper, wait_num=None, timeout=None, length=1000, gates=Path(), **options):
    """A collector of as many environments as the policy has a pace for."""
    count = len(policy.pace)
    env = kind([partial(Gated, number, length, gates) for number in range(count)], wait_num, timeout)
    return opened(AsyncCollector, policy, env, VectorReplayBuffer(100 * count, count), **options)


def rings(collector) -> list[Batch]:
    """What each sub-buffer holds, in the order of time."""
    buffer = collector.buffer
    size = buffer.maxsize // buffer.buffer_num
    places = buffer.sample_indices(0)
    return [buffer[places[places // size == ring]] for ring in range(buffer.buffer_num)]
