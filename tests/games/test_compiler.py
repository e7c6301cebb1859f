"""Compiled kernels: kept on disk between processes, never stale, and found through anybody's entry point."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packages import declare

pytestmark = pytest.mark.full

PLAY = """
from arena.env.native import GameVectorEnv
env = GameVectorEnv("nim", 1)
env.reset()
for action in (0, 1, 1):
    _, rewards, _, _, _ = env.step([action])
print(env.states["stones"][0], env.over[0], rewards[0].tolist())
"""
NAME = """
from games.engine.compiler import kernels
from games.engine.registry import make_game
print(kernels(make_game("nim")).__name__)
"""

USE = """
import sys
import numpy as np
from arena.data import Batch, VectorReplayBuffer
from arena.env.native import GameVectorEnv
from arena.policy.registry import make_agent
env = GameVectorEnv("tic_tac_toe", 3)
obs, _ = env.reset(seed=0)
act = make_agent("one-ply", env.game).forward(Batch(obs=Batch(obs, state=env.positions()))).act
_, rew, terminated, truncated, _ = env.step(act)
buffer = VectorReplayBuffer(12, 3)
buffer.add(Batch(obs=obs.obs, act=act, rew=rew[:, 0], terminated=terminated[:, 0], truncated=truncated[:, 0]))
rows = buffer.sample_indices(4)
buffer.prev(rows), buffer.next(rows)
print([name for name in ("numba.np.npyimpl", "numba.np.linalg", "scipy.linalg") if name in sys.modules])
"""


def install(folder: Path, old: str = "", new: str = "") -> Path:
    """Another distribution with a game: a module, edited if need be, and an entry point, in a folder of its own."""
    source = Path(__file__).with_name("nim.py").read_text()
    assert old in source
    declare(folder, "nim_package", "arena.games", "nim = nim_package:GAMES")
    (folder / "nim_package.py").write_text(source.replace(old, new) if old else source)
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return install(tmp_path / "site")


@pytest.fixture
def start(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Starts a Python process that finds the package and keeps its kernels below `tmp_path`."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))

    def start(program: str, site: Path = package) -> subprocess.Popen[str]:
        monkeypatch.setenv("PYTHONPATH", str(site))
        return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=tmp_path)

    return start


def output(process: subprocess.Popen[str]) -> str:
    text = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    return text.strip()


def cached(tmp_path: Path) -> dict[str, int]:
    """Every file of the cache with its time of writing."""
    files = (tmp_path / "cache").rglob("*")
    return {str(path): path.stat().st_mtime_ns for path in files if path.is_file()}


def test_a_second_process_compiles_nothing_and_an_edited_rule_is_obeyed(start, package, tmp_path):
    assert output(start(PLAY)) == "0 True [1.0, -1.0]"
    first = cached(tmp_path)
    assert output(start(PLAY)) == "0 True [1.0, -1.0]"
    assert cached(tmp_path) == first
    source = package / "nim_package.py"
    source.write_text(source.read_text().replace("PRIZE = 1", "PRIZE = 2"))
    assert output(start(PLAY)) == "0 True [2.0, -2.0]"
    assert cached(tmp_path).items() > first.items()


def test_a_process_that_compiles_nothing_does_not_load_what_compiles(start):
    output(start(USE))
    assert output(start(USE)).splitlines()[-1] == "[]"


@pytest.mark.slow("compiles a game in every process")
def test_two_processes_fill_an_empty_cache_at_once(start, tmp_path):
    both = [start(PLAY), start(PLAY)]
    assert [output(process) for process in both] == ["0 True [1.0, -1.0]"] * 2
    after = cached(tmp_path)
    assert not [path for path in after if path.endswith(".tmp")]
    assert output(start(PLAY)) == "0 True [1.0, -1.0]"
    assert cached(tmp_path) == after


SIDE_BY_SIDE = """
import sys, threading
from games.engine.compiler import kernels
from games.engine.registry import make_game
sys.setswitchinterval(1e-6)
together, made = threading.Barrier(4), []
def make(game):
    together.wait()
    made.append(kernels(game))
for columns in range(4, 12):
    game = make_game("connect_four", columns=columns)
    threads = [threading.Thread(target=make, args=(game,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(made), len({id(module) for module in made}))
"""


def test_threads_that_ask_for_the_same_kernels_at_once_get_the_same(start):
    """Boards of one screen do, each in a thread of its own."""
    assert output(start(SIDE_BY_SIDE)) == "32 8"


def test_a_cache_that_cannot_be_written_is_done_without(start, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "file" / "cache"))
    assert output(start(PLAY)) == "0 True [1.0, -1.0]"
    assert not list((tmp_path / "tmp").iterdir()), "the temporary folder goes with the process"


def test_every_edit_names_another_module(start, tmp_path):
    edits = [
        ("", ""),
        ("", ""),
        ("state.stones -= taken(action)", "state.stones -= action + 1"),
        ("return action + 1", "return 2 - action"),  # a helper
        ("PRIZE = 1", "PRIZE = 2"),  # a constant
        ('("mover", np.int8)', '("mover", np.int16)'),  # the record
        ("@njit\ndef observe", "@njit(fastmath=True)\ndef observe"),
        ("out[state.mover] = PRIZE", "out[state.mover] = [PRIZE * one for one in (1, 2)][1]"),
    ]
    processes = [start(NAME, install(tmp_path / str(i), *edit)) for i, edit in enumerate(edits)]
    names = [output(process) for process in processes]
    assert names[0] == names[1]
    assert len(set(names[1:])) == len(edits) - 1


def test_what_a_named_module_holds_counts_too(start, package):
    source, tables = package / "nim_package.py", package / "nim_tables.py"
    text = source.read_text().replace("import numpy as np\n", "import numpy as np\nimport nim_tables\n")
    source.write_text(text.replace("return action + 1", "return nim_tables.TAKEN[0][action] + len(nim_tables.WORD)"))
    names = []
    for taken in ("np.arange(1, 2000),", "np.arange(1, 2000) % 1999,"):
        tables.write_text(f"import numpy as np\nTAKEN = ({taken})\nWORD = 'word'\n")
        names.append(output(start(NAME)))
    assert names[0] != names[1], "arrays count whole, not as they print"


def test_what_an_instruction_is_compiled_to_counts_too(start, package):
    source, tables = package / "nim_package.py", package / "nim_tables.py"
    text = source.read_text().replace("import numpy as np\n", "import numpy as np\nfrom nim_tables import more\n")
    source.write_text(text.replace("return action + 1", "return more(action)"))
    instruction = """
from numba.extending import intrinsic
@intrinsic
def more(context, number):
    return number(number), lambda context, builder, signature, arguments: builder.add(arguments[0], CONSTANT)
"""
    names = []
    for constant in ("arguments[0]", "arguments[0].type(1)"):
        tables.write_text(instruction.replace("CONSTANT", constant))
        names.append(output(start(NAME)))
    assert names[0] != names[1]


KEPT = """
from games.engine.jit import njit
from nim_helper import plus
@njit(cache=True)
def total(box):
    return plus(box.number)
"""
HELPER = """
from typing import NamedTuple
from games.engine.jit import njit
class Box(NamedTuple):
    number: int
@njit
def plus(number):
    return number + 1
"""


@pytest.mark.parametrize("edit", [("number + 1", "number + 2"), ("Box", "Case")])
def test_a_kernel_is_compiled_anew_when_what_it_uses_from_another_file_has_changed(start, package, edit):
    (package / "nim_kept.py").write_text(KEPT)
    results = []
    for helper in (HELPER, HELPER.replace(*edit)):
        (package / "nim_helper.py").write_text(helper)
        box = "Box" if "Box" in helper else "Case"
        results.append(output(start(f"from nim_kept import total; from nim_helper import *; print(total({box}(5)))")))
    assert results == ["6", "7" if "2" in edit[1] else "6"]


def test_a_record_is_called_the_same_in_every_process(start):
    """Otherwise kernels of two processes clash in a third, which loads both from the cache."""
    program = """
import re
from numba import njit as plain
from numpy import zeros
from games.engine.jit import njit
def first(states):
    return states[0].board[0]
ours, theirs = njit(first), plain(first)
names = []
for n in NUMBERS:
    states = zeros(1, [("board", "i1", (n,))])
    theirs(states)
    ours(states)
    names.append(str(re.findall("6Record[^E]*E", ours.overloads[ours.signatures[-1]].fndesc.mangled_name)))
print("), (".join(names[::STEP]))
"""
    one, other = (
        output(start(program.replace("NUMBERS", numbers).replace("STEP", step)))
        for numbers, step in (("(5, 6, 7)", "1"), ("(7, 6, 5)", "-1"))
    )
    assert one == other
    assert len(set(one.split("), ("))) == 3
