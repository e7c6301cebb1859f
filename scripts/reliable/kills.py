"""Trainings and tournaments killed at random moments and resumed, beside the same ones that were left alone."""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import server_kills
from postgres_server import postgres_running

from reliable.check import Check

LOOKED_AT = {"tensorboard", "live"}
"""Folders of a run that hold what there is to look at."""
OF_THE_MACHINE = {"run.json", "results.json"}
"""Files that say when and where it was run, besides."""
SERVER_KILLS, SERVER_CUTS, SERVER_JOBS, SERVER_WORKERS = 100, 40, 400, 3
"""How often a server and what belongs to it are killed, and cables cut, while a ladder plays so many pairs of games."""


@dataclass(frozen=True)
class Work:
    """A command of `arena`, the one that goes on with it after a kill, and the folder that it leaves behind."""

    name: str
    command: Sequence[str]
    resumed: Sequence[str]
    folder: str = "run"


def _training(algorithm: str, *options: str) -> Work:
    command = ("train", "tic_tac_toe", algorithm, "--out", "run", "--threads", "1", "--snapshots", "5", *options)
    return Work(f"`{algorithm}` trained by self-play", command, ("train", "run", "--resume"))


TOURNAMENT = ("tournament", "connect_four", "random", "one-ply", "alphabeta:5", "--openings", "random:3")
TOURNAMENT += ("--games", "60", "--out", "results")
WORKS = (
    _training("ppo", "--steps", "100000"),
    _training("dqn", "--steps", "30000"),
    _training("alphazero", "--steps", "20000"),
    Work("a tournament", TOURNAMENT, TOURNAMENT, "results"),
    Work("a tournament with two workers", (*TOURNAMENT, "--workers", "2"), (*TOURNAMENT, "--workers", "2"), "results"),
)


def checks(kills: int, seed: int) -> Iterator[Check]:
    """Kill each work so often, and a ladder server with its workers."""
    for work in WORKS:
        yield killed(work, kills, random.Random(seed))
    yield killed_server(seed)


def killed(work: Work, kills: int, rng: random.Random) -> Check:
    """Run a work alone and killed so often; compare what both leave behind, byte for byte."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder, "alone")
        alone.mkdir()
        _start(alone, work.command).wait()
        span = time.monotonic() - start
        expected = left_behind(alone / work.folder)
        tried = passed = done = number = 0
        while done < kills:
            number += 1
            place = Path(folder, f"killed-{number}")
            place.mkdir()
            done += run_to_the_end(work, place, kills - done, span, rng)
            files = left_behind(place / work.folder)
            tried += len(expected)
            passed += sum(files.get(name) == content for name, content in expected.items())
    what = f"{work.name}, killed {done} times and resumed: what it leaves behind"
    return Check("kills", what, tried, passed, "files", round(time.monotonic() - start, 1))


def run_to_the_end(work: Work, folder: Path, kills: int, span_s: float, rng: random.Random) -> int:
    """Run a work, kill it at random moments and go on with it until it ends by itself; return the number of kills.

    After so many kills it is left alone.
    """
    command = work.command
    for done in range(kills):
        process = _start(folder, command)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=span_s * rng.random())
            return done
        process.kill()
        process.wait()
        command = work.resumed if (folder / work.folder).exists() else work.command
    _start(folder, command).wait()
    return kills


def left_behind(folder: Path) -> dict[str, bytes]:
    """Return the files of a run or of results by name, but what is there to look at and what is of the machine."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in OF_THE_MACHINE]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if not LOOKED_AT & set(path.parts)}


def killed_server(seed: int) -> Check:
    """Kill a ladder server, its database and workers, cut its cables, and compare its games with those of one at rest.

    Raises `RuntimeError` where network namespaces cannot be made, and `FileNotFoundError` without PostgreSQL.
    """
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, postgres_running() as database:
        expected, _ = server_kills.play(Path(folder, "alone"), SERVER_JOBS, 1)
        games, counts = server_kills.play(
            Path(folder, "shaken"), SERVER_JOBS, SERVER_WORKERS, SERVER_KILLS, SERVER_CUTS, seed, database
        )
    same = sum(one == other for one, other in zip(expected, games, strict=True))
    what = f"a ladder on PostgreSQL, each of {SERVER_WORKERS} workers behind a cable of its own"
    what += f"; {server_kills.in_words(counts)}: the games of the ladder"
    return Check("kills", what, len(expected), same, "games", round(time.monotonic() - start, 1))


def _start(folder: Path, command: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *command], cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
