"""Control groups: where they can be made, what is written to them, and what the kernel then does."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arena.processes.cgroups import CONTROLLERS, ControlGroup, GroupLimits, parents
from arena.processes.fate import Fate
from arena.processes.guarded import Bounds, guarded

LIMITS = GroupLimits(100_000_000, 20, 0.5)


def limited_by_the_kernel():
    """Return the controllers by which groups can be limited on this machine."""
    group = ControlGroup(LIMITS)
    group.remove()
    return group.limited


def tree(proc, mounts, groups, files=()):
    """A machine of files: what it has mounted, and the groups of this process."""
    (proc / "self").mkdir(parents=True)
    (proc / "self/mountinfo").write_text(
        "".join(f"30 23 0:26 {root} {place} rw - {kind}\n" for root, place, kind in mounts)
    )
    (proc / "self/cgroup").write_text("".join(f"{line}\n" for line in groups))
    for path, content in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return proc


def test_version_2_in_the_own_group(tmp_path):
    place = tmp_path / "fs"
    own = place / "user.slice/arena.scope"
    proc = tree(
        tmp_path / "proc",
        [("/", place, "cgroup2 cgroup2 rw")],
        ["0::/user.slice/arena.scope"],
        [(own / "cgroup.subtree_control", "")],
    )
    [first, *_] = parents(proc)
    assert (first.version, first.folder) == (2, own)
    assert (own / "cgroup.subtree_control").read_text() == "+memory +pids +cpu", "asked for"


@pytest.mark.parametrize("inner", ["main", "deeper/main"])
def test_version_2_beside_the_own_group(tmp_path, inner):
    """Below a service of systemd with DelegateSubgroup=main, or at the root for who may write there."""
    place = tmp_path / "fs"
    service = place / "system.slice/arena.service"
    above = (service / inner).parent if inner == "main" else place
    proc = tree(
        tmp_path / "proc",
        [("/", place, "cgroup2 cgroup2 rw")],
        [f"0::/system.slice/arena.service/{inner}"],
        [(above / "cgroup.subtree_control", "cpu io memory pids")],
    )
    (service / inner).mkdir(parents=True, exist_ok=True)
    group = ControlGroup(LIMITS, proc)
    assert group.limited == set(CONTROLLERS)
    [folder] = [path for path in above.iterdir() if path.name.startswith("arena-")]
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert written == {"memory.max": "100000000", "pids.max": "20", "cpu.max": "50000 100000"}


def test_version_1_has_a_folder_for_each(tmp_path):
    folders = {name: tmp_path / name for name in ("memory", "pids", "cpu,cpuacct")}
    proc = tree(
        tmp_path / "proc",
        [("/docker/12", folder, f"cgroup cgroup rw,{name}") for name, folder in folders.items()],
        [f"{number}:{name}:/docker/12/own" for number, name in enumerate(folders)],
        [(folder / "own/cgroup.procs", "") for folder in folders.values()],
    )
    group = ControlGroup(LIMITS, proc)
    assert group.limited == set(CONTROLLERS)
    files = ("memory.limit_in_bytes", "pids.max", "cpu.cfs_quota_us")
    written = [
        next((folder / "own").glob("arena-*/" + file)).read_text()
        for folder, file in zip(folders.values(), files, strict=True)
    ]
    assert written == ["100000000", "20", "50000"]
    group.enter()
    assert [len(list((folder / "own").glob("arena-*/cgroup.procs"))) for folder in folders.values()] == [1, 1, 1]


def test_nothing_is_limited_where_no_group_can_be_made(tmp_path):
    read_only = tree(tmp_path / "a", [("/", Path("/proc/fs"), "cgroup2 cgroup2 ro")], ["0::/"])
    strange = tree(tmp_path / "b", [("/", tmp_path, "cgroup cgroup rw,memory")], ["0::/"])
    for proc in (read_only, strange, tmp_path / "without"):
        group = ControlGroup(LIMITS, proc)
        assert group.limited == set()
        group.enter()
        assert not group.out_of_memory()
        group.remove()


def test_no_limit_makes_no_group(tmp_path):
    proc = tree(tmp_path / "proc", [("/", tmp_path / "fs", "cgroup cgroup rw,pids")], ["1:pids:/"])
    assert ControlGroup(GroupLimits(), proc).limited == set()


# --- on this machine ---------------------------------------------------------------------------------------------


def require(controller):
    if controller not in limited_by_the_kernel():
        pytest.skip(f"no control group that limits {controller} can be made here")


def output_of(code, bounds):
    run = guarded([sys.executable, "-c", code], bounds)
    process = run.start(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output, _ = process.communicate(timeout=60)
    fate = run.fate(20)
    run.end(process)
    assert not [parent for parent in parents() if (parent.folder / f"arena-{process.pid}").exists()], "left behind"
    return output.decode().strip(), fate


@pytest.mark.full
def test_the_processor_is_shared_out():
    require("cpu")
    code = """
import time
before, until = time.process_time(), time.monotonic() + 1
while time.monotonic() < until: pass
print(time.process_time() - before)
"""
    seconds, fate = output_of(code, Bounds(0, 0, 0.3))
    assert 0.1 < float(seconds) < 0.5
    assert fate == Fate(code=0)


@pytest.mark.full
def test_threads_are_counted():
    require("pids")
    code = """
import threading, time
count = 0
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
print(count, flush=True)
import os
os._exit(0)
"""
    assert output_of(code, Bounds(0, 4))[0] == "63"
    assert output_of(code, Bounds(0, 0))[0] == "200"


@pytest.mark.full
def test_memory_taken_at_once_is_noticed_at_once():
    require("memory")
    code = "import mmap\nheld = mmap.mmap(-1, 2 * 10**9)\nfor place in range(0, len(held), 4096): held[place] = 1"
    _, fate = output_of(code, Bounds(200_000_000, 20))
    assert fate == Fate(excess="used more than 200 MB of memory")


@pytest.mark.full
def test_groups_of_killed_guards_are_removed():
    require("pids")
    folder = next(parent.folder for parent in parents() if "pids" in parent.controllers)
    run = guarded(["sleep", "600"], Bounds(0, 4))
    process = run.start()
    group = folder / f"arena-{process.pid}"
    deadline = time.monotonic() + 20
    while not group.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait()
    while group.exists():
        assert time.monotonic() < deadline
        assert limited_by_the_kernel()
        time.sleep(0.05)
    run.end(process)


@pytest.mark.full
def test_groups_within_a_group_go_with_it():
    """An agent that is guarded may start a program that is guarded; a killed guard removes nothing."""
    require("pids")
    code = """
import os
from arena.processes.guarded import Bounds, guarded
process = guarded(["sleep", "600"], Bounds(10**9, 4)).start()
while not open(f"/proc/{process.pid}/task/{process.pid}/children").read(): pass
print(process.pid, flush=True)
os._exit(0)
"""
    output, _ = output_of(code, Bounds(10**9, 20))
    assert output.isdecimal()


@pytest.mark.full
def test_groups_of_many_guards_at_once_do_not_disturb_each_other():
    require("pids")
    ended = []

    def play():
        ended.append(output_of("print('yes')", Bounds(200_000_000, 20)))

    threads = [threading.Thread(target=play) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == [("yes", Fate(code=0))] * 12
