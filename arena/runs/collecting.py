"""Collecting transitions of an agent for others to learn from."""

from typing import Any

import numpy as np

from arena.collector.collector import Collector
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.stats import CollectStats
from arena.env.base import DummyVectorEnv
from arena.env.native import GameVectorEnv
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.registry import learning_algorithm, make_agent
from arena.runs.tasks import GymTask
from arena.seeding import make_rng, spawn_seeds
from games.engine.game import Game


class SometimesRandom(Policy):
    """Another policy, with a share of its actions replaced by random legal ones.

    Args:
        policy: the other one.
        share: chance of a random action, 0 to 1.
        seed: fixes which.

    """

    def __init__(self, policy: Policy, share: float, seed: int):
        if not 0 <= share <= 1:
            raise UsageError(f"random={share} is not between 0 and 1")
        self._policy, self._share = policy, share
        self._rng, self._random = make_rng(seed), RandomPolicy(seed + 1)
        self.needs_state = policy.needs_state  # type: ignore[misc]  # of the one inside, not of the class

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """What the other does, or now and then something random."""
        chosen = self._policy.forward(batch, state)
        rows = self._rng.random(len(chosen.act)) < self._share
        act = np.where(rows, self._random.forward(batch).act, chosen.act)
        return Batch(act=act, state=chosen.get("state", Batch()))


def collect_transitions(
    task: Game | GymTask, spec: str, steps: int, random: float, environments: int, seed: int
) -> tuple[VectorReplayBuffer, CollectStats]:
    """At least `steps` steps of an agent (a spec, such as `ppo:runs/mine`) in every seat of a task.

    A share `random` of its moves in games is random; in Gymnasium's environments the agent `random` alone is. Returns
    the transitions, those of every seat apart, and what there is to say of them.
    """
    environment_seed, move_seed = spawn_seeds(seed, count=2)
    if isinstance(task, Game):
        policy: Policy = SometimesRandom(make_agent(spec, task), random, move_seed)
        env: Any = GameVectorEnv(task, environments)
        at_random = False
    else:
        if random:
            raise UsageError("a share of random moves is for games; collect from the agent 'random' as well, instead")
        at_random = spec == "random"
        policy = RandomPolicy() if at_random else load_for(task, spec)
        env = DummyVectorEnv([task.make] * environments)
    rings = environments * env.num_agents
    per_ring = -(-steps // environments) + 1
    buffer = VectorReplayBuffer(rings * per_ring, rings)
    collector = Collector(policy, env, buffer)
    for number, space in enumerate(env.action_space if at_random else []):
        space.seed((move_seed + number) % 2**31)
    policy.reset(move_seed)
    collector.reset_env({"seed": environment_seed % 2**31})
    stats = collector.collect(n_step=steps, random=at_random)
    buffer.cut()
    collector.close()
    return buffer, stats


def load_for(task: GymTask, spec: str) -> BasePolicy:
    """The policy that a spec (`dqn:runs/mine`) names, for a Gymnasium environment, in testing state."""
    name, _, folder = spec.partition(":")
    return load_policy(name, learning_algorithm(name), task, folder)
