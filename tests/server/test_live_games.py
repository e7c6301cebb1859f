"""Games between two people over a server: challenges, moves, clocks, and who may do what."""

import threading
import time
from contextlib import contextmanager

import pytest
from sqlalchemy import update

from arena.match.ask import FailedError
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.server import live_api, live_games
from arena.server.live_player import LivePlayer
from arena.server.models import LiveGameShown
from arena.server.schema import live_games as table


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
    assert move(ada, number + 1, 0, 4).status_code == 404


def test_a_challenge_is_taken_back_and_changed(people):
    ada, bob, _ = people
    first = challenged(ada, "bob")
    second = challenged(ada, "bob", clock="10m")
    assert ada.get(f"/live/{first['id']}")["state"] == "void"
    assert ada.post(f"/live/{second['id']}/end", {})["state"] == "void"
    assert challenged(bob, "ada")["state"] == "waiting"  # nothing is left to be accepted
    for _ in range(live_games.MOST_CHALLENGES):
        challenged(ada, "eve")  # each in place of the one before


@pytest.mark.parametrize("reason", ["resigned", "late"])
def test_who_leaves_loses(people, reason):
    ada, bob, _ = people
    number = begun(ada, bob)
    over = bob.post(f"/live/{number}/end", {"reason": reason})
    assert (over["state"], over["returns"], over["reason"], over["offender"]) == ("over", [1.0, -1.0], reason, 1)
    assert ada.post(f"/live/{number}/end", {})["offender"] == 1  # it stays as it is
    assert move(ada, number, 0, 4).json()["detail"] == "the game is over"


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


# --- at a screen ------------------------------------------------------------------------------------------------------


class Reading:
    """A caller as the client of a screen."""

    def __init__(self, caller):
        self.post = caller.post
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
