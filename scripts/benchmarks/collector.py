"""Collecting with random policies, buffers written: ours on native boards beside Tianshou's on PettingZoo's game."""

import warnings
from collections.abc import Iterator
from typing import Any

from arena.collector.collector import Collector
from arena.data.buffer.manager import VectorReplayBuffer
from arena.env.native import GameVectorEnv
from arena.policy.random import RandomPolicy
from benchmarks.measure import Peer, Row, Work, missing, rate

BOARDS, PEER_ENVS = 1024, 10


def rows() -> Iterator[Row]:
    """Moves a second into the buffer; games that end begin anew."""
    title = f"Tianshou, {PEER_ENVS} tictactoe_v3"
    peer = missing(title, "tianshou", "pygame") or Peer(title, tianshou_steps())
    for game in ("tic_tac_toe", "connect_four"):
        work = f"{game}, {BOARDS:,} boards: Collector with RandomPolicy, buffer written"
        yield rate("collector", work, "moves/s", our_steps(game), peer)


def our_steps(game: str) -> Work:
    """Ours: one policy in both seats of every board, a sub-buffer for each seat."""
    env = GameVectorEnv(game, BOARDS)
    rings = BOARDS * env.num_agents
    collector = Collector(RandomPolicy(0), env, VectorReplayBuffer(rings * 20, rings))

    def play() -> int:
        return collector.collect(n_step=BOARDS * 50).n_collected_steps

    return play


def tianshou_steps() -> Work:
    """Theirs: a random policy for either agent, one buffer an environment."""
    from pettingzoo.classic import tictactoe_v3
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector as TheirCollector
    from tianshou.data import VectorReplayBuffer as TheirBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    def make() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about PettingZoo's own import path
            return PettingZooEnv(tictactoe_v3.env())

    one = make()
    random = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(one.action_space) for _ in one.agents]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=random, env=one)
    envs = DummyVectorEnv([make for _ in range(PEER_ENVS)])
    collector: Any = TheirCollector(algorithm, envs, TheirBuffer(20_000, PEER_ENVS))
    collector.reset()

    def play() -> int:
        return int(collector.collect(n_step=PEER_ENVS * 50).n_collected_steps)

    return play
