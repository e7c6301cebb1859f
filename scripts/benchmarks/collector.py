"""Collecting with random actions into a buffer: native boards, PettingZoo's game and CartPole, beside Tianshou's."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from classic import classic

from arena.collector.collector import Collector
from arena.data.buffer.manager import VectorReplayBuffer
from arena.env.base import DummyVectorEnv
from arena.env.games import VectorGames
from arena.env.make import vector_games
from arena.env.native import GameVectorEnv
from arena.env.pettingzoo import PettingZooEnv
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_game
from benchmarks.measure import Peer, Row, Work, missing, rate

BOARDS, ENVS, ROUNDS = 1024, 10, 50
HOSTED = 64
"""Boards of the hosted game: as many as a training has at least, so that a step's own work is shared by as many."""


def rows() -> Iterator[Row]:
    """Measure moves a second into the buffer; games that end are restarted."""
    title = f"Tianshou, {ENVS} tictactoe_v3"
    peer = missing(title, "tianshou", "pygame") or Peer(title, tianshou_moves())
    for game in ("tic_tac_toe", "connect_four"):
        work = f"{game}, {BOARDS:,} boards: Collector with RandomPolicy, buffer written"
        yield rate("collector", work, "moves/s", collecting(GameVectorEnv(game, BOARDS)), peer)
    work = f"{ENVS} tictactoe_v3 through PettingZooEnv: Collector with RandomPolicy, buffer written"
    if absent := missing(work, "pygame"):
        print(f"\ncollector: {absent.name}")  # ours needs it as well: there is no row
    else:
        ours = collecting(DummyVectorEnv([lambda: PettingZooEnv(tictactoe())] * ENVS))
        yield rate("collector", work, "moves/s", ours, peer)
        alone = Peer("PettingZoo alone, the same moves", bare_moves())
        yield rate("collector", work, "moves/s", ours, alone)
        for boards in (ENVS, HOSTED):
            hosted = collecting(vector_games(make_game("pettingzoo:pettingzoo.classic.tictactoe_v3"), boards))
            work = f"{boards} tictactoe_v3 as a hosted game: Collector with RandomPolicy, buffer written"
            yield rate("collector", work, "moves/s", hosted, alone)
    work = f"{ENVS} CartPoles in a DummyVectorEnv: Collector with random actions, buffer written"
    title = "Tianshou, the same"
    peer = missing(title, "tianshou") or Peer(title, tianshou_cart_poles())
    ours = collecting(DummyVectorEnv([cart_pole] * ENVS), random=True)
    yield rate("collector", work, "steps/s", ours, peer)
    yield rate("collector", work, "steps/s", ours, Peer("Gymnasium alone, the same steps", bare_steps()))


def collecting(env: VectorGames | DummyVectorEnv, random: bool = False) -> Work:
    """Collect with ours: one policy in every seat, a sub-buffer for each seat of each environment."""
    rings = len(env) * env.num_agents
    collector = Collector(RandomPolicy(seed=0), env, VectorReplayBuffer(rings * 20, rings))

    def play() -> int:
        return collector.collect(n_step=len(env) * ROUNDS, random=random).n_collected_steps

    return play


def cart_pole() -> gym.Env[Any, Any]:
    return gym.make("CartPole-v1")


def tictactoe() -> Any:
    return classic("tictactoe_v3").env()


def bare_moves() -> Work:
    """Play PettingZoo's games with random legal moves, storing nothing."""
    envs, rng = [tictactoe() for _ in range(ENVS)], np.random.default_rng(0)
    for env in envs:
        env.reset()

    def play() -> int:
        for _ in range(ROUNDS):
            for env in envs:
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.reset()
                    observation = env.last()[0]
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        return ENVS * ROUNDS

    return play


def bare_steps() -> Work:
    """Step CartPoles with random actions, storing nothing."""
    envs = [cart_pole() for _ in range(ENVS)]
    for env in envs:
        env.reset()

    def play() -> int:
        for _ in range(ROUNDS):
            for env in envs:
                _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                if terminated or truncated:
                    env.reset()
        return ENVS * ROUNDS

    return play


def tianshou_moves() -> Work:
    """Collect with Tianshou: a random policy for either agent, one buffer an environment."""
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.env import DummyVectorEnv as TheirVectorEnv
    from tianshou.env import PettingZooEnv as TheirAdapter

    one = TheirAdapter(tictactoe())
    random = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(one.action_space) for _ in one.agents]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=random, env=one)
    return tianshou_collecting(algorithm, TheirVectorEnv([lambda: TheirAdapter(tictactoe())] * ENVS))


def tianshou_cart_poles() -> Work:
    """Collect with Tianshou, random actions."""
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.env import DummyVectorEnv as TheirVectorEnv

    algorithm = MARLRandomDiscreteMaskedOffPolicyAlgorithm(cart_pole().action_space)
    return tianshou_collecting(algorithm, TheirVectorEnv([cart_pole] * ENVS), random=True)


def tianshou_collecting(algorithm: Any, envs: Any, random: bool = False) -> Work:
    from tianshou.data import Collector as TheirCollector
    from tianshou.data import VectorReplayBuffer as TheirBuffer

    collector: Any = TheirCollector(algorithm, envs, TheirBuffer(20_000, ENVS))
    collector.reset()

    def play() -> int:
        return int(collector.collect(n_step=ENVS * ROUNDS, random=random).n_collected_steps)

    return play
