"""Where compiled kernels are kept: nowhere else, with nobody else, and without a home or a writable folder."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from games.engine.cache_folder import UnsafeError, require_private

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
SOURCES = [path for name in ("arena", "agents", "games") for path in (ROOT / name).rglob("*.py")]
USE = """
import numpy as np
from arena.data.segment_tree import SegmentTree
tree = SegmentTree(4)
tree[np.arange(4)] = np.ones(4)
print(tree.reduce(0, 4))
"""
KEPT = "kernels are kept for this process alone"
root_only = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can run programs as somebody else"
)
NOBODY = 65534


AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
AS_NOBODY += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
"""Who may write nothing, but read all: this Python may lie in a home that is closed to others."""


def run(code: str, cwd: Path, who: Sequence[str] = (), **environment: str | None) -> subprocess.CompletedProcess[str]:
    merged = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    kept = {name: value for name, value in merged.items() if value is not None}
    command = [*who, sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=kept, check=False)


def test_every_kept_function_is_in_the_cache_folder(tmp_path):
    done = run(USE, tmp_path, ARENA_CACHE=str(tmp_path / "cache"), TMPDIR=str(tmp_path))
    assert (done.stdout, done.stderr) == ("4.0\n", "")
    kept = {path.name.partition("-")[0] for path in (tmp_path / "cache" / "kernels").rglob("*.nbi")}
    assert "segment_tree._sum" in kept
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.stat().st_mode & 0o022]


def test_what_is_imported_with_a_cache_is_found_by_the_projects_own_decorator():
    """Numba's own would look for a folder by itself, and end the program where it finds none."""
    wrong = [
        path for path in SOURCES if "cache=True" in (text := path.read_text()) and "from numba import njit" in text
    ]
    assert not wrong


@pytest.mark.slow("compiles a game in every process")
@root_only
@pytest.mark.parametrize("home", [None, "/"])
def test_somebody_without_a_home_plays_from_what_they_may_not_write(tmp_path, home):
    site = tmp_path / "site"
    for package in ("arena", "agents", "games"):
        shutil.copytree(ROOT / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    writable = tmp_path / "work"
    writable.mkdir()
    os.chown(writable, NOBODY, NOBODY)
    kept = [path.relative_to(ROOT) for path in SOURCES if "cache=True" in path.read_text()]
    modules = [".".join(path.with_suffix("").parts) for path in kept]
    assert len(modules) > 25
    environment = {"HOME": home, "ARENA_CACHE": None, "XDG_CACHE_HOME": None, "PYTHONPATH": str(site)}
    program = f"import importlib, os\nfor name in {modules}: importlib.import_module(name)\n{USE}print(os.geteuid())"
    done = run(program, writable, AS_NOBODY, TMPDIR=str(writable), **environment)
    assert (done.returncode, done.stdout) == (0, f"4.0\n{NOBODY}\n"), done.stderr
    assert KEPT in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert not list(site.rglob("*.nbi"))
    assert not list(writable.iterdir()), "the temporary folder goes with the process"


@pytest.mark.slow("compiles a game in every process")
@pytest.mark.parametrize(
    ("folder", "mode", "says"),
    [
        ("open/cache", 0o777, "others may write to {}/open"),
        ("open", 0o777, "others may write to {}/open"),
        ("open", 0o1777, "others may write to {}/open/kernels"),
        ("group", 0o775, "others may write to {}/group"),
    ],
)
def test_a_folder_that_others_may_write_to_is_refused_and_done_without(tmp_path, folder, mode, says):
    opened = tmp_path / Path(folder).parts[0]
    kernels = tmp_path / folder / "kernels"
    kernels.mkdir(parents=True)
    if opened.name == "group":
        if os.geteuid() != 0:
            pytest.skip("only root gives folders to other groups")
        os.chown(opened, -1, NOBODY)
    opened.chmod(mode)
    kernels.chmod(0o777 if mode == 0o1777 else 0o700)
    done = run(USE, tmp_path, ARENA_CACHE=str(tmp_path / folder))
    assert done.stdout == "4.0\n"
    assert done.stderr.count("\n") == 1
    assert f"{KEPT} ({says.format(tmp_path)})" in done.stderr
    assert not list(kernels.iterdir())


@root_only
def test_what_somebody_else_has_put_there_is_not_run(tmp_path):
    cache = tmp_path / "cache"
    assert run(USE, tmp_path, ARENA_CACHE=str(cache)).returncode == 0
    mark = tmp_path / "mark"
    poison = f"cposix\nsystem\n(S'touch {mark}'\ntR.".encode()
    for path in cache.rglob("*.nbi"):
        path.write_bytes(poison)
    for path in [cache, *cache.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    done = run(USE, tmp_path, ARENA_CACHE=str(cache))
    assert done.stdout == "4.0\n"
    assert "belongs to another user" in done.stderr
    assert not mark.exists()


def test_processes_that_it_starts_share_the_temporary_folder_and_say_nothing_more(tmp_path):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    again = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {USE!r}], check=True)"
    done = run(f"{USE}{again}", tmp_path, ARENA_CACHE=str(open_to_all), TMPDIR=str(tmp_path))
    assert done.stdout.count("4.0\n") == 2
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("arena-kernels-*"))


def test_a_sticky_folder_above_will_do(tmp_path):
    sticky, own = tmp_path / "sticky", tmp_path / "sticky" / "own"
    own.mkdir(parents=True)
    sticky.chmod(0o1777)
    require_private(own)
    with pytest.raises(UnsafeError, match=r"others may write to .*sticky$"):
        require_private(sticky)
    sticky.chmod(stat.S_IRWXU)
    require_private(sticky)


def test_a_full_disk_costs_only_time(tmp_path):
    limit = "import resource, signal; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)); "
    limit += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    done = run(f"{limit}{USE}", tmp_path, ARENA_CACHE=str(tmp_path / "cache"))
    assert done.stdout == "4.0\n", done.stderr


@pytest.mark.parametrize("left", [b"", b"garbage"])
def test_what_is_broken_is_compiled_again(tmp_path, left):
    cache = tmp_path / "cache"
    run(USE, tmp_path, ARENA_CACHE=str(cache))
    for path in cache.rglob("*.nbi"):
        path.write_bytes(left)
    done = run(USE, tmp_path, ARENA_CACHE=str(cache))
    assert (done.stdout, done.stderr) == ("4.0\n", "")
