"""The sandbox for programs: what it contains, what still works in it, and where there is none."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.match.containment import attempts, try_sandbox
from arena.match.match import Match
from arena.policy.registry import make_agent, make_game
from arena.processes import sandbox
from arena.processes.sandbox import VARIABLE, guarded_program, sandboxed, use_sandbox
from tests.processes.sandboxes import has_landlock, switch_on
from tests.processes.test_cgroups import limited_by_the_kernel

pytestmark = pytest.mark.full

BOT = """
import json, os, socket, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "move":
        try:
            beside = sorted(os.listdir(".."))
        except PermissionError:
            beside = ["own"]
        seen = [beside, sorted(os.environ), os.getcwd(), open("beside.txt").read()]
        print(json.dumps({"action": message["legal"][0]}), flush=True)
        print(json.dumps(seen), file=sys.stderr, flush=True)
        if message["moves"]:
            sys.exit(3)
"""


@pytest.fixture(params=sandbox.KINDS)
def switched_on(request, monkeypatch):
    switch_on(request.param, monkeypatch)
    return request.param


def test_everything_that_a_hostile_program_tries_is_contained(switched_on):
    found = try_sandbox(switched_on)
    assert len(found) >= 50
    beyond_it = set() if "cpu" in limited_by_the_kernel() else {"use more than one core"}
    assert {what for what, possible in found.items() if possible} <= beyond_it


def test_a_program_is_found_by_way_of_links_in_folders_that_are_not_shown(switched_on):
    """As an environment's `python` is, which leads to a folder of links, and from there to where it is installed."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # of `/tmp` a sandbox has its own
        place = Path(folder)
        for name in ("environment/bin", "links", "installed/bin"):
            (place / name).mkdir(parents=True)
        program = place / "installed" / "bin" / "program"
        program.write_text("#!/bin/sh\necho arrived\n")
        program.chmod(0o755)
        (place / "links" / "program").symlink_to("../installed/bin/program")
        (place / "nearer").symlink_to("links")
        named = place / "environment" / "bin" / "program"
        named.symlink_to(place / "nearer" / "program")
        done = subprocess.run(sandboxed([str(named)]), capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.returncode) == ("arrived\n", 0), done.stderr
        (place / "links" / "deep").mkdir()
        deep = place / "nearer" / "deep" / "program"
        shutil.copy(program, deep)
        for words in ([named, place / "links"], [place / "nearer" / "program"], [deep]):  # whose folders are shown
            done = subprocess.run(sandboxed([*map(str, words)]), capture_output=True, text=True, timeout=60)
            assert (done.stdout, done.returncode) == ("arrived\n", 0), done.stderr


def test_the_attempts_are_real():
    """Without a sandbox many succeed, so that they would be noticed."""
    found = attempts([])
    possible = {what for what, succeeded in found.items() if succeeded}
    assert possible >= {
        "reach a server on this machine",
        "reach an abstract Unix socket",
        "reach a Unix socket by its path",
        "read a file in the home folder",
        "read a file in the temporary folder",
        "change who may read a file",
        "change the times of a file",
        "limit them",
        "pin them to a core",
        "find shared memory of others",
        "find a System V segment of others",
        "see processes of others",
        "read their environment",
        "signal them",
        "find a secret in its environment",
        "fill the temporary folder",
        "follow a symbolic link out",
    }
    assert not found["take more memory than its limit"], "the guard limits that anyway"


def test_a_program_plays_in_it_and_sees_its_folder_only(switched_on, tmp_path, monkeypatch):
    own = tmp_path / "own"
    for folder in (own, tmp_path / "other"):
        folder.mkdir()
    (own / "bot.py").write_text(BOT)
    (own / "beside.txt").write_text("beside")
    monkeypatch.chdir(own)
    monkeypatch.setenv("TOKEN", "secret")
    game = make_game("tic_tac_toe")
    with_sandbox = make_agent(f"cmd:{sys.executable} bot.py", game)
    match = Match(game, [("bot", with_sandbox), ("random", make_agent("random", game))])
    record = match.play_out()
    said = record.verdict.detail.split("it said: ")[1]
    files, variables, folder, beside = json.loads(said)
    assert files == ["own"]
    assert "TOKEN" not in variables
    assert (folder, beside) == (str(own), "beside")


def test_the_command_names_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setenv(VARIABLE, "bubblewrap")
    (tmp_path / "bot.py").touch()
    words = sandboxed(["python3", str(tmp_path / "bot.py"), "--level", "3"])
    assert words[-4:] == ["python3", str(tmp_path / "bot.py"), "--level", "3"]
    shown = {words[i + 1] for i, word in enumerate(words) if word == "--ro-bind-try"}
    assert str(tmp_path) in shown
    assert not {"/", "/home", "/root", str(Path.home()), "/etc", "/tmp", os.getcwd()} & shown


def test_an_older_kernel_is_said_to_be_one(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sandbox, "LAUNCHER", Path(__file__).with_name("older_landlock.py"))
    assert main(["sandbox", "check", "--kind", "landlock"]) == 2
    said = capsys.readouterr().err
    assert "this kernel has version 5 of Landlock, and 6 is needed" in said
    assert said.count("\n") == 1


def test_the_sandbox_of_the_environment_is_used(monkeypatch):
    if not has_landlock():
        pytest.skip("this kernel has no Landlock, or an older one")
    monkeypatch.setenv(VARIABLE, "landlock")
    use_sandbox()
    assert os.environ[VARIABLE] == "landlock"
    assert str(sandbox.LAUNCHER) in sandboxed(["true"])


def test_without_it_commands_are_as_they_were(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    assert sandboxed(["stockfish", "bench"]) == ["stockfish", "bench"]


def test_where_there_is_none_it_is_said_in_one_line(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert main(["sandbox", "check"]) == 2
    assert "apt install bubblewrap" in capsys.readouterr().err
    assert main(["sandbox", "check", "--kind", "runsc"]) == 2
    assert "apt install runsc" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, "gvisor")
    with pytest.raises(UsageError, match="'gvisor' is no sandbox; known are bubblewrap, runsc, landlock"):
        sandboxed(["true"])


def test_a_tournament_does_not_pretend_where_workers_are_elsewhere(capsys):
    assert main(["tournament", "tic_tac_toe", "random", "one-ply", "--sandbox", "--workers", "ray"]) == 2
    assert "ARENA_SANDBOX=bubblewrap" in capsys.readouterr().err


def test_a_tournament_in_it(switched_on, tmp_path, monkeypatch, capsys):
    (tmp_path / "bot.py").write_text(BOT.replace("sys.exit(3)", "pass"))
    (tmp_path / "beside.txt").write_text("beside")
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "tic_tac_toe", f"bot=cmd:{sys.executable} bot.py", "random", "--games", "4", "--sandbox"]
    assert main([*words, "--store", "games.db", "--out", "results"]) == 0
    with (tmp_path / "results" / "games.csv").open() as file:
        assert [row["reason"] for row in csv.DictReader(file)] == ["finished"] * 4


def test_a_killed_container_leaves_nothing(tmp_path, monkeypatch):
    """Neither processes, nor its folder, which the next one removes."""
    switch_on(sandbox.RUNSC, monkeypatch)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run = guarded_program(["sh", "-c", "echo begun; sleep 600"])
    process = run.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    (folder,) = tmp_path.iterdir()
    run.end(process)
    process.stdout.close()
    alive = [Path(f"/proc/{number}/cmdline").read_bytes() for number in os.listdir("/proc") if number.isdecimal()]
    assert not any(folder.name.encode() in words for words in alive)
    assert subprocess.run(sandboxed(["true"]), check=True, timeout=30).returncode == 0
    assert list(tmp_path.iterdir()) == []
