"""A small tournament as the store sees it, to be interrupted and gone on with."""

import os
import signal
from collections.abc import Callable
from typing import Any

from arena.store import Selection, Store
from tests.store.records import GAME, schedule

GAMES = 8
BLOCK = 4
"""Games that are added at once: two whole pairs."""


def play(url: str, tell: Callable[[int], object] = lambda number: None) -> None:
    """Begin the tournament, or go on with it, to its end; `tell` hears the last number of each block."""
    with Store(url) as store:
        run = store.open_run("tournament", "key", GAME, {"games": GAMES}, ["ada", "bob"])
        there = {number for number, _ in store.played(run.id)}
        for start in range(0, GAMES, BLOCK):
            block = [(number, record) for number, record in schedule(BLOCK, start) if number not in there]
            store.add_games(run.id, block)
            tell(start + BLOCK - 1)
        if not run.finished:
            store.finish_run(run.id)


def contents(url: str) -> dict[str, Any]:
    """Everything that a store of this tournament holds, but for the times at which it was written."""
    with Store(url) as store:
        run = store.open_run("tournament", "key", GAME, {"games": GAMES}, ["ada", "bob"])
        return {
            "finished": run.finished,
            "played": list(store.played(run.id)),
            "found": [(match.number, match.record) for match in store.each_match()],
            "counted": int(store.results(Selection(GAME)).games.sum()),
        }


def require_sound(url: str) -> int:
    """Check that only whole blocks are there, counted once each; returns how many matches that is."""
    found = contents(url)
    count = len(found["played"])
    assert count % BLOCK == 0
    assert found["played"] == schedule(count)
    assert found["counted"] == count
    return count


def in_a_child(work: Callable[[], object]) -> int:
    """Run `work` in a child of this process; returns its exit status, negative if a signal ended it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die() -> None:
    """What a power cut is to this process."""
    os.kill(os.getpid(), signal.SIGKILL)
