"""A worker of a ladder server that forges 1 % of its results: it is found, and all that it forged is replaced."""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from arena.match.verdict import Reason
from arena.server import accounts, bots, ladders
from arena.server.app import make_app
from arena.server.database import open_database
from arena.server.refusals import RefusedError
from arena.server.schema import jobs, settings
from arena.server.state import ServerConfig
from arena.server.worker import Worker
from arena.store import MatchFilter, Store
from reliable.check import Check

LADDERS, SHARE, EVERY, AT_ONCE = 3, 0.1, 100, 20
"""Ladders; share of results that is played again; one of how many results is forged; results between looks at them."""
BOTS = {"one": "one-ply", "two": "alphabeta:2", "dice": "random", "more": "random"}


class Caller:
    """An account's requests to an application in this process; every so many reports are forged."""

    url = "http://testserver"

    def __init__(self, client: TestClient, key: str, every: int = 0):
        self._client, self._headers, self._every = client, {"Authorization": f"Bearer {key}"}, every
        self.reports = 0
        self.forged = 0

    def post(self, path: str, body: Any) -> Any:
        """Post JSON; return the answer."""
        if path.endswith("/report"):
            self.reports += 1
            if self._every and self.reports % self._every == 0:
                self.forged += 1
                body = body | {"games": [_forged(body["games"][0]), *body["games"][1:]]}
        response = self._client.post(f"/api/v1{path}", json=body, headers=self._headers)
        if response.status_code >= 400:
            raise RefusedError(response.status_code, response.json()["detail"])
        return response.json() if response.content else None


def _forged(line: str) -> str:
    """Return a game in which the first to move gave up at once."""
    game = json.loads(line)
    moves = game["moves"][: game["opening"]]
    end = {"returns": [-1.0, 1.0], "reason": "resigned", "offender": 0, "move_ms": [0] * len(moves)}
    return json.dumps(game | end | {"moves": moves})


def checks(seed: int) -> Iterator[Check]:
    """Plant a forger on each of some ladders."""
    start, forged, replaced, reports = time.monotonic(), 0, 0, []
    for number in range(LADDERS):
        with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder, "arena.db"))) as store:
            forger, left = _played(store, Path(folder), f"secret {seed} {number}", seed + number)
            forged, replaced = forged + forger.forged, replaced + forger.forged - left
            reports.append(forger.reports)
    counts = ", ".join(f"{one:,}" for one in sorted(reports))
    what = (
        f"forged results of a worker that forges 1 %, where {SHARE:.0%} are played again: replaced "
        f"({LADDERS} ladders; it was found after {counts} results)"
    )
    yield Check("forgers", what, forged, replaced, "results", round(time.monotonic() - start, 1))


def _played(store: Store, folder: Path, secret: str, seed: int) -> tuple[Caller, int]:
    """Play a ladder until its forger is found and all of its results are checked; return how many forged ones stand."""
    with store.writing() as connection:
        connection.execute(update(settings).values(value=secret))  # from which the sample is drawn
        owner = accounts.add_account(connection, "owner", "owner")
        ladder = ladders.add_ladder(connection, "small", ladders.LadderRules("tic_tac_toe", seed=seed, ahead=64))
        for name, agent in BOTS.items():
            bots.submit_bot(connection, owner, ladder, name, agent, None)
        eve = accounts.add_account(connection, "eve", "worker")
        keys = [accounts.add_key(connection, one.id, "key") for one in (owner, eve)]
    app = make_app(store, ServerConfig(folder, share=SHARE, rate=1e6, burst=1e6))
    client = TestClient(app)
    honest, forger = Caller(client, keys[0]), Caller(client, keys[1], EVERY)  # an owner's worker is believed
    Worker(honest, "honest", False).run(most=2 * len(BOTS))
    try:
        while True:
            Worker(forger, "forger", False).run(most=AT_ONCE)
            _verify(store, honest)
    except RefusedError:  # it is blocked
        _verify(store, honest)
    app.state.server.close()
    standing = store.matches(MatchFilter(reason=Reason.RESIGNED), limit=100_000)
    return forger, len(standing)


def _verify(store: Store, honest: Caller) -> None:
    """Have all results that are to be played again played again."""
    waiting = select(func.count()).where(jobs.c.kind == "verification", jobs.c.state == "open")
    while True:
        with store.reading() as connection:
            if not connection.execute(waiting).scalar_one():
                return
        Worker(honest, "honest", False).run(most=1)
