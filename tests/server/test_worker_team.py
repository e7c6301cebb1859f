"""Several workers in one program: the ladder is that of one, and what ends one of them ends all."""

import pytest

from arena.base.errors import UsageError
from arena.server.client import Client
from arena.server.job_games import JobGamesSetup
from arena.server.refusals import RefusedError
from arena.server.worker import Worker
from arena.server.worker_team import WorkerTeam, make_team
from tests.server.playing import filled, games, standings
from tests.server.test_bundles import submitted

pytestmark = pytest.mark.full


def silent(line):
    pass


@pytest.mark.slow("plays a ladder twice")
def test_the_ladder_of_a_team_is_that_of_one(start):
    alone, together = start(share=0.0), start(share=0.0)
    callers = filled(alone), filled(together)
    for caller in callers:
        Worker(caller, "first", False).run(most=6)  # a ladder depends on the order in which its bots qualify
    Worker(callers[0], "w", False).run(most=20)
    team = make_team(callers[1], "lab", False, "3", silent)
    assert isinstance(team, WorkerTeam)
    assert team.run(most=20) == 20
    workers = {one["name"]: one["games"] for one in together.account("eve", "viewer").get("/workers")}
    assert [workers[f"lab-{number}"] for number in (1, 2, 3)] == [14, 14, 12]
    assert games(alone) == games(together)
    assert standings(alone) == standings(together)


@pytest.mark.slow("starts sandboxes in every process")
def test_programs_run_in_the_sandbox_of_each_process(start, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_SANDBOX", "bubblewrap")
    site = start(takes_programs=True)
    site.ladder()
    ann, _, bot = submitted(site, tmp_path)
    assert make_team(site.account("bob", "worker"), "boxed", True, "2", silent).run(most=2) == 2
    assert ann.get(f"/bots/{bot['id']}")["state"] == "active", ann.get(f"/bots/{bot['id']}")["reason"]


def test_what_ends_one_ends_all(start):
    site = start()
    caller = filled(site)
    caller.key = "arena_wrong"
    with pytest.raises(RefusedError, match="key"):
        make_team(caller, "lab", False, "2", silent).run()


@pytest.mark.parametrize(("workers", "reason"), [("0", "workers=0"), ("many", "many"), ("9999", "more than 16")])
def test_workers_that_there_are_not_are_refused(workers, reason):
    with pytest.raises(UsageError, match=reason):
        make_team(Client("http://127.0.0.1:1"), "lab", False, workers, silent)


def test_a_job_that_kills_its_process_is_named():
    class Job:
        id = 7

    class Playable:
        job = Job

    assert "job 7: 3 processes in a row" in str(JobGamesSetup(False).lost(Playable, 3, "was killed"))
