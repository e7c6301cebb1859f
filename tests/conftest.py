"""What all tests share: torch on one thread and seeded, hypothesis without a deadline, Ctrl-C, agents that go wrong.

A shell that begins the tests in the background has them ignore SIGINT, and what they begin with them.
"""

import signal
import sys

import pytest
from hypothesis import settings

from arena.registry import AGENTS
from tests.match import faulty

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("arena", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)  # pytest --hypothesis-profile=thorough
settings.load_profile("arena")


@pytest.fixture(autouse=True, scope="module")
def the_same_in_any_order():
    """Initial weights in what a module's tests share do not depend on the modules before."""
    _begin_torch_anew()


@pytest.fixture(autouse=True)
def the_same_alone(the_same_in_any_order):
    """Initial weights do not depend on the tests before."""
    _begin_torch_anew()


def _begin_torch_anew():
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
        torch.manual_seed(0)


@pytest.fixture
def faulty_agents(tmp_path_factory, monkeypatch):
    """`faulty:HOW` is an agent that goes wrong, found by name in this process and in others."""
    folder = tmp_path_factory.mktemp("faulty")
    monkeypatch.setenv("PYTHONPATH", faulty.install(folder))
    monkeypatch.syspath_prepend(folder)
    before = AGENTS.__dict__.pop("references", None)
    yield
    AGENTS.__dict__.pop("references", None)
    if before is not None:
        AGENTS.__dict__["references"] = before
