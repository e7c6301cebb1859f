"""Search guided by a network: simulations a second beside mctx on JAX, and the network's share of the time."""

import time
from collections.abc import Iterator

import numpy as np

from agents.algorithms.alphazero import build
from agents.configs.search import AlphaZeroConfig
from agents.guided.guided import GuidedSearch, Network
from agents.guided.puct import network_of
from arena.env.native import GameVectorEnv
from arena.policy.registration import Spaces
from arena.policy.registry import make_game
from arena.policy.torch_modes import torch_threads
from benchmarks import elsewhere
from benchmarks.measure import NOBODY, Row, Work, rate

GAME = make_game("connect_four")
BOARDS, SIMULATIONS, HIDDEN = 256, 32, 32
BLOCKS = 2
CONSIDERED = {"puct": 0, "gumbel": 16}


def rows() -> Iterator[Row]:
    """Measure all boards at their start, on one thread; then the same with a residual tower."""
    for method, considered in CONSIDERED.items():
        arguments = (method, str(BOARDS), str(SIMULATIONS), str(HIDDEN))
        with elsewhere.process("mctx on JAX, CPU", "mctx", "search_mctx.py", *arguments) as peer:
            work = f"{method}, {BOARDS} boards of Connect Four, {SIMULATIONS} simulations, perceptron of {HIDDEN}"
            yield rate("guided", work, "simulations/s", searches(tiny_network(), considered), peer)
    policy = build(Spaces.of_game(GAME), AlphaZeroConfig(blocks=BLOCKS, hidden=128), False)
    with torch_threads(1):
        share = share_of_network(lambda obs, mask: network_of(policy, obs, mask))
    work = f"puct, {BOARDS} boards, tower of {BLOCKS} blocks: share of the time in the network"
    yield Row("guided", work, share, None, NOBODY.name, None, "")


def tiny_network() -> Network:
    """Return a perceptron of the peer's shape, with other weights."""
    rng = np.random.default_rng(0)
    size = int(np.prod(GAME.observation_shape))
    first = (rng.standard_normal((size, HIDDEN)) / size**0.5).astype(np.float32)
    heads = (rng.standard_normal((HIDDEN, GAME.num_actions + 1)) / HIDDEN**0.5).astype(np.float32)

    def network(obs: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        outputs = np.maximum(obs.reshape(len(obs), -1).astype(np.float32) @ first, 0) @ heads
        return outputs[:, :-1], np.tanh(outputs[:, -1])

    return network


def searches(network: Network, considered: int) -> Work:
    """Search all boards once."""
    search, rng = GuidedSearch(GAME, SIMULATIONS, considered), np.random.default_rng(0)
    env = GameVectorEnv(GAME, BOARDS)
    env.reset(seed=0)
    states = env.positions()
    return lambda: int(search.search(states, network, rng).visits.sum())


def share_of_network(network: Network) -> float:
    """Return the share of the time of searches that passes in the network."""
    inside = [0.0]

    def timed(obs: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        start = time.perf_counter()
        answer = network(obs, mask)
        inside[0] += time.perf_counter() - start
        return answer

    work = searches(timed, 0)
    work()
    inside[0], start = 0.0, time.perf_counter()
    for _ in range(3):
        work()
    return inside[0] / (time.perf_counter() - start)
