"""Kill a ladder server and its workers at random moments, and compare the ladder with one that was left alone.

    python scripts/server_kills.py [--kills 100] [--jobs 400] [--workers 3] [--seed 0] [--store URL]

Server and workers are processes, killed by SIGKILL and started again. Games and ratings must be the same, one for one.
The ladder that is left alone is in an SQLite file; the other one is in the empty database `--store` if there is one.
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import update

from arena.match.verdict import MatchRecord
from arena.server import accounts, bots, ladders
from arena.server.client import KEY
from arena.server.database import open_database
from arena.server.jobs import plan_jobs
from arena.server.schema import bots as bot_rows
from arena.server.schema import jobs as job_rows
from arena.store import MatchFilter, Store

AGENTS = {"ply": "one-ply", "dice": "random", "two": "alphabeta:2", "many": "mcts:50"}
LADDER = "small"
FINISHED_S = 3600.0


def prepare(data: Path, ahead: int = 8, url: str | None = None) -> str:
    """Make a server's folder, or its database, with a ladder whose bots are in; return the key of a worker."""
    data.mkdir(parents=True)
    with open_database(url or data / "arena.db") as store, store.writing() as connection:
        owner = accounts.add_account(connection, "ann", "owner")
        ladder = ladders.add_ladder(connection, LADDER, ladders.LadderRules("tic_tac_toe", seed=7, ahead=ahead))
        for name, agent in AGENTS.items():
            bots.submit_bot(connection, owner, ladder, name, agent, None)
        connection.execute(update(bot_rows).values(state="active"))  # when bots come is a part of what a ladder is
        connection.execute(update(job_rows).values(state="void"))
        plan_jobs(connection, ladder)
        return accounts.add_key(connection, owner.id, "worker")


def ladder_of(store: Store, jobs: int) -> tuple[list[MatchRecord], int]:
    """Return the games of the first `jobs` jobs in order, and the number of jobs that are counted."""
    with store.reading() as connection:
        ladder = ladders.find_ladder(connection, LADDER)
    games = [(one.number, one.record) for one in store.each_match(MatchFilter(run=ladder.run))]
    assert len(games) == len(dict(games)), "a game was stored twice"
    return [record for number, record in sorted(games, key=lambda one: one[0]) if number < 2 * jobs], ladder.counted


class Site:
    """A server and its workers as processes, which can be killed and started again."""

    def __init__(self, data: Path, workers: int, ahead: int = 8, options: Sequence[str] = (), url: str | None = None):
        self.key, self.data = prepare(data, ahead, url), data
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._commands = [
            ["server", "--data", str(data), "--port", str(self.port), "--share", "0", "--drain", "0", *options]
        ]
        self._commands[0] += [] if url is None else ["--store", url]
        self._commands += [["worker", self.url, "--name", f"w{number}", "--quiet"] for number in range(workers)]
        self.processes = [self._started(command) for command in self._commands]

    def kill(self, number: int) -> None:
        """Kill a process, 0 for the server, and start it again."""
        self.processes[number].kill()
        self.processes[number].wait()
        self.processes[number] = self._started(self._commands[number])

    def close(self) -> None:
        """Kill all processes."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()

    def _started(self, command: list[str]) -> "subprocess.Popen[bytes]":
        environment = os.environ | {KEY: self.key}
        return subprocess.Popen(
            [sys.executable, "-m", "arena", *command], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


@contextmanager
def running(
    data: Path, workers: int, ahead: int = 8, options: Sequence[str] = (), url: str | None = None
) -> Iterator[Site]:
    """Run a server, with these options besides, and workers meanwhile."""
    site = Site(data, workers, ahead, options, url)
    try:
        yield site
    finally:
        site.close()


def play(
    data: Path,
    jobs: int,
    workers: int,
    kills: int = 0,
    seed: int = 0,
    url: str | None = None,
    kill_database: Callable[[], None] | None = None,
) -> tuple[list[MatchRecord], int]:
    """Play so many jobs, with kills at random places of the ladder; return the games and the number of kills.

    `kill_database` kills the database at `url` and starts it again.
    """
    rng, done = random.Random(seed), 0
    moments = sorted(rng.randrange(jobs) for _ in range(kills))
    with running(data, workers, url=url) as site, open_database(url or data / "arena.db") as store:
        until = time.monotonic() + FINISHED_S
        while True:
            assert time.monotonic() < until, "the ladder does not come to its end"
            games, counted = ladder_of(store, jobs)
            while moments and moments[0] <= counted:
                moments.pop(0)
                time.sleep(rng.random() / 10)
                victim = rng.randrange(workers + 1 + (kill_database is not None))
                if victim > workers and kill_database is not None:
                    kill_database()
                else:
                    site.kill(victim)
                done += 1
            if counted >= jobs:
                return games, done
            time.sleep(0.02)


def main() -> None:
    """Play with and without kills, and say whether both are alike."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options: Any = (("--kills", 100), ("--jobs", 400), ("--workers", 3), ("--seed", 0))
    for name, default in options:
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--store", metavar="URL")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        expected, _ = play(Path(folder, "alone"), chosen.jobs, 1)
        games, kills = play(
            Path(folder, "killed"), chosen.jobs, chosen.workers, chosen.kills, chosen.seed, chosen.store
        )
    same = sum(one == other for one, other in zip(expected, games, strict=True))
    print(f"{kills} kills, {len(games)} games, {same} the same as without")
    sys.exit(same != len(expected))


if __name__ == "__main__":
    main()
