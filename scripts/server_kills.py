"""Shake a ladder server by accidents at random moments, and compare the ladder with one that was left alone.

    python scripts/server_kills.py [--kills 100] [--cuts 40] [--jobs 400] [--workers 3] [--seed 0] [--postgres]

Server and workers are processes, killed by SIGKILL and started again, and so is the database with `--postgres`; else it
is an SQLite file. With `--cuts` the server and each worker are in network namespaces of their own (Linux, as root),
whose cables are cut for up to 5 s, the first for longer than a lease lasts. Games and ratings must be the same, one for
one.
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
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from network_namespaces import HUB, Network
from postgres_server import PostgresServer, postgres_running
from sqlalchemy import update

from arena.match.verdict import MatchRecord
from arena.server import accounts, bots, ladders
from arena.server.client import KEY
from arena.server.counting import plan_jobs
from arena.server.database import open_database
from arena.server.jobs import LEASE_S
from arena.server.schema import bots as bot_rows
from arena.server.schema import jobs as job_rows
from arena.store import MatchFilter, Store

AGENTS = {"ply": "one-ply", "dice": "random", "two": "alphabeta:2", "many": "mcts:50"}
LADDER = "small"
FINISHED_S = 3600.0
LONG_CUT_S, SHORT_CUT_S = LEASE_S + 10, 5.0
"""How long the first cut of a cable lasts, and how long others do at most."""


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
    """A server and its workers as processes, which can be killed and started again.

    Args:
        data: folder of the server.
        workers: number of workers.
        ahead: most jobs that are given out and not yet counted.
        options: further ones of the server.
        url: its database; None for a file in its folder.
        network: where they are, the server at its hub and each worker at another place; None for this machine.

    """

    def __init__(
        self,
        data: Path,
        workers: int,
        ahead: int = 8,
        options: Sequence[str] = (),
        url: str | None = None,
        network: Network | None = None,
    ):
        self.key, self.data, self._network = prepare(data, ahead, url), data, network
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        host = "127.0.0.1" if network is None else HUB
        self.url = f"http://{host}:{self.port}"
        server = ["server", "--data", str(data), "--port", str(self.port), "--share", "0", "--drain", "0", *options]
        server += ["--host", host, "--names", host] + ([] if url is None else ["--store", url])
        self._commands = [server]
        self._commands += [["worker", self.url, "--name", f"w{number}", "--quiet"] for number in range(workers)]
        self.processes = [self._started(number) for number in range(1 + workers)]

    def kill(self, number: int) -> None:
        """Kill a process, 0 for the server, and start it again."""
        self.processes[number].kill()
        self.processes[number].wait()
        self.processes[number] = self._started(number)

    def close(self) -> None:
        """Kill all processes."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()

    def _started(self, number: int) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "arena", *self._commands[number]]
        if self._network is not None:
            command = self._network.at(number, command)
        return subprocess.Popen(
            command, env=os.environ | {KEY: self.key}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


@dataclass
class Accidents:
    """What happens to a site at random moments; a cable that was cut is mended by a thread of its own."""

    site: Site
    rng: random.Random
    database: PostgresServer | None = None
    network: Network | None = None
    counts: Counter[str] = field(default_factory=Counter)
    _mending: dict[int, Thread] = field(default_factory=dict)

    def happen(self, kind: str) -> None:
        """Kill the server, a worker or the database (`kill`), or cut the cable of a worker (`cut`)."""
        if kind == "cut" and self.network is not None:
            self._cut(self.network)
            return
        victim = self.rng.choice(["server", "worker"] + ["database"] * (self.database is not None))
        if victim == "database" and self.database is not None:
            self.database.kill()
        else:
            self.site.kill(0 if victim == "server" else self.rng.randrange(1, len(self.site.processes)))
        self.counts[victim] += 1

    def end(self) -> None:
        """Wait until all cables are whole."""
        for thread in self._mending.values():
            thread.join()

    def _cut(self, network: Network) -> None:
        places = range(1, len(self.site.processes))
        whole = [place for place in places if place not in self._mending or not self._mending[place].is_alive()]
        if not whole:
            return
        place = self.rng.choice(whole)
        seconds = self.rng.uniform(0, SHORT_CUT_S) if self.counts["cable"] else LONG_CUT_S
        network.cut(place)
        self.counts["cable"] += 1
        self._mending[place] = Thread(target=self._mend, args=(network, place, seconds))
        self._mending[place].start()

    @staticmethod
    def _mend(network: Network, place: int, seconds: float) -> None:
        time.sleep(seconds)
        network.mend(place)


def in_words(counts: Mapping[str, int]) -> str:
    """Return what happened how often.

    >>> in_words({"server": 12, "cable": 3})
    'server killed 12 times, cable cut 3 times'
    """
    return ", ".join(f"{what} {'cut' if what == 'cable' else 'killed'} {count} times" for what, count in counts.items())


def play(
    data: Path,
    jobs: int,
    workers: int,
    kills: int = 0,
    cuts: int = 0,
    seed: int = 0,
    database: PostgresServer | None = None,
) -> tuple[list[MatchRecord], Counter[str]]:
    """Play so many jobs, with accidents at random places of the ladder; return the games, and what happened how often.

    With `cuts` server and workers are in network namespaces. The ladder is in a new database of `database`, which is
    killed as well; without one it is in a file.
    """
    rng, url = random.Random(seed), None if database is None else database.new_database()
    kinds = ["kill"] * kills + ["cut"] * cuts
    rng.shuffle(kinds)
    waiting = sorted((rng.randrange(jobs), kind) for kind in kinds)
    with ExitStack() as stack:
        network = stack.enter_context(Network(workers)) if cuts else None
        site = stack.enter_context(closing(Site(data, workers, url=url, network=network)))
        store = stack.enter_context(closing(open_database(url or data / "arena.db")))
        accidents = Accidents(site, rng, database, network)
        stack.callback(accidents.end)
        until = time.monotonic() + FINISHED_S
        while True:
            assert time.monotonic() < until, "the ladder does not come to its end"
            games, counted = ladder_of(store, jobs)
            while waiting and waiting[0][0] <= counted:
                time.sleep(rng.random() / 10)
                accidents.happen(waiting.pop(0)[1])
            if counted >= jobs:
                return games, accidents.counts
            time.sleep(0.02)


def main() -> None:
    """Play with and without accidents, and say whether both are alike."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--kills", 100), ("--cuts", 0), ("--jobs", 400), ("--workers", 3), ("--seed", 0)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--postgres", action="store_true")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres_running()) if chosen.postgres else None
        expected, _ = play(folder / "alone", chosen.jobs, 1)
        games, counts = play(
            folder / "shaken", chosen.jobs, chosen.workers, chosen.kills, chosen.cuts, chosen.seed, database
        )
    same = sum(one == other for one, other in zip(expected, games, strict=True))
    print(f"{in_words(counts)}: {len(games)} games, {same} the same as without")
    sys.exit(same != len(expected))


if __name__ == "__main__":
    main()
