"""Temporary folders, of which nothing stays behind."""

import gc
import os
import subprocess
import sys
import tempfile
import time

import pytest

from arena.base.scratch import SETTLED_S, ScratchFolder

KEEPER = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from arena.base.scratch import ScratchFolder
folder = ScratchFolder("test")
(folder.path / "file").write_text("content")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def keeper(place):
    """A process with a folder of an hour ago."""
    process = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    folder = process.stdout.readline().strip()
    age(folder)
    return process, folder


def age(folder):
    before = time.time() - 3600
    assert before < time.time() - SETTLED_S
    os.utime(folder, (before, before))


def test_a_folder_is_gone_once_it_is_closed_or_forgotten(place):
    folder = ScratchFolder("test")
    (folder.path / "deeper").mkdir()
    (folder.path / "deeper" / "file").write_text("content")
    folder.close()
    folder.close()
    assert list(place.iterdir()) == []
    folder = ScratchFolder("test")
    assert len(list(place.iterdir())) == 1
    del folder
    gc.collect()
    assert list(place.iterdir()) == []


def test_the_folder_of_a_process_that_was_killed_is_removed_by_the_next(place):
    process, left = keeper(place)
    other = ScratchFolder("test")
    assert os.path.exists(left), "its process lives"
    process.kill()
    process.wait()
    assert os.path.exists(left)
    other.close()
    ScratchFolder("others").close()
    assert os.path.exists(left), "of another kind"
    ScratchFolder("test").close()
    assert list(place.iterdir()) == []


def test_a_process_that_ends_takes_its_folder_along(place):
    process, left = keeper(place)
    process.communicate("")
    assert not os.path.exists(left)


def test_what_is_new_or_no_folder_is_left_alone(place):
    (place / "arena-test-new").mkdir()
    (place / "arena-test-file").write_text("content")
    (place / "arena-test-link").symlink_to(place)
    age(place / "arena-test-file")
    os.utime(place / "arena-test-link", (0, 0), follow_symlinks=False)
    ScratchFolder("test").close()
    assert {path.name for path in place.iterdir()} == {"arena-test-new", "arena-test-file", "arena-test-link"}
