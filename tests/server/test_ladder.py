"""A ladder from end to end: bots enter, workers play, ratings follow, whoever plays and whenever it is killed."""

from itertools import pairwise

import pytest
from sqlalchemy import update

from arena.server.history import is_kept
from arena.server.schema import jobs
from arena.server.worker import Worker
from arena.server.workers import VERSION
from arena.tournament.ladder import find_ladders
from games.engine.registry import make_game
from tests.server.playing import filled, games, standings

pytestmark = pytest.mark.full


def test_bots_qualify_and_are_rated(site):
    caller = filled(site)
    assert Worker(caller, "w", False).run(most=46) == 46  # 6 qualifications, 40 jobs of the ladder
    table = standings(site)
    assert {row["player"] for row in table} == {"ply.1", "dice.1", "two.1"}
    assert sum(row["games"] for row in table) == 160
    assert table[-1]["player"] == "dice.1"
    assert table[0]["rating"] > table[-1]["rating"] + table[-1]["deviation"]
    [ladder] = find_ladders(site.store, make_game("tic_tac_toe"))  # as `arena ladder` lists it
    assert ladder.table.games == 80


def test_the_way_of_a_rating_is_kept(site):
    Worker(filled(site), "w", False).run(most=20)
    for row in standings(site):
        way = site.client.get(f"/api/v1/bots/{row['bot']}/history").json()
        assert [(one["rating"], one["deviation"], one["games"]) for one in way][-1] == (
            row["rating"],
            row["deviation"],
            row["games"],
        )
        assert [one["games"] for one in way] == list(range(2, row["games"] + 1, 2))  # two of a job
        assert [one["at"] for one in way] == sorted(one["at"] for one in way)
        assert way[0]["deviation"] > way[-1]["deviation"]


def test_later_ratings_are_kept_less_and_less_often():
    kept = [games for games in range(2, 100_000, 2) if is_kept(games - 2, games)]
    assert kept[:10] == list(range(2, 22, 2))
    assert len(kept) < 250
    assert max(later / earlier for earlier, later in pairwise(kept[10:])) < 1.1


def test_a_newcomer_does_not_wait_for_games_that_were_planned_without_it(site):
    site.account("ann", "owner")
    ladder = site.ladder(ahead=64, seed=7)
    site.bots(ladder, "ann", ply="one-ply", dice="random")
    worker = Worker(site.account("bob", "worker"), "w", False)
    worker.run(most=8)  # 4 qualifications, 4 jobs of the ladder
    site.bots(ladder, "ann", two="alphabeta:2")
    worker.run(most=10)  # 2 qualifications, 8 jobs
    assert next(row["games"] for row in standings(site) if row["player"] == "two.1") >= 8


@pytest.mark.slow("kills it again and again")
def test_the_ladder_is_the_same_whoever_plays_and_dies(start):
    one, other = start(share=0.0), start(share=0.0)
    Worker(filled(one), "w", False).run(most=26)
    caller = filled(other)
    workers = [Worker(caller, name, False) for name in ("a", "b")]
    number = caller.post("/workers", {"name": "doomed", "version": VERSION})["worker"]
    for turn in range(13):
        if turn % 3 == 0:  # a worker takes a job and is never heard of again, until its lease has run out
            assert caller.post("/jobs", {"worker": number})
            workers[0].run(most=1)
            with other.store.writing() as connection:
                connection.execute(update(jobs).values(expires=0.0))
        workers[turn % 2].run(most=2 - (turn % 3 == 0))
    same = min(len(games(one)), len(games(other)))
    assert same >= 36
    assert games(one)[:same] == games(other)[:same]


def test_a_bot_that_fails_is_rejected_with_the_reason(site):
    caller = filled(site)
    response = caller.ask("POST", "/ladders/small/bots", {"name": "bad", "agent": "alphabeta:x"})
    assert response.status_code == 403  # a worker submits nothing
    submitter = site.account("eve", "submitter")
    bot = submitter.post("/ladders/small/bots", {"name": "bad", "agent": "alphabeta:x"})
    Worker(caller, "w", False).run(most=8)
    shown = submitter.get(f"/bots/{bot['id']}")
    assert shown["state"] == "rejected"
    assert "alphabeta" in shown["reason"]
