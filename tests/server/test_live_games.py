"""Games between two people over a server: challenges, moves, clocks, and who may do what."""

import threading
import time
from contextlib import contextmanager

import pytest
from sqlalchemy import update

from arena.match.ask import FailedError
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.server import accounts, challenges, live_api, live_games
from arena.server.client import game_of_server
from arena.server.job_games import limits_of
from arena.server.live_bot import play_live
from arena.server.live_player import LivePlayer
from arena.server.models import JobGiven, LiveGameShown
from arena.server.schema import live_games as table
from arena.server.schema import workers
from arena.server.worker import Worker
from arena.server.workers import VERSION
from tests.server.playing import filled

pytestmark = pytest.mark.full


@pytest.fixture
def people(site):
    """A server with a ladder, and three people who may play."""
    site.ladder()
    return [site.account(name, "submitter") for name in ("ada", "bob", "eve")]


def challenged(caller, opponent, **wishes):
    return caller.post("/ladders/small/live", {"opponent": opponent} | wishes)


def begun(ada, bob, **wishes):
    """A game between ada, who has the first seat, and bob."""
    challenged(ada, "bob", **wishes)
    return challenged(bob, "ada")["id"]


def move(caller, number, place, action):
    return caller.ask("POST", f"/live/{number}/moves", {"place": place, "action": action})


def test_a_game_from_the_challenge_to_the_end(people):
    ada, bob, eve = people
    waiting = challenged(ada, "bob", seat=2, clock="5m+2s")
    assert (waiting["state"], waiting["players"], waiting["clock"]) == ("waiting", ["bob", "ada"], "300+2")
    assert challenged(eve, "bob")["id"] != waiting["id"]
    live = challenged(bob, "ada", seat=2, clock="1m")  # who accepts wishes nothing
    assert (live["id"], live["state"], live["players"]) == (waiting["id"], "playing", ["bob", "ada"])
    assert challenged(ada, "bob")["id"] == live["id"]
    for place, action in enumerate([4, 0, 1, 3, 7]):
        live = move([bob, ada][place % 2], live["id"], place, action).json()
    assert live["actions"] == [4, 0, 1, 3, 7]
    assert (live["state"], live["returns"], live["reason"], live["to_move"]) == ("over", [1.0, -1.0], "finished", None)
    assert challenged(ada, "bob")["id"] != live["id"]


def test_a_game_is_watched_by_whom_its_ladder_shows_itself_to(site, people):
    ada, bob, _ = people
    number = begun(ada, bob)
    move(ada, number, 0, 4)
    seen = site.client.get(f"/api/v1/live/{number}").json()
    assert (seen["actions"], seen["to_move"]) == ([4], 1)
    assert [one["id"] for one in site.client.get("/api/v1/ladders/small/live").json()] == [number]
    site.ladder("club", private=True)
    owner = site.account("boss", "owner")
    assert owner.ask("POST", "/ladders/club/live", {"opponent": "bob"}).status_code == 404  # bob is no member
    assert site.client.get("/api/v1/ladders/club/live").status_code == 404


def test_a_worker_sees_the_games_of_ladders_that_it_is_no_member_of(site, people):
    ada, bob, eve = people
    site.ladder("club", private=True)
    with site.store.writing() as connection:
        for name in ("ada", "bob"):
            accounts.add_member(connection, "club", name)
    ada.post("/ladders/club/live", {"opponent": "bob"})
    number = bob.post("/ladders/club/live", {"opponent": "ada"})["id"]
    assert site.account("hand", "worker").get(f"/live/{number}")["id"] == number
    assert eve.ask("GET", f"/live/{number}").status_code == 404
    assert site.client.get(f"/api/v1/live/{number}").status_code == 404


WRONG = [
    ({"opponent": "nobody"}, 404, "there is nobody of the name 'nobody'"),
    ({"opponent": "ada"}, 422, "you cannot play yourself"),
    ({"opponent": "bob", "seat": 3}, 422, "seat"),
    ({"opponent": "bob", "clock": "soon"}, 422, "clock=soon is not a time control"),
    ({"opponent": "bob", "clock": "nodes=100"}, 422, "people count no nodes"),
    ({"opponent": "../bob"}, 422, "opponent"),
]


@pytest.mark.parametrize(("wishes", "status", "reason"), WRONG)
def test_a_challenge_that_cannot_be_is_refused(people, wishes, status, reason):
    answer = people[0].ask("POST", "/ladders/small/live", wishes)
    assert answer.status_code == status
    assert reason in answer.json()["detail"]


def test_games_that_hide_something_are_not_played_live(site, people):
    site.ladder("cards", "leduc_poker")
    answer = people[0].ask("POST", "/ladders/cards/live", {"opponent": "bob"})
    assert answer.status_code == 422
    assert "people play games of two that hide nothing" in answer.json()["detail"]
    assert people[0].ask("POST", "/ladders/none/live", {"opponent": "bob"}).status_code == 404


def test_moves_are_played_once_in_turn_and_by_the_rules(people):
    ada, bob, eve = people
    number = begun(ada, bob)
    assert move(bob, number, 0, 4).json()["detail"] == "it is the turn of ada"
    assert move(eve, number, 0, 4).status_code == 403
    assert move(ada, number, 1, 4).json()["detail"] == "0 moves have been played, so that the next is not 1"
    assert move(ada, number, 0, 9).status_code == 422
    first = move(ada, number, 0, 4)
    assert move(ada, number, 0, 4).json() == first.json()  # its answer was lost
    assert move(ada, number, 0, 5).status_code == 409
    assert move(bob, number, 1, 4).status_code == 422
    assert move(bob, number, 1, 2**31 - 1).status_code == 422
    assert move(ada, number + 1, 0, 4).status_code == 404


def test_a_challenge_is_taken_back_and_changed(people):
    ada, bob, _ = people
    first = challenged(ada, "bob")
    second = challenged(ada, "bob", clock="10m")
    assert ada.get(f"/live/{first['id']}")["state"] == "void"
    assert ada.post(f"/live/{second['id']}/end", {})["state"] == "void"
    assert challenged(bob, "ada")["state"] == "waiting"  # nothing is left to be accepted
    for _ in range(challenges.MOST_CHALLENGES):
        challenged(ada, "eve")  # each in place of the one before


@pytest.mark.parametrize("reason", ["resigned", "late"])
def test_who_leaves_loses(people, reason):
    ada, bob, _ = people
    number = begun(ada, bob)
    over = bob.post(f"/live/{number}/end", {"reason": reason})
    assert (over["state"], over["returns"], over["reason"], over["offender"]) == ("over", [1.0, -1.0], reason, 1)
    assert ada.post(f"/live/{number}/end", {})["offender"] == 1  # it stays as it is
    assert move(ada, number, 0, 4).json()["detail"] == "the game is over"


def draw(caller, number):
    return caller.ask("POST", f"/live/{number}/draw", {})


def test_a_draw_is_offered_and_accepted(site, people):
    ada, bob, eve = people
    waiting = challenged(ada, "bob")["id"]
    assert draw(ada, waiting).json()["detail"] == "the game has not begun"
    number = challenged(bob, "ada")["id"]
    assert draw(eve, number).status_code == 403
    since = ada.get(f"/live/{number}")["since"]
    offered = draw(bob, number).json()  # also by whose turn it is not
    assert (offered["draw_by"], offered["state"], offered["since"]) == (1, "playing", since)
    assert draw(bob, number).json()["version"] == offered["version"]  # the same once more
    assert "ada to move; bob offers a draw" in site.client.get(f"/live/{number}").text
    assert move(ada, number, 0, 4).json()["draw_by"] is None  # a move declines
    assert draw(ada, number).json()["draw_by"] == 0
    assert move(bob, number, 1, 0).json()["draw_by"] is None
    draw(ada, number)
    assert move(ada, number, 2, 1).json()["draw_by"] == 0  # one's own move leaves one's offer
    over = draw(bob, number).json()
    assert (over["state"], over["reason"], over["returns"], over["offender"]) == ("over", "agreed", [0.0, 0.0], None)
    assert draw(ada, number).json() == over
    assert "draw" in site.client.get(f"/live/{number}").text


def back_in_time(site, seconds):
    with site.store.writing() as connection:
        connection.execute(update(table).values(since=table.c.since - seconds))


def test_the_server_keeps_the_clocks(site, people):
    ada, bob, _ = people
    number = begun(ada, bob, clock="60")
    back_in_time(site, 41)
    live = move(ada, number, 0, 4).json()
    assert live["spent_s"][0] == pytest.approx(41 - live_games.LAG_S, abs=0.9)
    back_in_time(site, 30)
    move(bob, number, 1, 0)
    back_in_time(site, 25)
    assert move(ada, number, 2, 1).json()["detail"] == "the game is over"  # 41 and 25 are more than 60
    over = bob.get(f"/live/{number}")
    assert (over["actions"], over["offender"], over["returns"]) == ([4, 0], 0, [-1.0, 1.0])


@pytest.mark.parametrize(("clock", "seconds"), [("60", 62), ("move=10s", 12), (None, 86402)])
def test_who_does_not_move_loses_though_nobody_moves(site, people, clock, seconds):
    ada, bob, _ = people
    number = begun(ada, bob, clock=clock)
    assert bob.get(f"/live/{number}")["state"] == "playing"
    back_in_time(site, seconds)
    over = bob.get(f"/live/{number}")
    assert (over["state"], over["reason"], over["offender"]) == ("over", "late", 0)


def test_an_old_challenge_is_void(site, people):
    ada, bob, _ = people
    waiting = challenged(ada, "bob")["id"]
    back_in_time(site, 86402)
    assert bob.get(f"/live/{waiting}")["state"] == "void"


def test_who_waits_is_told_at_once(people, monkeypatch):
    ada, bob, _ = people
    number = begun(ada, bob)
    version = bob.get(f"/live/{number}")["version"]
    began = time.monotonic()
    assert bob.get(f"/live/{number}?after={version}&wait=0.2")["version"] == version
    assert time.monotonic() - began >= 0.2
    timer = threading.Timer(0.3, lambda: move(ada, number, 0, 4))
    timer.start()
    began = time.monotonic()
    assert bob.get(f"/live/{number}?after={version}&wait=20")["actions"] == [4]
    assert time.monotonic() - began < 10
    timer.join()


def test_waiting_ends_with_the_time_of_who_is_to_move(site, people, monkeypatch):
    ada, bob, _ = people
    monkeypatch.setattr(live_games, "LAG_S", 0.0)
    number = begun(ada, bob, clock="0.3")
    version = bob.get(f"/live/{number}")["version"]
    began = time.monotonic()
    assert bob.get(f"/live/{number}?after={version}&wait={live_api.WAIT_S}")["reason"] == "late"
    assert time.monotonic() - began < 10


def test_ones_games_are_ones_data_until_one_leaves(site, people):
    ada, bob, _ = people
    number = begun(ada, bob)
    assert [one["id"] for one in bob.get("/me/data")["live_games"]] == [number]
    assert ada.ask("DELETE", "/me").status_code == 200
    left = bob.get(f"/live/{number}")
    assert left["state"] == "void"
    assert left["players"][0].startswith("deleted-")


# --- against bots -----------------------------------------------------------------------------------------------------


@pytest.fixture
def club(site):
    """A ladder with bots that have qualified, and a worker that has asked for jobs."""
    worker = filled(site)
    Worker(worker, "w", False).run(most=8)
    number = worker.post("/workers", {"name": "w", "version": VERSION})["worker"]
    return site.account("ada", "viewer"), worker, number


def live_job(worker, number):
    job = worker.post("/jobs", {"worker": number})
    assert job["live"] is not None
    return job


def against(ada, bot="ply", **wishes):
    return ada.post("/ladders/small/live", {"bot": bot} | wishes)


def test_a_bot_is_played_by_a_worker(site, club):
    ada, worker, number = club
    live = against(ada, seat=2, clock="5m")
    assert (live["state"], live["players"], live["bot_seat"]) == ("playing", ["ply.1", "ada"], 0)
    assert against(ada, "ply.1")["id"] == live["id"]  # by its version as well, and the same game again
    assert ada.ask("POST", "/ladders/small/live", {"bot": "two"}).json()["detail"].startswith("you are playing ply.1")
    job = live_job(worker, number)
    assert (job["live"], [seat["player"] for seat in job["table"]]) == (live["id"], ["ply.1"])
    assert draw(ada, live["id"]).json()["detail"] == "ply.1 is a bot, and agrees on no draw"
    turn = {"place": 0, "action": 4}
    assert move(ada, live["id"], 0, 4).json()["detail"] == "it is the turn of ply.1"
    assert worker.ask("POST", f"/live/{live['id']}/moves", turn).status_code == 403
    assert worker.ask("POST", f"/live/{live['id']}/moves", turn | {"lease": "wrong-lease"}).status_code == 403
    assert worker.post(f"/live/{live['id']}/moves", turn | {"lease": job["lease"]})["actions"] == [4]
    assert worker.ask("POST", f"/jobs/{job['id']}/report", {"lease": job["lease"], "games": ["{}"]}).status_code == 409
    over = worker.post(f"/live/{live['id']}/end", {"reason": "crashed", "lease": job["lease"]})
    assert (over["reason"], over["offender"], over["returns"]) == ("crashed", 0, [-1.0, 1.0])
    assert worker.post("/jobs", {"worker": number})["live"] is None  # that of the game has ended with it
    assert against(ada, "two")["state"] == "playing"


def test_a_worker_plays_a_bot_and_another_goes_on_where_it_was_lost(site, club):
    ada, worker, number = club
    live = against(ada, "two")
    move(ada, live["id"], 0, 0)
    lost = live_job(worker, number)
    worker.post(f"/live/{live['id']}/moves", {"place": 1, "action": 4, "lease": lost["lease"]})
    move(ada, live["id"], 2, 1)
    again = Worker(worker, "w", False)  # which gets the jobs that it held
    thread = threading.Thread(target=again.run)
    thread.start()
    version, game = 0, None
    for _ in range(60):
        game = ada.get(f"/live/{live['id']}?after={version}&wait=5")
        version = game["version"]
        if game["state"] == "over":
            break
        if game["to_move"] == 0:
            move(ada, live["id"], len(game["actions"]), next(a for a in range(9) if a not in game["actions"]))
    again.stop()
    thread.join(60)
    assert not thread.is_alive()
    assert game["reason"] == "finished"
    assert game["actions"][:4] == [0, 4, 1, 2]  # alphabeta:2 has seen the line
    late = worker.ask("POST", f"/live/{live['id']}/moves", {"place": 3, "action": 8, "lease": lost["lease"]})
    assert late.status_code == 403


@pytest.mark.parametrize("agent", ["faulty:raises", "faulty:illegal"])
def test_a_bot_that_breaks_a_rule_loses(site, club, agent, faulty_agents):
    ada, worker, number = club
    live = against(ada, "ply", seat=2)
    job = JobGiven.model_validate(live_job(worker, number))

    def answered(ask):
        """The answer of the server; to the bot's first move there is a reply."""
        answer = ask()
        if answer["actions"] == [0]:
            move(ada, live["id"], 1, 4)
        return answer

    assert play_live(worker, job, game_of_server(job.game), agent, limits_of(job), answered, lambda: False)
    over = ada.get(f"/live/{live['id']}")
    assert (over["state"], over["offender"]) == ("over", 0)
    assert over["reason"] == {"faulty:raises": "crashed", "faulty:illegal": "illegal"}[agent]


def test_bots_are_played_only_where_a_worker_is_free(site, club):
    ada, worker, number = club
    against(ada)
    eve = site.account("eve", "viewer")
    busy = eve.ask("POST", "/ladders/small/live", {"bot": "ply"})
    assert (busy.status_code, busy.json()["detail"]) == (
        409,
        "all workers for games against people are busy; try again later",
    )
    with site.store.writing() as connection:
        connection.execute(update(workers).values(seen=0.0))
    gone = eve.ask("POST", "/ladders/small/live", {"bot": "ply"})
    assert gone.json()["detail"] == "no worker is there now that could play a bot; try again later"
    worker.post("/jobs", {"worker": number})  # it is heard of again
    assert ada.get("/workers")[0]["alive"]


def test_a_game_ends_with_the_account_of_who_played(club):
    ada, worker, number = club
    live = against(ada)
    job = live_job(worker, number)
    assert worker.ask("POST", f"/jobs/{job['id']}/lease", {"lease": job["lease"]}).status_code == 200
    assert ada.ask("DELETE", "/me").status_code == 200
    assert worker.get(f"/live/{live['id']}")["state"] == "void"
    again = worker.post("/jobs", {"worker": number})
    assert again is None or again["live"] is None


@pytest.mark.parametrize(
    ("wishes", "status", "reason"),
    [
        ({"bot": "none"}, 404, "there is no bot 'none' on small that is being paired"),
        ({"bot": "../ply"}, 422, "bot"),
        ({"bot": "ply", "opponent": "bob"}, 422, "name one of opponent and bot"),
        ({}, 422, "name one of opponent and bot"),
    ],
)
def test_bots_that_cannot_be_played_are_refused(club, wishes, status, reason):
    answer = club[0].ask("POST", "/ladders/small/live", wishes)
    assert answer.status_code == status
    assert reason in answer.json()["detail"]


# --- at a screen ------------------------------------------------------------------------------------------------------


class Reading:
    """A caller as the client of a screen."""

    def __init__(self, caller):
        self.send = lambda path, body, kind: kind.model_validate(caller.post(path, body))
        self.read = lambda path, kind: kind.model_validate(caller.get(path))


def player_of(caller, number, name):
    live = LiveGameShown.model_validate(caller.get(f"/live/{number}"))
    return LivePlayer(Reading(caller), live, name)


@contextmanager
def answers(player, played):
    """Ask a player for its answer to these moves in a thread; yields a list to which that is added."""
    found = []

    def ask():
        try:
            found.append(player.answer(played))
        except FailedError as error:
            found.append(error.failure)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield found
    except BaseException:
        player.stop_waiting()
        raise
    finally:
        thread.join(20)
    assert not thread.is_alive()


def test_moves_go_there_and_answers_come_back(people):
    ada, bob, _ = people
    number = begun(ada, bob)
    other = player_of(ada, number, "ada")
    with answers(other, [4]) as found:
        assert bob.get(f"/live/{number}?after=1&wait=20")["actions"] == [4]
        move(bob, number, 1, 0)
    assert found == [0]
    again = player_of(ada, number, "ada")  # after a crash
    assert (again.actions, again.name, again.own_name, len(again.spent)) == ((4, 0), "bob", "ada", 2)


def test_a_move_that_comes_too_late_is_none(site, people):
    ada, bob, _ = people
    other = player_of(ada, begun(ada, bob, clock="60"), "ada")
    back_in_time(site, 70)
    with answers(other, [4]) as found:
        pass
    assert found[0].reason is Reason.LATE
    assert other.verdict == forfeit(2, 0, Reason.LATE)  # which is shown, though it is the other who gave no answer


def test_the_other_resigns_or_this_end_is_left(people):
    ada, bob, _ = people
    number = begun(ada, bob)
    other = player_of(ada, number, "ada")
    with answers(other, [4]) as found:
        bob.post(f"/live/{number}/end", {})
    assert found[0].reason is Reason.RESIGNED
    assert other.verdict == forfeit(2, 1, Reason.RESIGNED)
    other = player_of(ada, begun(ada, bob), "ada")
    with answers(other, [4]) as found:
        other.stop_waiting()
    assert found[0].detail == "nobody waits for it any more"


def record(actions, verdict):
    return MatchRecord("tic_tac_toe(m=3, n=3, k=3)", ("you", "bob"), 0, (), tuple(actions), verdict)


def test_the_end_is_told(people):
    ada, bob, _ = people
    number = begun(ada, bob)
    for place, action in enumerate([4, 0, 1, 3]):
        move([ada, bob][place % 2], number, place, action)
    mine, theirs = player_of(ada, number, "ada"), player_of(bob, number, "bob")
    won = Verdict((1.0, -1.0))
    assert mine.tell(record([4, 0, 1, 3, 7], won)) == won
    late = forfeit(2, 1, Reason.LATE)
    assert theirs.tell(record([4, 0, 1, 3], late)) == won  # which was too late, and for bob no loss of time
    number = begun(ada, bob)
    resigned = forfeit(2, 0, Reason.RESIGNED)
    assert player_of(ada, number, "ada").tell(record([], resigned)) == resigned
    assert bob.get(f"/live/{number}")["reason"] == "resigned"
