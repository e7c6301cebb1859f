"""Gradient steps as CUDA graphs: one launch a step, where Python would make some two hundred."""

from collections.abc import Callable
from typing import Any

import torch

from agents.learning.stochastic import Minibatch

Step = Callable[[Minibatch], dict[str, torch.Tensor]]
"""Takes a gradient step by a minibatch; returns its figures, each a number of type float32 on the device."""
WARM_UP = 3
"""Steps that are taken as usual before one is captured: libraries choose their algorithms in them."""
FEWEST = 16
"""Steps for which capturing one is worth its while."""


def captured(step: Step, device: torch.device, count: int) -> Step:
    """Return what takes `count` such steps: on a CUDA device by a graph, unless they are few; else the step itself."""
    return CapturedStep(step, device) if device.type == "cuda" and count >= FEWEST else step


class CapturedStep:
    """A gradient step on a CUDA device, captured with the learning rate and the size of minibatches it begins with.

    A minibatch of another size is learned from without the graph. So are all if the step waits for the device on its
    way (a network that reads numbers back, for one), which a graph cannot. Nobody may hold a result of the weights that
    autograd follows (a clone of them that is not detached, for one): it would tie the graph to another stream.

    Args:
        step: takes a gradient step.
        device: of the weights and minibatches.

    """

    def __init__(self, step: Step, device: torch.device):
        new_stream: Any = torch.cuda.Stream  # untyped
        self._step, self._device, self._stream = step, device, new_stream(device)
        self._taken, self._waits = 0, False
        self._graph: torch.cuda.CUDAGraph | None = None
        self._minibatch: Minibatch = {}
        self._names: tuple[str, ...] = ()
        self._figures = torch.empty(0)

    def __call__(self, part: Minibatch) -> dict[str, torch.Tensor]:
        """Take a step after what the device has been told to do so far."""
        current = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream):  # one for all steps: autograd keeps to the stream of the first
            figures = self._take(part)
        current.wait_stream(self._stream)
        return figures

    def _take(self, part: Minibatch) -> dict[str, torch.Tensor]:
        self._taken += 1
        if self._taken == WARM_UP:
            return self._without_waiting(part)
        if self._taken > WARM_UP and self._graph is None and not self._waits:
            self._capture(part)
        if self._graph is None or any(len(own) != len(part[name]) for name, own in self._minibatch.items()):
            return self._step(part)
        for name, own in self._minibatch.items():
            own.copy_(part[name])
        self._graph.replay()
        return dict(zip(self._names, self._figures.clone(), strict=True))

    def _without_waiting(self, part: Minibatch) -> dict[str, torch.Tensor]:
        """Take a step as usual, and note whether it waits for the device."""
        mode = torch.cuda.get_sync_debug_mode()
        torch.cuda.set_sync_debug_mode("error")
        try:
            return self._step(part)
        except RuntimeError:  # or another one, which comes again
            self._waits = True
        finally:
            torch.cuda.set_sync_debug_mode(mode)
        return self._step(part)

    def _capture(self, part: Minibatch) -> None:
        self._minibatch = {name: tensor.clone() for name, tensor in part.items()}
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=self._stream):
            figures = self._step(self._minibatch)
            self._names, self._figures = tuple(figures), torch.stack(tuple(figures.values()))
