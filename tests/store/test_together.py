"""Several processes at one store at once: each match is there once, and nobody gives up."""

import os

import pytest

from arena.store import Selection, Store
from tests.store.records import GAME, schedule

pytestmark = pytest.mark.full

PROCESSES, GAMES, BLOCK = 4, 60, 6


def test_many_make_a_store_and_write_the_same_run_and_their_own(url):
    children = []
    for child in range(PROCESSES):
        children.append(os.fork())
        if children[-1] == 0:
            status = 1
            try:
                _write(url, child)
                status = 0
            finally:
                os._exit(status)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * PROCESSES
    with Store(url) as store:
        for key in ("shared", *map(str, range(PROCESSES))):
            run = store.open_run("tournament", key, GAME, {}, ["ada", "bob"])
            assert list(store.played(run.id)) == schedule(GAMES)
        assert store.results(Selection(GAME)).games.sum() == GAMES, "all played the same ones, which count once"


def _write(url: str, child: int) -> None:
    with Store(url, wait_s=120) as store:
        for key in ("shared", str(child)):
            run = store.open_run("tournament", key, GAME, {}, ["ada", "bob"])
            for start in range(0, GAMES, BLOCK):
                store.add_games(run.id, schedule(BLOCK, start))
