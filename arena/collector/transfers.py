"""Work on the CPU and on a device side by side: in halves, with transfers from pinned memory that nobody waits for."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Way = TypeVar("Way")
TRIES = 3
"""How often each way is tried; the first time warms up."""


def sent(array: NDArray[Any], device: torch.device) -> Tensor:
    """Return a copy of an array that is on the device when the device comes to use it.

    It passes through memory of torch's own cache, which gives it again once the device has read it.
    """
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.clone()


def ways_to_step(count: int) -> tuple[tuple[slice, ...], ...]:
    """Return how so many environments may step: one half while the other is answered, or all of them at once.

    >>> ways_to_step(5)
    ((slice(0, 2, None), slice(2, 5, None)), (slice(0, 5, None),))
    """
    middle = count // 2
    halves, whole = (slice(0, middle), slice(middle, count)), (slice(0, count),)
    return (halves, whole) if middle else (whole,)


class Fetched:
    """Tensors on their way to the CPU, as soon as their device has computed them."""

    def __init__(self, *tensors: Tensor):
        self._tensors = [tensor.to("cpu", non_blocking=True) for tensor in tensors]
        streams = [torch.cuda.current_stream(tensor.device) for tensor in tensors[:1] if tensor.is_cuda]
        self._done = [stream.record_event() for stream in streams]

    def arrays(self) -> list[NDArray[Any]]:
        """Wait until they are there; return them as arrays."""
        for event in self._done:
            event.synchronize()
        return [tensor.numpy() for tensor in self._tensors]


class FasterWay(Generic[Way]):
    """Of several ways to do the same, the one that takes the least time: each is tried, and then the fastest kept.

    Half of the environments at a time is the faster way where a device computes as long as they step; where it answers
    at once, asking it twice takes longer than waiting for it once.
    """

    def __init__(self, ways: Sequence[Way]):
        self._ways = ways
        self._seconds: list[list[float]] = [[] for _ in ways]
        self._number = 0

    def choose(self) -> Way:
        """Return the way of the next collection."""
        tried = [len(seconds) for seconds in self._seconds]
        if min(tried) < TRIES:
            self._number = tried.index(min(tried))
        else:
            self._number = min(range(len(tried)), key=lambda number: min(self._seconds[number][1:TRIES]))
        return self._ways[self._number]

    def took(self, seconds: float) -> None:
        """Note how long a step took in that collection."""
        if len(self._seconds[self._number]) < TRIES:
            self._seconds[self._number].append(seconds)
