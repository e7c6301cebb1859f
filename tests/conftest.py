"""Common set-up of tests: tiers, order, torch on one seeded thread, no deadlines, Ctrl-C, faulty agents, Ray.

Tiers: with `--fast` only the tests run that take no time. Left out are those marked `full` (they train, start programs,
or compile what others do not need) and `slow` (they take long, for the reason that the mark names), and, of tests over
all games, those of other games than `FAST_GAMES`. Without it all tests run, and with `-m "not slow"` all but slow ones.
"""

import gc
import os
import re
import resource
import signal
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from hypothesis import settings

from arena.policy.registry import AGENTS, GAMES
from tests.games.playing import SPECS
from tests.match import faulty
from tests.store.postgres import running_server
from tests.tiers import FAST_GAMES

NAMES = set(GAMES.names())
ALL_FULL = re.compile(r"^pytestmark = (\[\s*)?pytest\.mark\.full\b", re.MULTILINE)
"""In files of which all tests are marked `full`."""

RAY = {"tests/env/test_ray.py", "tests/env/test_parallel_env_ray.py", "tests/collector/test_infos.py"}
"""Files that share a Ray cluster."""

ALONE = {"tests/test_tutorials.py"}
"""Files whose tests take long and share nothing, so that each of them is a group."""

LONGEST = ["tests/processes/test_ray.py", "ray", "tests/test_tutorials.py", "tests/match/test_contained.py"]
LONGEST += ["tests/env/test_device_games.py", "tests/env/simulated_games.py", "tests/tui/test_every_game.py"]
LONGEST += ["tests/agents/solvers/test_holdem.py", "tests/server/test_live_screens.py", "tests/tui/test_home.py"]
LONGEST += ["tests/tui/test_sitting.py", "tests/agents/outside/test_llm.py", "tests/training/league/test_sweep.py"]
LONGEST += ["tests/tui/test_pixel_terminal.py", "tests/tournament/test_contained.py", "tests/games/test_compiler.py"]
LONGEST += ["tests/tui/test_serving.py", "tests/tui/test_play.py", "tests/tui/test_session.py"]
LONGEST += ["tests/agents/outside/test_left_behind.py", "tests/cli/test_surroundings.py", "tests/env/test_faults.py"]
LONGEST += ["tests/tui/test_terminal.py", "tests/tui/test_training_terminal.py", "tests/tui/test_watch_faults.py"]
LONGEST += ["tests/server/test_clients.py", "tests/collector/test_infos.py"]
"""Groups of tests (`group_of`) that take or wait longest, which are begun first: beside them others have work."""

PEAKS_MB = {}
"""Peak memory of each worker so far."""
KNOWS_CUDA = any(need.startswith("nvidia-") for need in requires("torch") or ())
LARGEST_MB = 1_600 if KNOWS_CUDA else 1_100  # of which the libraries of CUDA take 500
"""Peak memory of a worker that gets no more groups than it has: another begins in its place."""

# A shell that begins the tests in the background has them ignore SIGINT, and what they begin with them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("arena", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)  # pytest --hypothesis-profile=thorough
settings.load_profile("arena")


def pytest_addoption(parser):
    parser.addoption("--fast", action="store_true", help="only tests that take no time; see tests/conftest.py")


def pytest_ignore_collect(collection_path, config):
    """With `--fast`, do not even import files of which all tests are marked `full`."""
    if config.getoption("--fast", default=False) and collection_path.suffix == ".py":
        return bool(ALL_FULL.search(collection_path.read_text(encoding="utf-8"))) or None
    return None


def pytest_collection_modifyitems(config, items):
    for item in items:
        if (slow := item.get_closest_marker("slow")) and not slow.args:
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.slow names no reason")
    if config.getoption("--fast", default=False):
        fast = _fast(items)
        config.hook.pytest_deselected(items=list({*items} - {*fast}))
        items[:] = fast
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _place(group_of(item.nodeid)))


def pytest_configure():
    """Look for garbage less often than after every 700 objects.

    That takes a third of the time of collecting, a fifth of that of screens, a tenth of that of compilers.
    """
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """What has been imported and collected stays to the end: no garbage collection need look it through again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `--dist loadgroup`, give each worker one group of tests after the other, until it has grown large.

    What a process has compiled stays in its memory. So a large one ends, and a new one takes its place.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid)

        def _reschedule(self, node):
            if node not in self.registered_collections:  # a new one, which is still collecting
                return
            if PEAKS_MB.get(node, 0) > LARGEST_MB and self.workqueue and not node.shutting_down:
                node.shutdown()  # once it has run what it has
                config.pluginmanager.getplugin("dsession")._clone_node(node)
                return
            super()._reschedule(node)
            while self._pending_of(self.assigned_work[node]) < 2 and not node.shutting_down:
                super()._reschedule(node)  # a worker runs a test once it knows the next, or that there is none

    return Groups(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """End the process of a worker that has run its tests: xdist keeps it, and its memory, to the end of all tests."""
    node.ensure_teardown()


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable():
    """Have workers report their peak memory."""
    fields = yield
    return {**fields, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def pytest_runtest_logreport(report):
    if hasattr(report, "peak_mb"):  # a worker's, unless it has crashed
        PEAKS_MB[report.node] = report.peak_mb


def pytest_terminal_summary(terminalreporter):
    """Not a failure: how large the workers have become."""
    if PEAKS_MB:
        peaks = ", ".join(map(str, sorted(PEAKS_MB.values())))
        terminalreporter.write_line(f"peak memory of the workers: {peaks} MB")


def group_of(nodeid):
    """Return what one worker runs as a whole: a file, a game of tests over all games, all on Ray, or a test alone.

    The kernels of a game are then compiled by one worker, while the others do something else.
    """
    file, _, rest = nodeid.partition("::")
    if file in RAY:
        return "ray"
    if file in ALONE:
        return nodeid
    names = [part.partition(":")[0] for part in rest.partition("[")[2].rstrip("]").split("-")]
    return next((name for name in names if file.startswith("tests/games/") and name in NAMES), file)


def _place(group):
    """Return when a group comes: those that take long first, so that no worker is left with one at the end."""
    name = group.partition("::")[0]
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def _games(item):
    """Return the games that a case of a test names."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return {value for value in parameters if isinstance(value, str)} & {*NAMES, *SPECS}


def _fast(items):
    """Return the tests of the fast tier: by their marks, and of tests over many games the cases of `FAST_GAMES`."""
    with_a_fast_game = {item.nodeid.partition("[")[0] for item in items if _games(item) & FAST_GAMES}
    return [
        item
        for item in items
        if not any(item.get_closest_marker(tier) for tier in ("full", "slow"))
        and (_games(item) <= FAST_GAMES or item.nodeid.partition("[")[0] not in with_a_fast_game)
    ]


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
def postgres():
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def ray_cluster():
    """A Ray cluster of two cores for all tests of a process that use Ray in it."""
    ray = pytest.importorskip("ray")
    modules = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {"env_vars": {"PYTHONPATH": modules}}
    # "local": never one that another test has just started, or a run that was killed has left in /tmp/ray
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()
