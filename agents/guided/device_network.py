"""Evaluation of positions on a CUDA device for several threads at a time, each by a CUDA graph of its own.

A graph is one launch: Python spends no time on the layers of the network, for which the threads would wait for each
other. It begins and ends in memory that the device can read and write while the processor does something else.
"""

from queue import SimpleQueue
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.guided.guided import Network, values_per_position
from agents.guided.puct import RatesStates
from arena.base.cores import usable_cores
from games.engine.game import Game

FEWEST_POSITIONS = 128
"""For which a thread is worth its while; batches are multiples of it."""
WARM_UP = 3
"""Evaluations before one is captured, in which libraries choose their algorithms."""


def search_threads(device: torch.device, positions: int) -> int:
    """Return how many threads search so many positions with a network on a device.

    On a GPU one for each core, as the others wait for the network; on the CPU the network needs the cores itself.
    """
    return 1 if device.type == "cpu" else max(1, min(usable_cores(), positions // FEWEST_POSITIONS))


class DeviceNetwork:
    """Evaluates positions with a network on a CUDA device; the network may learn meanwhile, but not move."""

    def __init__(self) -> None:
        self._graphs: dict[int, list[GraphedNetwork]] = {}
        self._policy: RatesStates | None = None
        self._weights: list[int] = []

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return DeviceNetwork, ()  # graphs cannot be copied

    def prepare(self, policy: RatesStates, weights: list[int], game: Game, positions: int, threads: int) -> Network:
        """Return what answers `threads` at a time, each with a share of so many positions.

        `weights` are the addresses of the network's weights, which graphs read: new ones mean new graphs.
        """
        if policy is not self._policy or weights != self._weights:
            self._graphs, self._policy, self._weights = {}, policy, weights
        rows = -(-positions // threads // FEWEST_POSITIONS) * FEWEST_POSITIONS
        graphs = self._graphs.setdefault(rows, [])
        while len(graphs) < threads:
            graphs.append(GraphedNetwork(policy, game, rows))
        free: SimpleQueue[GraphedNetwork] = SimpleQueue()
        for graph in graphs[:threads]:
            graph.follow()
            free.put(graph)

        def network(obs: NDArray[Any], mask: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            graph = free.get()
            try:
                return graph.answer(obs)
            finally:
                free.put(graph)

        return network


class GraphedNetwork:
    """A network that evaluates batches of one size, as a CUDA graph on a stream of its own."""

    def __init__(self, policy: RatesStates, game: Game, rows: int):
        self._policy = policy
        dtype = getattr(torch, np.dtype(game.observation_dtype).name)
        self._obs = torch.zeros((rows, *game.observation_shape), dtype=dtype, pin_memory=True)
        self._logits = torch.zeros((rows, game.num_actions), pin_memory=True)
        number = values_per_position(game)
        self._values = torch.zeros(rows if number == 1 else (rows, number), pin_memory=True)
        new_stream: Any = torch.cuda.Stream  # untyped
        self._stream, self._graph = new_stream(policy.device), torch.cuda.CUDAGraph()
        self.follow()
        with torch.no_grad(), torch.cuda.stream(self._stream):
            for _ in range(WARM_UP):
                self._evaluate()
            self._stream.synchronize()
            with torch.cuda.graph(self._graph, stream=self._stream):
                self._evaluate()

    def _evaluate(self) -> None:
        obs = self._obs.to(self._policy.device, non_blocking=True)
        logits, values = self._policy.logits_and_values(obs)
        self._logits.copy_(logits, non_blocking=True)
        self._values.copy_(values, non_blocking=True)

    def follow(self) -> None:
        """Begin only after what the device has been told to do so far: the weights may have been changed there."""
        self._stream.wait_stream(torch.cuda.current_stream(self._policy.device))

    def answer(self, obs: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [k, A] and values, [k] or [k, P], of observations [k, *O]; there may be fewer than rows."""
        k = len(obs)
        self._obs.numpy()[:k] = obs
        with torch.cuda.stream(self._stream):
            self._graph.replay()
        self._stream.synchronize()
        return self._logits[:k].numpy().copy(), self._values[:k].numpy().copy()
