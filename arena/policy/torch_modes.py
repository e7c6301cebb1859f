"""Settings of torch while policies act, applied only if torch has been imported."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from arena.base.cores import usable_cores
from arena.policy.protocol import Policy

SMALL = 1_000_000
"""Parameters up to which a network without convolutions is fastest on one thread."""
_settled = False
"""True once the number of threads has been chosen in this process."""


def without_gradient() -> AbstractContextManager[None]:
    """Return a context without gradients, which does nothing where torch has not been imported."""
    torch = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.no_grad()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Run a block with `count` threads of torch: the small batches of a match are fastest on one."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def choose_threads(count: int) -> None:
    """Set the number of torch's threads; no default of this package changes it afterwards."""
    global _settled
    sys.modules["torch"].set_num_threads(count)
    _settled = True


def settle_threads(policy: Policy) -> None:
    """Set torch to one thread if `policy` is a small network and the user has not chosen a number.

    Threads that wait for each other spin: on a busy machine of two cores, the updates of a perceptron of two hidden
    layers (64 to 256 units, batches of 64 to 2,048) took ten to thirty times as long on two as on one. A number has
    been chosen where `OMP_NUM_THREADS` or `MKL_NUM_THREADS` is set, and where torch has another one than the cores that
    it begins with. Decided once, for the first network: a later `torch.set_num_threads` always stands.
    """
    torch = sys.modules.get("torch")
    if _settled or torch is None or not isinstance(policy, torch.nn.Module):
        return
    size = sum(parameter.numel() for parameter in policy.parameters())
    if not size:
        return
    convolves = any(isinstance(module, torch.nn.modules.conv._ConvNd) for module in policy.modules())
    set_outside = any(os.environ.get(name) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"))
    untouched = torch.get_num_threads() == usable_cores()
    choose_threads(1 if size <= SMALL and not convolves and untouched and not set_outside else torch.get_num_threads())
