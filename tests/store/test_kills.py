"""Whoever writes may die at any moment: only whole pairs are there afterwards, and a second run ends with the same."""

import os
import random
import signal
import time
from functools import partial

import pytest
from sqlalchemy import Engine, event

from tests.store.tournament import BLOCK, GAMES, contents, die, in_a_child, play, require_sound

pytestmark = pytest.mark.full

HOOKS = ("before_cursor_execute", "commit")


def count_writes(at: int | None = None) -> list[int]:
    """Count the statements and commits that this process is about to do; it dies before number `at`."""
    reached = [0]

    def moment(*_: object) -> None:
        reached[0] += 1
        if reached[0] == at:
            die()

    for hook in HOOKS:
        event.listen(Engine, hook, moment)
    return reached


def moments_of(url: str) -> int:
    """How many moments a whole tournament has."""
    out, into = os.pipe()

    def work() -> None:
        reached = count_writes()
        play(url)
        os.write(into, str(reached[0]).encode())

    assert in_a_child(work) == 0
    with os.fdopen(out) as told:
        os.close(into)
        return int(told.read())


@pytest.mark.slow("kills it again and again")
def test_death_at_every_statement_and_commit(new_url):
    whole = new_url()
    moments = moments_of(whole)
    expected = contents(whole)
    assert len(expected["played"]) == GAMES
    assert expected["finished"]
    counts = []
    every = 1 if "sqlite" in whole else 5  # to a server, whoever dies has hung up; a fifth of the moments will do
    for moment in range(1, moments + 1, every):
        url = new_url()

        def work(url: str = url, moment: int = moment) -> None:
            count_writes(at=moment)
            play(url)

        assert in_a_child(work) == -signal.SIGKILL, moment
        counts.append(require_sound(url))
        play(url)
        assert contents(url) == expected, moment
    assert sorted(set(counts)) == list(range(0, GAMES + 1, BLOCK))


def report(pipe: int, number: int) -> None:
    os.write(pipe, bytes([number]))


@pytest.mark.slow("kills it again and again")
def test_death_at_any_time_loses_nothing_that_was_told_to_be_stored(new_url):
    rng = random.Random(0)
    url, expected = new_url(), new_url()
    play(expected)
    for _ in range(20):
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            play(url, tell=partial(report, into))
            os._exit(0)
        os.close(into)
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(out, "rb") as told:
            assert require_sound(url) > max(told.read(), default=-1)
    play(url)
    assert contents(url) == contents(expected)
