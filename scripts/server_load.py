"""Load a ladder server with simulated workers and spectators, and print how long its answers take.

    python scripts/server_load.py [--workers 10000] [--spectators 1000] [--job-s 300] [--minutes 5]

A worker takes a job, renews its lease as often as real ones, and reports after about `--job-s` seconds games in which
the first to move resigns; a spectator reads the standings every 10 s. Each request has a connection of its own, as
those of real workers. All of them live in one process, beside the server's, and come in the first `--ramp` seconds,
which are not measured. A line a minute says how it goes.
"""

import argparse
import asyncio
import json
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server_kills import LADDER, Site

from arena.match.json_lines import to_json_line
from arena.match.verdict import MatchRecord, Reason, forfeit
from arena.policy.registry import make_game
from arena.server.jobs import RENEWALS
from arena.server.matchmaking import seatings
from arena.server.workers import VERSION
from games.engine.game import Game

LOOK_S = 10.0
ANSWER_S = 60.0
"""Seconds after which a caller gives up."""


@dataclass
class Load:
    """Simulated callers of a server, and how long it has made them wait."""

    port: int
    key: str
    job_s: float
    begin: float
    """From when on it is measured, and..."""
    until: float
    """when all callers end."""
    waits: dict[str, list[float]] = field(default_factory=dict)
    by_minute: dict[int, list[float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    game: Game = field(default_factory=lambda: make_game("tic_tac_toe"))

    async def ask(self, what: str, method: str, path: str, body: object = None, keyed: bool = True) -> tuple[int, Any]:
        """Return status and JSON of an answer; 0 and None if there is none."""
        began = time.monotonic()
        try:
            status, answer = await asyncio.wait_for(self._exchange(method, path, body, keyed), ANSWER_S)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
            status, answer = 0, None
        if began >= self.begin:
            wait = time.monotonic() - began
            self.waits.setdefault(what, []).append(wait)
            self.by_minute.setdefault(int((began - self.begin) / 60), []).append(wait)
            self.statuses[status] += 1
        return status, answer

    async def _exchange(self, method: str, path: str, body: object, keyed: bool) -> tuple[int, Any]:
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {self.key}\r\n" if keyed else ""
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(head.encode() + content)
            answer = await reader.read()
        finally:
            writer.close()
        first, _, rest = answer.partition(b"\r\n\r\n")
        return int(first.split(b" ", 2)[1]), json.loads(rest) if rest else None

    async def worker(self, number: int, first_s: float) -> None:
        """Play jobs until the end."""
        await asyncio.sleep(first_s)
        _, began = await self.ask("register", "POST", "/workers", {"name": f"w{number}", "version": VERSION})
        share = random.random()  # of its first job that is over: they do not all report at once
        while began is not None and time.monotonic() < self.until:
            status, job = await self.ask("lease", "POST", "/jobs", {"worker": began["worker"]})
            if status != 200:
                await asyncio.sleep(random.uniform(5, 15))
                continue
            left, share = self.job_s * random.uniform(0.5, 1.5) * (1 - share), 0.0
            while left > (pause := job["lease_s"] / RENEWALS):
                await asyncio.sleep(pause)
                left -= pause
                await self.ask("renew", "POST", f"/jobs/{job['id']}/lease", {"lease": job["lease"]})
            await asyncio.sleep(left)
            played = {"lease": job["lease"], "games": self._lines(job)}
            await self.ask("report", "POST", f"/jobs/{job['id']}/report", played)

    async def spectator(self) -> None:
        """Look at the standings until the end."""
        await asyncio.sleep(LOOK_S * random.random())
        while time.monotonic() < self.until:
            await self.ask("standings", "GET", f"/ladders/{LADDER}/standings", keyed=False)
            await asyncio.sleep(LOOK_S * random.uniform(0.5, 1.5))

    async def observer(self, server: int) -> None:
        """Print a line a minute: how long the requests of that minute took, and the memory of the server."""
        minute = 0
        while time.monotonic() < self.until:
            await asyncio.sleep(max(0.0, self.begin + 60 * (minute + 1) - time.monotonic()))
            waits = self.by_minute.get(minute, [])
            print(row(f"minute {minute}", waits, 60), f"  {memory_mb(server, 'VmRSS')} MB", flush=True)
            minute += 1

    def _lines(self, job: dict) -> list[str]:
        opening, names = tuple(job["opening"]), [seat["player"] for seat in job["table"]]
        verdict = forfeit(2, 0, Reason.RESIGNED)
        records = [
            MatchRecord(self.game.label, tuple(names[place] for place in side), job["seed"], opening, opening, verdict)
            for side in seatings(2)
        ]
        return [to_json_line(self.game, record) for record in records]


async def load(site: Site, options: argparse.Namespace) -> Load:
    """Run all callers, and return what they met."""
    begin = time.monotonic() + options.ramp
    one = Load(site.port, site.key, options.job_s, begin, begin + 60 * options.minutes)
    while (await one.ask("ladders", "GET", "/ladders"))[0] != 200:
        await asyncio.sleep(0.5)
    callers = [one.worker(number, random.random() * options.ramp * 0.8) for number in range(options.workers)]
    callers += [one.spectator() for _ in range(options.spectators)]
    callers.append(one.observer(site.processes[0].pid))
    tasks = [asyncio.create_task(caller) for caller in callers]
    await asyncio.wait(tasks, timeout=options.ramp + 60 * options.minutes)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return one


def memory_mb(pid: int, name: str) -> int:
    """Return a figure of the memory of a process: VmRSS for that of now, VmHWM for the most so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) // 1024


def row(what: str, waits: list[float], seconds: float) -> str:
    """Return a line of the table: requests a second, and percentiles of how long they took."""
    taken = sorted(waits) or [0.0]
    at = {name: 1000 * taken[min(len(taken) - 1, int(share * len(taken)))] for name, share in SHARES.items()}
    shown = "  ".join(f"{name} {value:7.1f} ms" for name, value in at.items())
    return f"{what:10} {len(waits) / seconds:7.1f}/s  {shown}"


def main() -> None:
    """Print the number of answers of each kind a second, their percentiles, and the server's memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    figures = (("workers", 10_000), ("spectators", 1000), ("job-s", 300.0), ("minutes", 5.0), ("ramp", 180.0))
    for name, default in figures:
        parser.add_argument(f"--{name}", type=type(default), default=default)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        site = stack.enter_context(
            closing(Site(Path(folder, "site"), 0, 4 * options.workers + 64, ["--rate", "1000000"]))
        )
        met = asyncio.run(load(site, options))
        server = site.processes[0].pid
        print(f"memory of the server: {memory_mb(server, 'VmRSS')} MB, {memory_mb(server, 'VmHWM')} MB at most")
    print("answers by status (0: none):", json.dumps(dict(met.statuses)))
    for what, taken in {**met.waits, "all": [wait for waits in met.waits.values() for wait in waits]}.items():
        print(row(what, taken, 60 * options.minutes))


SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "most": 1.0}

if __name__ == "__main__":
    main()
