"""How torch behaves while policies act, where one of them has brought torch in; nothing is imported here."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext


def without_gradient() -> AbstractContextManager[None]:
    """No gradients."""
    torch = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.no_grad()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """So many threads for a while: the small batches of a match are fastest on one."""
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
