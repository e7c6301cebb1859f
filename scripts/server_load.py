"""Load a ladder server with simulated workers and spectators, and print how long its answers take.

    python scripts/server_load.py [--workers 1000] [--spectators 100] [--job-s 100] [--minutes 2]

A worker takes a job, renews its lease every 30 s, and reports after `--job-s` seconds games in which the first to move
resigns; a spectator reads the standings every 10 s. All of them live in one process, beside the server's.
"""

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import httpx
from server_kills import LADDER, running

from arena.match.json_lines import to_json_line
from arena.match.verdict import MatchRecord, Reason, forfeit
from arena.policy.registry import make_game
from arena.server.matchmaking import seatings
from arena.server.workers import VERSION
from games.engine.game import Game

RENEW_S, LOOK_S = 30.0, 10.0


class Load:
    """Simulated callers of a server, and how long it has made them wait."""

    def __init__(self, client: httpx.AsyncClient, job_s: float, until: float):
        self._client, self._job_s, self._until = client, job_s, until
        self.waits: dict[str, list[float]] = {}
        self.statuses: Counter[int] = Counter()
        self._game: Game = make_game("tic_tac_toe")

    async def ask(self, what: str, method: str, path: str, body: object = None) -> httpx.Response | None:
        """Ask the server; None if it does not answer."""
        began = time.monotonic()
        try:
            response = await self._client.request(method, path, json=body)
        except httpx.HTTPError:
            self.statuses[0] += 1
            return None
        self.waits.setdefault(what, []).append(time.monotonic() - began)
        self.statuses[response.status_code] += 1
        return response

    async def worker(self, number: int) -> None:
        """Play jobs until the end."""
        await asyncio.sleep(random.random() * min(self._job_s, 30))
        began = await self.ask("register", "POST", "/workers", {"name": f"w{number}", "version": VERSION})
        while began is not None and time.monotonic() < self._until:
            response = await self.ask("lease", "POST", "/jobs", {"worker": began.json()["worker"]})
            if response is None or response.status_code != 200:
                await asyncio.sleep(random.uniform(5, 15))
                continue
            job = response.json()
            left = self._job_s * random.uniform(0.5, 1.5)
            while left > RENEW_S:
                await asyncio.sleep(RENEW_S)
                left -= RENEW_S
                await self.ask("renew", "POST", f"/jobs/{job['id']}/lease", {"lease": job["lease"]})
            await asyncio.sleep(left)
            await self.ask(
                "report", "POST", f"/jobs/{job['id']}/report", {"lease": job["lease"], "games": self._lines(job)}
            )

    async def spectator(self) -> None:
        """Look at the standings until the end."""
        while time.monotonic() < self._until:
            await asyncio.sleep(LOOK_S * random.uniform(0.5, 1.5))
            await self.ask("standings", "GET", f"/ladders/{LADDER}/standings")

    def _lines(self, job: dict) -> list[str]:
        opening, names = tuple(job["opening"]), [seat["player"] for seat in job["table"]]
        verdict = forfeit(2, 0, Reason.RESIGNED)
        records = [
            MatchRecord(self._game.label, tuple(names[place] for place in side), job["seed"], opening, opening, verdict)
            for side in seatings(2)
        ]
        return [to_json_line(self._game, record) for record in records]


async def load(url: str, key: str, options: argparse.Namespace) -> Load:
    """Run all callers, and return what they met."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, limits=limits, timeout=60) as client:
        while True:
            try:
                await client.get("/ladders")
                break
            except httpx.HTTPError:
                await asyncio.sleep(0.5)
        one = Load(client, options.job_s, time.monotonic() + 60 * options.minutes)
        callers = [one.worker(number) for number in range(options.workers)]
        callers += [one.spectator() for _ in range(options.spectators)]
        await asyncio.gather(*callers)
        return one


def main() -> None:
    """Print the number of answers of each kind a second, their percentiles, and the server's memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--workers", 1000), ("--spectators", 100), ("--job-s", 100.0), ("--minutes", 2.0)):
        parser.add_argument(name, type=type(default), default=default)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        site = stack.enter_context(running(Path(folder, "site"), 0, options.workers + 64, ["--rate", "1000000"]))
        met = asyncio.run(load(site.url, site.key, options))
        status = Path(f"/proc/{site.processes[0].pid}/status").read_text()
    print(next(line for line in status.splitlines() if line.startswith("VmHWM")))
    print("answers by status (0: none):", json.dumps(dict(met.statuses)))
    for what, taken in {**met.waits, "all": list(chain.from_iterable(met.waits.values()))}.items():
        waits = sorted(taken)
        rate = len(waits) / 60 / options.minutes
        at = {name: 1000 * waits[min(len(waits) - 1, int(share * len(waits)))] for name, share in SHARES.items()}
        print(f"{what:10} {rate:7.1f}/s  " + "  ".join(f"{name} {value:7.1f} ms" for name, value in at.items()))


SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "most": 1.0}

if __name__ == "__main__":
    main()
