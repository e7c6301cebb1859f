"""Speed of the store at a million matches, writing and answering; beside sqlite3 by hand."""

import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from arena.match.verdict import MatchRecord, Verdict
from arena.policy.registry import make_game
from arena.store import MatchFilter, Store
from arena.tournament.ladder import find_ladders
from benchmarks.measure import NOBODY, Peer, Row, Work, duration, rate

GAME = "connect_four(rows=6, columns=7, k=4)"
MATCHES, PLAYERS, MOVES = 1_000_000, 1000, 30
LARGE, SMALL = 1000, 64
"""Matches in one transaction: of batched play, and of one job."""
COUNTED = """
SELECT name, sum(result = 1) AS wins, sum(result = 0), sum(result = -1)
FROM seats JOIN players ON player = id GROUP BY player ORDER BY wins DESC
"""


def rows() -> Iterator[Row]:
    """Measure matches a second, each transaction synced to disk before the next begins; then seconds of an answer."""
    records = some_records(20_000)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "arena.db")) as store:
        add = adding(store, records, LARGE)
        spent = sum(seconds(add) for _ in range(MATCHES // LARGE))
        yield Row(
            "store", f"{MATCHES:,} matches into an empty store", MATCHES / spent, None, NOBODY.name, None, "games/s"
        )
        hand = by_hand(Path(folder, "by_hand.db"))
        for size in (LARGE, SMALL):
            peer = Peer("sqlite3, a line of JSON a match", adding_by_hand(hand, records, size))
            work = f"{size} at a time into a store of {MATCHES:,}"
            yield rate("store", work, "games/s", adding(store, records, size), peer)
        plain = sqlite3.connect(store.name)
        peer = Peer("wins counted by hand, unrated", lambda: seconds(lambda: plain.execute(COUNTED).fetchall()))
        game = make_game("connect_four")
        ladder = f"ladder of {PLAYERS:,} players, rated in one fit"
        yield duration("store", ladder, lambda: seconds(lambda: find_ladders(store, game)), peer)
        wins = MatchFilter(player="player 7", result="win")
        yield duration("store", "the last 50 wins of a player", lambda: seconds(lambda: store.matches(wins)), NOBODY)
        plain.close()
        hand.close()


def some_records(number: int) -> list[MatchRecord]:
    """Return matches like those of connect four, among 1,000 players."""
    rng = random.Random(0)
    names = [f"player {i}" for i in range(PLAYERS)]
    ends = [Verdict((1.0, -1.0)), Verdict((0.0, 0.0)), Verdict((-1.0, 1.0))]
    moves = [tuple(rng.choices(range(7), k=MOVES)) for _ in range(number)]
    return [MatchRecord(GAME, tuple(rng.sample(names, 2)), i, m[:4], m, rng.choice(ends)) for i, m in enumerate(moves)]


def adding(store: Store, records: list[MatchRecord], size: int) -> Work:
    """Add the next matches of a new run, in one transaction."""
    run = store.open_run("tournament", f"{size} at a time, {time.time()}", GAME, {}, [])
    starts = count(step=size)

    def add() -> int:
        start = next(starts)
        store.add_games(run.id, [(number, records[number % len(records)]) for number in range(start, start + size)])
        return size

    return add


def by_hand(path: Path) -> sqlite3.Connection:
    """Yield a database with the same durability in a power cut."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE matches (id INTEGER PRIMARY KEY, record TEXT)")
    return connection


def adding_by_hand(connection: sqlite3.Connection, records: list[MatchRecord], size: int) -> Work:
    """Add as many matches as text, with no index and nothing to look up."""
    starts = count(step=size)

    def add() -> int:
        start = next(starts)
        added = [records[number % len(records)] for number in range(start, start + size)]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO matches (record) VALUES (?)", [(_line(record),) for record in added])
        connection.execute("COMMIT")
        return size

    return add


def _line(record: MatchRecord) -> str:
    verdict = record.verdict
    return json.dumps([record.game, record.players, record.seed, record.actions, verdict.returns, verdict.reason])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
