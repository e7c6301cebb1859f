"""What all tests share: torch computes on one thread, and hypothesis has no deadline (kernels may compile)."""

import sys

import pytest
from hypothesis import settings

settings.register_profile("arena", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)  # pytest --hypothesis-profile=thorough
settings.load_profile("arena")


@pytest.fixture(autouse=True)
def one_thread():
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
