"""Two people at two screens, and a server between them."""

import asyncio
import random
import threading

import pytest

from arena.base.errors import UsageError
from arena.cli import server_play, watch
from arena.cli.main import main
from arena.match.by_moves import PolicyByMoves
from arena.match.replay import game_labelled
from arena.match.time_control import read_time_control
from arena.match.verdict import Reason
from arena.server.client import Client
from arena.server.live_player import LivePlayer
from arena.server.models import LiveGameShown
from arena.server.worker import Worker
from arena.store import MatchFilter, Store
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens import play
from arena.tui.screens.play import PlayScreen
from arena.tui.services.match_recorder import MatchRecorder
from tests.tui.helpers import my_turn, notice, screen_text, type_move, until

pytestmark = pytest.mark.full


@pytest.fixture
def clients(site, address):
    """Two people with keys, by name."""
    return {name: Client(address, site.account(name, "viewer").key) for name in ("ada", "eve")}


async def until_there_is_a_worker(client):
    while not any(one["name"] == "hand" for one in client.get("/workers")):
        await asyncio.sleep(0.05)


def seated(clients, name, opponent, store=None, **wishes):
    """A challenge, or its answer, and the screen of whoever made it."""
    answer = clients[name].post("/ladders/small/live", {"opponent": opponent} | wishes)
    live = LiveGameShown.model_validate(answer)
    player = LivePlayer(clients[name], live, name)
    control = None if live.clock is None else read_time_control(live.clock)
    recorder = None if store is None else MatchRecorder(str(store))
    options = PlayOptions(player.seat, live.seed, control, hands=1, recorder=recorder, remote=player)
    return player, lambda: ArenaApp(
        PlayScreen(game_labelled(live.game), [(player.name, PolicyByMoves(player))], options)
    )


async def test_a_game_of_two_screens_and_a_third_after_a_crash(clients, tmp_path):
    ada, ada_app = seated(clients, "ada", "eve", tmp_path / "ada.db", clock="5m")
    _, eve_app = seated(clients, "eve", "ada")
    assert ada.accepted()
    async with ada_app().run_test(size=(80, 24)) as mine:
        async with eve_app().run_test(size=(80, 24)) as theirs:
            await my_turn(mine)
            await type_move(mine, "b2")
            await my_turn(theirs, 1)
            assert "ada" in screen_text(theirs.app)
            assert "4:5" in screen_text(theirs.app)
            await theirs.press("ctrl+u")  # nothing is taken back
            assert len(theirs.app.screen.match.positions) == 2
            await type_move(theirs, "a1")
            await my_turn(mine, 2)
            await type_move(mine, "b1")
            await until(theirs, lambda: len(theirs.app.screen.match.positions) == 4)
        _, again = seated(clients, "eve", "ada")
        async with again().run_test(size=(80, 24)) as theirs:
            await my_turn(theirs, 3)
            await type_move(theirs, "a2")
            await my_turn(mine, 4)
            await type_move(mine, "b3")
            await until(theirs, lambda: "ada wins after 5 moves" in notice(theirs.app))
            await until(mine, lambda: "kept: arena replay 1" in notice(mine.app))
            assert "you win after 5 moves" in notice(mine.app)
    with Store(tmp_path / "ada.db") as store:
        [kept] = store.matches(MatchFilter(), limit=5)
    assert kept.record.actions == (4, 0, 3, 1, 5)
    assert kept.record.players == ("you", "eve")


async def test_who_resigns_and_whose_time_is_over(clients):
    seated(clients, "ada", "eve")
    eve, eve_app = seated(clients, "eve", "ada")
    async with eve_app().run_test(size=(80, 24)) as theirs:
        await until(theirs, lambda: theirs.app.screen.jobs.current == "advance")
        await theirs.press("escape")
        assert "plays at another machine" in notice(theirs.app)
        await theirs.press("ctrl+r", "ctrl+r")
        await until(theirs, lambda: eve.state == "over")
        assert eve.verdict.reason is Reason.RESIGNED
    seated(clients, "ada", "eve", clock="move=1s")
    _, eve_app = seated(clients, "eve", "ada")
    async with eve_app().run_test(size=(80, 24)) as theirs:  # ada has no screen open, and is late by the server's clock
        await until(theirs, lambda: theirs.app.screen.sitting.over)
        verdict = theirs.app.screen.sitting.position.verdict
        assert (verdict.reason, verdict.offender) == (Reason.LATE, 0)


async def test_a_draw_is_offered_declined_and_agreed(clients, monkeypatch):
    """Offered by whose turn it is, and declined by a move; then by whose turn it is not, and accepted."""
    monkeypatch.setattr(play, "LOOK_S", 0.2)
    ada, ada_app = seated(clients, "ada", "eve", clock="5m")
    _, eve_app = seated(clients, "eve", "ada")
    assert ada.accepted()
    async with ada_app().run_test(size=(80, 24)) as mine, eve_app().run_test(size=(80, 24)) as theirs:
        await my_turn(mine)
        await mine.press("ctrl+d")
        await until(mine, lambda: "a draw is offered; the other accepts" in notice(mine.app))
        await type_move(mine, "b2")
        await my_turn(theirs, 1)
        await until(theirs, lambda: "a draw is offered: ^d accepts, a move declines" in notice(theirs.app))
        await type_move(theirs, "a1")
        await my_turn(mine, 2)
        assert ada.draw_by is None
        assert mine.app.screen.sitting.draw_offer.by is None
        await theirs.press("ctrl+d")
        await until(mine, lambda: "a draw is offered: ^d accepts, a move declines" in notice(mine.app))
        await mine.press("ctrl+d")
        for one in (mine, theirs):
            await until(one, lambda one=one: one.app.screen.sitting.over)
            assert one.app.screen.sitting.position.verdict.reason is Reason.AGREED
            assert "a draw by agreement after 2 moves" in notice(one.app)


async def test_news_come_while_one_thinks(clients, monkeypatch):
    monkeypatch.setattr(play, "LOOK_S", 0.2)
    seated(clients, "ada", "eve")
    seated(clients, "eve", "ada")
    _, ada_app = seated(clients, "ada", "eve")
    async with ada_app().run_test(size=(80, 24)) as mine:
        await my_turn(mine)
        clients["eve"].post("/live/1/end", {"reason": "resigned"})
        await until(mine, lambda: mine.app.screen.sitting.over)
        assert "eve resigns" in notice(mine.app)


def watched(address, number=1):
    """The screen of `arena watch` for a live game."""
    return watch.screen(watch.Options(f"{address}/live/{number}"))


async def test_somebody_watches(clients, address):
    """From the move that has been played, to a resignation by whose turn it is not."""
    seated(clients, "ada", "eve", clock="5m")
    seated(clients, "eve", "ada")
    clients["ada"].post("/live/1/moves", {"place": 0, "action": 4})
    with watched(address) as screen:
        async with ArenaApp(screen).run_test(size=(80, 24)) as theirs:
            await until(theirs, lambda: len(screen.match.positions) == 2)
            said = screen_text(theirs.app)
            assert "ada" in said
            assert "eve" in said
            assert "5:00" in said
            clients["eve"].post("/live/1/moves", {"place": 1, "action": 0})
            await until(theirs, lambda: len(screen.match.positions) == 3)
            await until(theirs, lambda: "4:5" in screen_text(theirs.app))
            await theirs.press("n")
            assert "this is one game" in notice(theirs.app)
            clients["eve"].post("/live/1/end", {"reason": "resigned"})
            await until(theirs, lambda: "eve resigns" in notice(theirs.app))
            assert screen.match.latest.verdict.offender == 1
    with watched(address) as screen:  # of a game that is over
        async with ArenaApp(screen).run_test(size=(80, 24)) as theirs:
            await until(theirs, lambda: "eve resigns" in notice(theirs.app))


def test_live_games_that_cannot_be_watched_are_refused(clients, address, capsys, monkeypatch):
    monkeypatch.setenv("ARENA_KEY", clients["ada"]._key)
    seated(clients, "ada", "eve")
    for words, reason in (
        ([f"{address}/live/1"], f"{address}, live game 1: it has not begun; the challenge is waiting"),
        ([f"{address}/live/9"], f"{address}: there is no live game 9"),
        ([f"{address}/live/x"], "is not the page of a live game, as https://arena.example.org/live/12"),
        ([f"{address}/live/1", "random"], "is a server's address, whose bots play; name no agents"),
        (["http://127.0.0.1:1/live/1"], "http://127.0.0.1:1 cannot be reached"),
    ):
        assert main(["watch", *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert reason in said


@pytest.fixture
def working(site, address):
    """A worker of the server, in a thread."""
    worker = Worker(site.account("hand", "worker"), "hand", False)
    thread = threading.Thread(target=worker.run)
    thread.start()
    yield worker
    worker.stop()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.slow("waits for a bot between two screens")
async def test_a_bot_of_a_ladder_plays_a_person(clients, working, tmp_path):
    await until_there_is_a_worker(clients["ada"])
    ada, app = seated(clients, "ada", None, tmp_path / "ada.db", bot="ply", seat=2, clock="10m")
    assert ada.state == "playing"
    async with app().run_test(size=(80, 24)) as mine:
        await my_turn(mine, 1)
        while not mine.app.screen.sitting.over:
            await mine.press("enter")  # where the cursor is, or else beside it
            await mine.press(*random.choices(["left", "right", "up", "down"], k=3))
            await mine.pause(0.05)
        assert "ply.1" in screen_text(mine.app)
        await until(mine, lambda: "kept: arena replay 1" in notice(mine.app))
    assert ada.verdict.reason is Reason.FINISHED


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["ADDRESS"], "name one whom you play: arena play ADDRESS BOT, or --with PERSON"),
        (["ADDRESS", "ply", "--with", "eve"], "name one whom you play"),
        (["ADDRESS", "deep"], "there is no bot 'deep' on small that is being paired"),
        (["ADDRESS", "--with", "eve", "--hands", "3"], "--hands: for games that are played here"),
        (["ADDRESS", "--with", "eve", "--seat", "3"], "--seat 3 is not a seat; seats are 1 and 2"),
        (["ADDRESS", "--with", "nobody"], "there is nobody of the name 'nobody'"),
        (["ADDRESS", "--with", "ada"], "you cannot play yourself"),
        (["ADDRESS", "--with", "eve", "--clock", "soon"], "--clock soon is not a time control"),
        (["ADDRESS/ladders/none", "--with", "eve"], "there is no ladder 'none'"),
        (["http://127.0.0.1:1", "--with", "eve"], "http://127.0.0.1:1 cannot be reached"),
        (["tic_tac_toe", "--with", "eve"], "--with eve: for games over a server; in place of tic_tac_toe name"),
    ],
)
def test_games_that_cannot_be_played_over_a_server_are_refused(
    clients, address, words, reason, site, monkeypatch, capsys
):
    monkeypatch.setenv("ARENA_KEY", clients["ada"]._key)
    monkeypatch.setattr("arena.tui.app.require_terminal", lambda: None)
    assert main(["play", *(word.replace("ADDRESS", address) for word in words)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert reason.replace("ADDRESS", address) in said


LIVE = {
    "id": 1,
    "ladder": "small",
    "game": "tic_tac_toe(m=3, n=3, k=3)",
    "players": ["ada", "eve"],
    "bot_seat": None,
    "challenger": "eve",
    "clock": None,
    "seed": 1,
    "state": "playing",
    "version": 2,
    "actions": [4],
    "to_move": 1,
    "seats": [0],
    "spent_s": [1.0],
    "since": 0.0,
    "returns": None,
    "reason": None,
    "offender": None,
}


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ({}, ""),
        ({"game": "pettingzoo:antigravity"}, "has the game 'pettingzoo:antigravity', which is not installed here"),
        ({"game": "./race.py"}, "has the game './race.py', which is not installed here"),
        ({"game": "chess\x1b[2J"}, "which is not installed here"),
        ({"actions": [4, 4]}, "http://lies, live game 1: tic_tac_toe: action 4 is illegal"),
        ({"actions": [-7]}, "action -7 is illegal"),
        ({"players": ["mallory", "eve"]}, "a game of 2 players, which is none of ada's"),
        ({"players": ["ada", "eve", "bob"]}, "http://lies, live game 1"),
    ],
)
def test_no_server_is_believed(lie, reason):
    live = LiveGameShown.model_validate(LIVE | lie)

    def opened():
        server_play.require_playable(live, "http://lies")
        return LivePlayer(Client("http://lies"), live, "ada")

    if not reason:
        assert opened().actions == (4,)
        return
    with pytest.raises(UsageError) as refused:
        opened()
    assert reason in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_challenge_is_taken_back_from_the_terminal(clients, address, monkeypatch, capsys):
    monkeypatch.setenv("ARENA_KEY", clients["ada"]._key)
    monkeypatch.setattr("arena.tui.app.require_terminal", lambda: None)

    def interrupted(player):
        assert not player.accepted()
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.server.live_player.wait_for", interrupted)
    assert main(["play", address, "--with", "eve"]) == 130
    said = capsys.readouterr().out
    assert f"Challenged eve, who accepts by: arena play {address} --with ada" in said
    assert "The challenge is taken back." in said
    answer = clients["eve"].post("/ladders/small/live", {"opponent": "ada"})
    assert answer["state"] == "waiting"  # a challenge of eve's own: nothing was left to accept
