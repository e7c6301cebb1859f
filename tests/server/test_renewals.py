"""Renewals of leases: written together, refused alone, as seldom as there are many; and counts in small parts."""

import asyncio
import threading
import time

import pytest
from sqlalchemy import select, update

from arena.server import counting
from arena.server import jobs as all_jobs
from arena.server.database import Writer
from arena.server.job_games import JobGames, PlayableJob
from arena.server.refusals import RefusedError
from arena.server.renewals import Renewal, Renewals, renew_leases
from arena.server.schema import bots, jobs, keys, ladders, workers
from tests.server.playing import filled
from tests.server.test_api import held


def expiries(site):
    with site.store.reading() as connection:
        rows = connection.execute(select(jobs.c.id, jobs.c.expires).where(jobs.c.state == "leased"))
        return {row.id: row.expires for row in rows}


def test_each_renewal_is_refused_for_its_own_reason(site):
    caller = filled(site)
    _, good = held(site, caller, "good")
    blocked_worker, blocked = held(site, caller, "blocked")
    _, lost = held(site, caller, "lost")
    viewer, gone = site.account("eve", "viewer"), site.account("gone", "worker")
    with site.store.writing() as connection:
        connection.execute(update(jobs).values(expires=jobs.c.expires - 60))
        connection.execute(update(jobs).where(jobs.c.id == lost.id).values(lease=None, state="open"))
        connection.execute(update(workers).where(workers.c.id == blocked_worker).values(state="blocked"))
        connection.execute(update(workers).where(workers.c.name == "good").values(seen=0.0))
        connection.execute(update(keys).where(keys.c.account != 1, keys.c.name == "test").values(expires=None))
    before = expiries(site)
    renewals = [
        Renewal(caller.key, good.id, good.lease),
        Renewal(caller.key, blocked.id, blocked.lease),
        Renewal(caller.key, lost.id, lost.lease),
        Renewal(caller.key, good.id, blocked.lease),
        Renewal(caller.key, 4711, good.lease),
        Renewal(viewer.key, good.id, good.lease),
        Renewal("arena_nonsense", good.id, good.lease),
        Renewal(gone.key, good.id, good.lease),
    ]
    with site.store.writing() as connection:
        refusals = renew_leases(connection, renewals)
        heard = connection.execute(select(workers.c.seen).where(workers.c.name == "good")).scalar_one()
    statuses = [refusal and refusal.status for refusal in refusals]
    assert statuses == [None, 403, 409, 409, 404, 403, 401, None]
    after = expiries(site)
    assert after[good.id] > before[good.id] + 50
    assert after[blocked.id] == before[blocked.id]
    assert heard > 0


def test_what_comes_while_the_writer_is_busy_is_written_together(site, monkeypatch):
    caller = filled(site)
    given = [held(site, caller, f"w{number}")[1] for number in range(4)]
    writer, gate, batches = Writer(site.store), threading.Event(), []

    def noted(connection, renewals):
        batches.append(len(renewals))
        return renew_leases(connection, renewals)

    monkeypatch.setattr("arena.server.renewals.renew_leases", noted)

    async def renew_all():
        renewals = Renewals(writer)
        busy = asyncio.create_task(writer.done(lambda connection: gate.wait(30)))
        await asyncio.sleep(0.05)
        first = asyncio.create_task(renewals.renew(Renewal(caller.key, given[0].id, given[0].lease)))
        await asyncio.sleep(0.05)
        rest = [asyncio.create_task(renewals.renew(Renewal(caller.key, job.id, job.lease))) for job in given[1:]]
        wrong = asyncio.create_task(renewals.renew(Renewal(caller.key, given[0].id, "x" * 24)))
        left = asyncio.create_task(renewals.renew(Renewal(caller.key, given[0].id, given[0].lease)))
        await asyncio.sleep(0.05)
        left.cancel()
        gate.set()
        done = await asyncio.gather(busy, first, *rest, wrong, left, return_exceptions=True)
        return done[1:]

    answers = asyncio.run(renew_all())
    writer.close()
    assert batches == [1, 5]
    assert answers[:4] == [None] * 4
    assert isinstance(answers[4], RefusedError)
    assert answers[4].status == 409
    assert isinstance(answers[5], asyncio.CancelledError)


def test_a_database_that_is_gone_answers_all_of_them(site, monkeypatch):
    caller = filled(site)
    _, job = held(site, caller)
    monkeypatch.setattr("arena.server.renewals.leased_jobs", lambda *arguments: 1 / 0)
    assert caller.ask("POST", f"/jobs/{job.id}/lease", {"lease": job.lease}).status_code == 500
    monkeypatch.undo()
    assert caller.ask("POST", f"/jobs/{job.id}/lease", {"lease": job.lease}).status_code == 200


def test_the_more_leases_there_are_the_longer_they_last(site, monkeypatch):
    caller = filled(site)
    assert held(site, caller, "w0")[1].lease_s == all_jobs.LEASE_S
    monkeypatch.setattr(all_jobs, "MOST_RENEWALS_PER_S", 0.02)
    lasts = [held(site, caller, f"w{number}")[1] for number in (1, 2)]
    assert [job.lease_s for job in lasts] == [150.0, 300.0]
    monkeypatch.undo()
    with site.store.writing() as connection:
        connection.execute(update(jobs).values(expires=0.0))
    caller.post(f"/jobs/{lasts[1].id}/lease", {"lease": lasts[1].lease})
    with site.store.reading() as connection:
        row = connection.execute(select(jobs.c.expires, workers.c.seen).join_from(jobs, workers)
                                 .where(jobs.c.id == lasts[1].id)).one()  # fmt: skip
    assert row.expires == pytest.approx(row.seen + 300, abs=20), "renewed for as long as it was given"


def test_results_that_waited_for_one_are_counted_a_few_at_a_time(site, monkeypatch):
    """A job that was out for long holds back the count; those behind it are counted in parts."""
    site.account("ann", "owner")
    ladder = site.ladder(ahead=8, seed=7)
    site.bots(ladder, "ann", dice="random", other="random")
    caller = site.account("bob", "worker")
    with site.store.writing() as connection:
        connection.execute(update(jobs).where(jobs.c.kind == "qualification").values(state="counted"))
        connection.execute(update(bots).values(state="active"))
        counting.plan_jobs(connection, all_jobs.ladder_numbered(connection, ladder.id))
    given = [held(site, caller, f"w{number}")[1] for number in range(8)]

    def counted():
        with site.store.reading() as connection:
            return connection.execute(select(ladders.c.counted)).scalar_one()

    parts, count_jobs = [], counting.count_jobs

    def noted(connection, row):
        after = count_jobs(connection, row)
        parts.append(after.counted - row.counted)
        return after

    monkeypatch.setattr(counting, "MOST_COUNTED", 2)
    monkeypatch.setattr(counting, "count_jobs", noted)  # as the rest is counted, not as reports count
    for job in [*given[1:], given[0]]:
        assert counted() == 0
        play_and_report(caller, job)
    deadline = time.monotonic() + 20
    while counted() < 8:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert parts[:3] == [2, 2, 2]


def play_and_report(caller, job):
    lines = JobGames(False).do(PlayableJob(job, {}))
    caller.post(f"/jobs/{job.id}/report", {"lease": job.lease, "games": lines})
