"""Collecting: boards of a game, and transitions of an agent for others to learn from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.collector.of_task import collector_of
from arena.data.batch import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.infos import of_numbers
from arena.policy.agent_spec import AgentSpec
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.noisy import NoisyPolicy
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registry import learning_algorithm, make_agent
from arena.training.tasks import GymTask
from games.engine.game import Game


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
        policy: Policy = NoisyPolicy(make_agent(spec, task), make_agent("random", task), random)
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
