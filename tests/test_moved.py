"""Names of Tianshou's manual: where the page says they are, they are; where they were, errors say so."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import agents
import arena.data
import arena.env.workers
import arena.policy
from arena.base.moved import PAGE, PLACES, direction, places

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[1]
NAMES = [(module, name, place) for module in PLACES for name, place in places(module).items()]
MOVED = [(module, name, place) for module, name, place in NAMES if place != f"arena.{module}"]
FACES = [agents, arena.env.workers, arena.policy]


@pytest.mark.parametrize(("module", "name", "place"), NAMES)
def test_a_name_is_where_the_table_says(module, name, place):
    assert hasattr(importlib.import_module(place), name)


@pytest.mark.parametrize(("module", "name", "place"), MOVED)
def test_its_old_place_says_where_it_is(module, name, place):
    with pytest.raises(ImportError, match=f"^{name} is in {place}: from {place} import {name}$"):
        exec(f"from arena.{module} import {name}")  # the statement of a user
    with pytest.raises(AttributeError, match=f"^{name} is in {place}: from {place} import {name}$"):
        getattr(importlib.import_module(f"arena.{module}"), name)


def test_the_page_shows_the_table():
    rows = re.findall(r"^\| `tianshou\.(.*)\.(\w+)` \| `from (\S+) import (\w+)` \|$", (ROOT / PAGE).read_text(), re.M)
    assert [(module, name, place) for module, name, place, _ in rows] == NAMES
    assert all(name == again for _, name, _, again in rows)
    assert PAGE in (ROOT / "README.md").read_text()
    assert doctest.testfile(str(ROOT / PAGE), module_relative=False).failed == 0


@pytest.mark.parametrize("line", ["import arena.nonsense", "from arena.policy import Nonsense", "import arena.data.x"])
def test_other_names_are_unknown_as_ever(line):
    with pytest.raises(ImportError, match=r"No module named|cannot import name"):
        exec(line)


def test_a_module_that_is_not_here_says_where_its_names_are():
    assert direction("exploration") == f"there is no arena.exploration: its names are in agents; see {PAGE}"
    assert direction("data") is None
    assert not hasattr(arena, "nonsense")


@pytest.mark.parametrize("package", FACES, ids=lambda package: package.__name__)
def test_what_a_package_offers_is_what_checkers_of_types_see(package):
    """Names that are imported late stand twice, once for mypy and editors: both say the same."""
    tree = ast.parse(Path(package.__file__).read_text())
    (shown,) = (node for node in tree.body if isinstance(node, ast.If))
    imported = {(alias.name, line.module) for line in shown.body for alias in line.names}
    (homes,) = (node for node in ast.walk(ast.Module(shown.orelse, [])) if isinstance(node, ast.Dict))
    offered = {(name, home) for home, names in ast.literal_eval(homes).items() for name in names.split()}
    assert imported == offered
    assert {name for name, _ in offered} <= set(package.__all__) <= set(dir(package))
    assert all(getattr(package, name) is not None for name in package.__all__)


def test_names_that_need_no_torch_bring_none_in():
    program = "import sys, agents\nfrom agents import GaussianNoise, AGENTS\nfrom arena.data import MovAvg\n"
    program += "from arena.env import VectorEnv\nfrom arena.env.workers import DummyEnvWorker\n"
    program += "assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
