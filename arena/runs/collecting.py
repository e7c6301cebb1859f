"""Collecting: boards of a game, and transitions of an agent for others to learn from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.checks import require_between
from arena.base.errors import UsageError
from arena.base.seeding import make_rng, spawn_seeds
from arena.collector.of_task import collector_of
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.infos import of_numbers
from arena.data.rows import as_array
from arena.policy.agent_spec import AgentSpec
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registry import learning_algorithm, make_agent
from arena.runs.tasks import GymTask
from games.engine.game import Game


class PartlyRandomPolicy(Policy):
    """Wraps a policy and replaces a share of its actions by random legal ones.

    Args:
        policy: the wrapped policy.
        share: probability of a random action, 0 to 1.
        seed: seed of the replacements.
        random: draws the replacements; by default from the legal actions of a mask.

    """

    def __init__(self, policy: Policy, share: float, seed: int, random: Policy | None = None):
        require_between(0, 1, random=share)
        self._policy, self._share = policy, share
        self._rng, self._random = make_rng(seed), random or RandomPolicy()
        self._random.reset(seed + 1)
        self.needs_state = policy.needs_state  # type: ignore[misc]  # of the wrapped policy, not of the class

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the wrapped policy's actions, some of them replaced."""
        chosen = self._policy.forward(batch, state)
        rows = self._rng.random(len(chosen.act)) < self._share
        act = as_array(chosen.act)
        if rows.any():
            drawn = self._policy.map_action_inverse(as_array(self._random.forward(batch).act), batch)
            act = np.where(rows.reshape(-1, *[1] * (act.ndim - 1)), drawn, act)
        return Batch(act=act, state=chosen.get("state", Batch()))

    def map_action(self, act: Any, batch: Batch | None = None) -> Any:
        """Map actions as the wrapped policy does."""
        return self._policy.map_action(act, batch)

    def map_action_inverse(self, act: Any, batch: Batch | None = None) -> Any:
        """Map actions back as the wrapped policy does."""
        return self._policy.map_action_inverse(act, batch)


def collect_transitions(
    task: Game | GymTask, spec: str, steps: int, random: float, environments: int, seed: int
) -> tuple[VectorReplayBuffer, NDArray[np.float64]]:
    """Return at least `steps` transitions of an agent, which plays all seats, and the returns of finished episodes.

    `spec` names the agent, such as `ppo:runs/mine`. In games a share `random` of its moves is random; in Gymnasium
    environments use the agent `random` instead. The transitions of each seat are stored apart; of infos only the
    numbers are kept, since files hold nothing else. The last moves of games that are still open have no outcome yet and
    are no transitions, so that a few moves more are played.
    """
    environment_seed, move_seed = spawn_seeds(seed, count=2)
    if isinstance(task, Game):
        policy: Policy = PartlyRandomPolicy(make_agent(spec, task), random, move_seed, make_agent("random", task))
        at_random = False
    else:
        if random:
            raise UsageError("a share of random moves is only for games; collect from the agent 'random' as well")
        at_random = spec == "random"
        policy = RandomPolicy() if at_random else load_for(task, spec)
    seats = task.num_players if isinstance(task, Game) else 1
    rings = environments * seats
    per_ring = -(-steps // environments) + 1 + seats  # a seat may wait for the outcome of its last move
    buffer = VectorReplayBuffer(rings * per_ring, rings)
    collector = collector_of(task if isinstance(task, Game) else task.make, environments, policy, buffer)
    env: Any = collector.env
    for number, space in enumerate(env.action_space if at_random else []):
        space.seed((move_seed + number) % 2**31)
    policy.reset(move_seed)
    collector.reset_env({"seed": environment_seed % 2**31})
    returns = []
    while (missing := steps - len(buffer)) > 0:
        returns.append(collector.collect(n_step=missing, random=at_random).returns)
    buffer.cut()
    storage = buffer.state_dict().storage
    buffer.set_batch(Batch(storage, info=of_numbers(storage.info)))
    collector.close()
    return buffer, np.concatenate(returns)


def load_for(task: GymTask, spec: str) -> BasePolicy:
    """Return the policy of a spec such as `dqn:runs/mine` for a Gymnasium environment, in evaluation mode."""
    agent = AgentSpec.parse(spec)
    return load_policy(agent.name, learning_algorithm(agent.name), task, agent.argument)
