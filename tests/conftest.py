"""What all tests share: torch on one thread, hypothesis without a deadline (kernels may compile), Ctrl-C heard.

A shell that begins the tests in the background has them ignore SIGINT, and what they begin with them.
"""

import signal
import sys

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("arena", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)  # pytest --hypothesis-profile=thorough
settings.load_profile("arena")


@pytest.fixture(autouse=True)
def one_thread():
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
