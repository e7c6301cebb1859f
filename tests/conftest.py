"""Common set-up of tests: tiers, torch on one seeded thread, hypothesis without deadline, Ctrl-C, faulty agents, Ray.

Tiers: with `--fast` only the tests run that take no time. Left out are those marked `full` (they train, start programs,
or compile what others do not need) and `slow` (they train an agent to a score), and, of tests over all games, those of
other games than `FAST_GAMES`. Without it all tests run.
"""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from arena.policy.registry import AGENTS
from tests.games.playing import SPECS
from tests.match import faulty

FAST_GAMES = {"tic_tac_toe", "leduc_poker", "rock_paper_scissors"}
"""Open, hidden and simultaneous: the games by which contracts of all games are tested with `--fast`."""

# A shell that begins the tests in the background has them ignore SIGINT, and what they begin with them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("arena", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)  # pytest --hypothesis-profile=thorough
settings.load_profile("arena")


def pytest_addoption(parser):
    parser.addoption("--fast", action="store_true", help="only tests that take no time; see tests/conftest.py")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--fast", default=False):
        left_out = [item for item in items if not _is_fast(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _is_fast(item)]


def _is_fast(item):
    """Whether a test belongs to the fast tier: by its marks, and by the game it is about where it is about all."""
    if any(item.get_closest_marker(tier) for tier in ("full", "slow")):
        return False
    game = item.callspec.params.get("spec") if hasattr(item, "callspec") else None
    return game not in SPECS or game in FAST_GAMES


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


@pytest.fixture(scope="session")
def ray_cluster():
    """A Ray cluster of two cores for all tests of a process that use Ray in it."""
    ray = pytest.importorskip("ray")
    modules = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": modules}}
    )
    yield ray
    ray.shutdown()
