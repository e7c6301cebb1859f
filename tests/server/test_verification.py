"""Forged results: found by playing a share again, replaced, and their workers blocked; unsteady bots are told apart."""

import json

import pytest
from sqlalchemy import func, select, update

from arena.match.verdict import Reason
from arena.server.ladders import list_all
from arena.server.refusals import RefusedError
from arena.server.schema import bots, jobs, ladders, ratings, settings, workers
from arena.server.verification import is_sampled, rate_again, residuals
from arena.server.worker import Worker
from tests.server.playing import filled, games, standings

pytestmark = pytest.mark.full


def rows(site, table):
    with site.store.reading() as connection:
        return connection.execute(select(table).order_by(*table.primary_key)).all()


def change(site, table, **values):
    with site.store.writing() as connection:
        connection.execute(update(table).values(values))


def forge(caller, every):
    """Have every n-th report say of its first game that the first to move gave up at once; return their jobs."""
    post, count, forged = caller.post, [], []

    def changed(path, body):
        if path.endswith("/report"):
            count.append(path)
            if len(count) % every == 0:
                line = json.loads(body["games"][0])
                line["moves"] = line["moves"][: line["opening"]]
                line |= {"returns": [-1.0, 1.0], "reason": "resigned", "offender": 0, "move_ms": [0] * line["opening"]}
                body = body | {"games": [json.dumps(line), *body["games"][1:]]}
                forged.append(int(path.split("/")[2]))
        return post(path, body)

    caller.post = changed
    return forged


def play_verifications(site, worker):
    while any(row.kind == "verification" and row.state == "open" for row in rows(site, jobs)):
        worker.run(most=1)


@pytest.mark.slow("plays a ladder with every forgery")
def test_all_forged_results_are_found_and_replaced(start):
    site = start(share=0.3)
    change(site, settings, value="a third secret")  # so that the sample is the same in every run
    honest = Worker(filled(site), "honest", False)
    honest.run(most=6)
    eve = site.account("eve", "worker")
    forged = forge(eve, 8)
    Worker(eve, "forger", False).run(most=32)
    assert 0 < sum(is_sampled("a third secret", job, 0.3) for job in forged) < len(forged) == 4
    assert sum(record.verdict.reason is Reason.RESIGNED for record in games(site)) == 4
    play_verifications(site, Worker(site.account("sam", "owner"), "owner", False))
    assert {row.id for row in rows(site, jobs) if row.checked == "forged"} == set(forged)
    assert {row.name: row.state for row in rows(site, workers)} == {
        "honest": "active",
        "forger": "blocked",
        "owner": "active",
    }
    assert not [record for record in games(site) if record.verdict.reason is Reason.RESIGNED]
    with pytest.raises(RefusedError, match=r"blocked: job .* other games than others found"):
        Worker(eve, "forger", False).run(most=1)


def test_ratings_after_a_correction_are_those_of_the_games(site):
    Worker(filled(site), "w", False).run(most=20)
    before, history = standings(site), rows(site, ratings)
    change(site, bots, rating=0.0, games=7)
    with site.store.writing() as connection:
        [ladder] = list_all(connection)
        rate_again(connection, ladder)
    assert standings(site) == before
    assert [tuple(row) for row in rows(site, ratings)] == [tuple(row) for row in history]


def test_a_bot_that_does_not_repeat_itself_blocks_nobody(start):
    """Three workers report three results: the fault is the bots'."""
    site = start(share=1.0)
    Worker(filled(site), "one", False).run(most=7)
    for number, name in enumerate(("two", "three"), start=1):
        caller = site.account(name, "worker")
        forge_moves(caller, number)
        Worker(caller, name, False).run(most=1)
    [original] = [row for row in rows(site, jobs) if row.checked == "unsteady"]
    assert {bot.id for bot in rows(site, bots) if not bot.steady} == set(original.bots)
    assert {worker.state for worker in rows(site, workers)} == {"active"}


def forge_moves(caller, number):
    """Have the last game of every report end at once, by another seat each time."""
    post = caller.post

    def changed(path, body):
        if path.endswith("/report"):
            line = json.loads(body["games"][-1])
            line["moves"] = line["moves"][: line["opening"]]
            returns = [1.0, -1.0] if number == 1 else [-1.0, 1.0]
            line |= {"returns": returns, "reason": "resigned", "offender": 2 - number, "move_ms": [0] * line["opening"]}
            body = body | {"games": [*body["games"][:-1], json.dumps(line)]}
        return post(path, body)

    caller.post = changed


def test_nobody_verifies_its_own_account(start):
    site = start(share=1.0)
    caller = filled(site)
    Worker(caller, "one", False).run(most=10)
    Worker(caller, "two", False).run(most=4)
    assert {row.kind for row in rows(site, jobs) if row.state == "done"} <= {"qualification", "ladder"}
    Worker(site.account("amy", "worker"), "other", False).run(most=8)
    assert sum(row.checked == "right" for row in rows(site, jobs)) == 8


def test_the_share_is_kept_and_depends_on_the_secret():
    sampled = [job for job in range(20_000) if is_sampled("one", job, 0.05)]
    assert 900 < len(sampled) < 1100
    assert sampled != [job for job in range(20_000) if is_sampled("two", job, 0.05)]
    assert not any(is_sampled("one", job, 0.0) for job in range(1000))
    assert all(is_sampled("one", job, 1.0) for job in range(1000))


def test_residuals_tell_a_worker_that_reports_scores_of_its_own(site):
    Worker(filled(site), "w", False).run(most=46)
    with site.store.writing() as connection:
        [(fair_jobs, fair)] = residuals(connection).values()
        connection.execute(update(jobs).where(jobs.c.state == "counted").values(score=1.0))
        [(_, favoured)] = residuals(connection).values()
        counted = connection.execute(select(func.sum(ladders.c.counted))).scalar_one()
    assert fair_jobs == counted == 40
    assert fair > 0.001 > favoured
