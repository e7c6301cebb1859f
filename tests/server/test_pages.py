"""Pages: everything that was written by others is escaped, forms need their token, every board can be stepped."""

import json
import re
import xml.dom.minidom

import numpy as np
import pytest
from sqlalchemy import update

from arena.match.replay import empty_seats
from arena.match.verdict import MatchRecord, Reason, forfeit
from arena.policy.registry import GAMES
from arena.server import accounts
from arena.server.accounts import is_member
from arena.server.ladders import list_all
from arena.server.pages import live
from arena.server.pages.board import svg_of
from arena.server.pages.positions import position_of, walk_of
from arena.server.pages.tables import result_table
from arena.server.schema import bots
from arena.server.worker import Worker
from arena.store import Selection
from games.engine.palette import SEATS
from games.engine.registry import make_game
from tests.server.playing import filled

pytestmark = pytest.mark.full

EVIL = "<script>alert(1)</script>\x1b[2J\u202e"


@pytest.fixture
def played(site):
    """A ladder with some games."""
    Worker(filled(site), "w", False).run(most=20)
    return site


def token_of(text: str) -> str:
    return re.search(r'name="token" value="([0-9a-f]{64})"', text)[1]


def sign_in(site, caller) -> str:
    """Sign a browser in; return the token of its forms."""
    token = token_of(site.client.get("/sign-in").text)
    response = site.client.post("/sign-in", data={"token": token, "key": caller.key}, follow_redirects=False)
    assert response.status_code == 303
    return token_of(site.client.get("/account").text)


def test_pages_of_a_ladder(played):
    ladders = played.client.get("/").text
    assert 'href="/ladders/small"' in ladders
    ladder = played.client.get("/ladders/small").text
    assert all(f"{name}.1" in ladder for name in ("ply", "dice", "two"))
    assert "heat-" in ladder
    assert 'href="/matches/1"' in ladder
    bot = played.client.get("/bots/3").text
    assert "two.1" in bot
    [chart] = re.findall(r'<svg class="chart".*?</svg>', bot)
    assert xml.dom.minidom.parseString(chart).getElementsByTagName("polyline")
    assert ">w<" in played.client.get("/workers").text
    assert ".heat-10{" in (css := played.client.get("/static/arena.css").text)
    assert f"--seat-0:rgb({','.join(map(str, SEATS[0]))})" in css


def test_a_match_is_stepped_by_links(played):
    record = played.store.match(1).record
    last = len(record.actions)
    end = played.client.get("/matches/1").text
    assert f"Move {last} of {last}" in end
    assert 'rel="next"' not in end
    begin = played.client.get("/matches/1?move=0").text
    assert 'href="?move=1"' in begin
    assert "seat-0" not in begin.split("<svg")[1].split("</svg>")[0]
    assert f"Move {last} of" in played.client.get("/matches/1?move=999").text
    assert played.client.get("/matches/1?move=-1").status_code == 422


def test_what_is_not_there_is_a_page(played):
    for path in ("/ladders/none", "/bots/99", "/matches/999", "/static/app.py"):
        response = played.client.get(path)
        assert response.status_code == 404
        assert response.headers["content-type"].startswith("text/html")


def test_a_private_ladder_shows_nothing_to_others(site):
    Worker(filled(site, private=True), "w", False).run(most=10)
    paths = "/ladders/small", "/ladders/small/live", "/ladders/small/events", "/bots/1", "/matches/1"
    assert [site.client.get(path).status_code for path in paths] == [404] * len(paths)
    assert "small" not in site.client.get("/").text


def test_whatever_others_wrote_is_escaped(played):
    with played.store.writing() as connection:
        connection.execute(update(bots).values(reason=EVIL, agent=EVIL))
    sign_in(played, played.account("boss", "owner"))
    pages = [played.client.get(path).text for path in ("/bots/1", "/account", "/ladders/small/submit", "/workers")]
    assert "&lt;script&gt;" in pages[0]
    for text in pages:
        assert "<script>" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_names_in_a_record_are_escaped(played):
    game = make_game("tic_tac_toe")
    lost = forfeit(2, 0, Reason.CRASHED, EVIL)
    record = MatchRecord(game.label, (EVIL, "b"), 1, (), (), lost)
    run = played.store.match(1).run
    played.store.add_games(run, [(10**6, record)])
    number = played.store.newest()
    text = played.client.get(f"/matches/{number}").text
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_headers_let_nothing_else_in(played):
    response = played.client.get("/ladders/small")
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert not re.search(r"<[^>]+ (style|on\w+)=|https?://(?!www\.w3)", response.text)
    assert not re.search(r"<script(?! src=)", response.text)


def test_forms_need_the_token_of_their_browser(site):
    caller = site.account("ann", "submitter")
    site.ladder()
    sign_in(site, caller)
    posts = "/sign-out", "/account/keys", "/account/keys/1/revoke", "/ladders/small/submit", "/bots/1/withdraw"
    for token in ("", "0" * 64, "ü" * 9):
        for path in (*posts, "/sign-in", "/register"):
            assert site.client.post(path, data={"token": token, "name": "x"}).status_code == 403
    assert len(caller.get("/me/keys")) == 1


def test_register_submit_and_sign_out(site):
    site.ladder()
    with site.store.writing() as connection:
        invitation = accounts.invite(connection, "submitter")
    token = token_of(site.client.get("/register").text)
    wrong = site.client.post("/register", data={"token": token, "name": "Eve!", "invitation": invitation})
    assert wrong.status_code == 422
    assert "is no name" in wrong.text
    made = site.client.post("/register", data={"token": token, "name": "eve", "invitation": invitation})
    key = re.search(r'<pre id="key">(arena_[^<]+)</pre>', made.text)[1]
    cookie = made.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    token = token_of(site.client.get("/account").text)
    assert key not in site.client.get("/account").text
    both = site.client.post("/ladders/small/submit", data={"token": token, "bot": "b", "agent": ""})
    assert both.status_code == 422
    sent = site.client.post("/ladders/small/submit", data={"token": token, "bot": "b", "agent": "alphabeta:2"})
    assert "qualifying" in sent.text
    assert "Log" in sent.text
    session = site.client.cookies["arena_session"]
    site.client.post("/sign-out", data={"token": token})
    assert "Log" not in site.client.get("/bots/1").text
    site.client.cookies.set("arena_session", session)  # what was stolen opens nothing any more
    assert "Sign in" in site.client.get("/").text


def test_an_owner_makes_ladders_and_lets_people_in(start):
    site = start(approval=True)
    token = sign_in(site, site.account("boss", "owner"))
    site.account("max", "submitter")

    def post(path, **data):
        return site.client.post(f"/owner/{path}", data={"token": token} | data)

    made = post("ladders", name="five", game="hex:size=5", clock="move=1s", private="yes")
    assert made.url.path == "/ladders/five"
    assert "clock move=1" in made.text
    for wrong, reason in (
        ({"name": "five", "game": "hex"}, "there is a ladder five already"),
        ({"name": "Six", "game": "hex"}, "is no name"),
        ({"name": "six", "game": "<b>"}, "there is no game &#39;&lt;b&gt;&#39;"),
        ({"name": "six", "game": "hex", "clock": "soon"}, "soon"),
    ):
        refused = post("ladders", **wrong)
        assert refused.status_code >= 400
        assert reason in refused.text
    shown = post("invitations", role="viewer", uses="2", ladder="five")
    invitation = re.search(r'<pre id="invitation">([^<]+)</pre>', shown.text)[1]
    for wrong in ({"uses": "many"}, {"uses": "0"}, {"role": "king"}, {"ladder": "none"}):
        assert post("invitations", **wrong).status_code >= 400
    with site.store.writing() as connection:
        eve, _ = accounts.register(connection, "eve", invitation, False)
        accounts.register(connection, "ann", None, True)
        [five] = list_all(connection)
        assert is_member(connection, five.id, eve)
    page = site.client.get("/owner").text
    assert "ann, submitter, pending" in page
    assert "invite" in page
    assert "ann, submitter, active" in post("accounts/ann/active").text
    assert "max, submitter, closed" in post("accounts/max/closed").text
    assert post("accounts/boss/closed").status_code == 422
    assert post("accounts/ann/king").status_code == 422
    assert "closed" in post("ladders/five/close").text
    assert post("accounts/ann/closed", token="0" * 64).status_code == 403


def test_others_are_no_owners(site):
    site.account("boss", "owner")
    assert site.client.get("/owner").url.path == "/sign-in"
    token = sign_in(site, site.account("eve", "submitter"))
    assert site.client.get("/owner").status_code == 403
    for path in ("ladders", "invitations", "accounts/boss/closed", "ladders/x/close"):
        assert site.client.post(f"/owner/{path}", data={"token": token}).status_code == 403
    assert "/owner" not in site.client.get("/").text


def test_cookies_of_tls_are_bound_to_their_host(start):
    site = start(secure_cookies=True)
    cookie = site.client.get("/sign-in").headers["set-cookie"]
    assert cookie.startswith("__Host-arena_visit=")
    assert "Secure" in cookie


def test_results_are_counted(played):
    run = played.store.match(1).run
    table = result_table(played.store.results(Selection(make_game("tic_tac_toe").label, runs=(run,))))
    assert table.counts.sum() == 2 * played.store.count()
    assert table.share("ply.1", "ply.1") is None
    shares = table.share("two.1", "dice.1"), table.share("dice.1", "two.1")
    if None not in shares:
        assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "leduc_holdem"])
def test_boards_are_drawn_at_every_position(name):
    game = make_game(name)
    match = empty_seats(game, ("a", "b"), 5)
    while not match.over:
        match.play(int(np.flatnonzero(match.legal)[0]))
    record = match.record()
    walk = walk_of(record)
    drawn = [position_of(record, number) for number in range(len(record.actions) + 1)]
    assert len(walk.moves) == len(walk.seats) == len(drawn) - 1
    assert len({position.svg + str(position.notes) for position in drawn}) == len(drawn)
    for position in drawn:
        if position.svg:
            xml.dom.minidom.parseString(position.svg)


@pytest.mark.parametrize("name", GAMES.names())
def test_every_game_of_the_catalogue_has_a_picture_to_step(name):
    game = make_game(name)
    match = empty_seats(game, [f"p{seat}" for seat in range(game.num_players)], 3)
    for _ in range(3):
        if not match.over:
            match.play(int(np.flatnonzero(match.legal)[-1]))
    picture = match.picture(match.state)
    svg = svg_of(picture, "a < b")
    assert svg or any(picture.notes)
    if svg:
        assert "a &lt; b" in xml.dom.minidom.parseString(svg).documentElement.toxml()


def test_a_game_between_people_is_shown_as_it_stands(site):
    site.ladder()
    ada, bob = site.account("ada", "submitter"), site.account("bob", "submitter")
    number = ada.post("/ladders/small/live", {"opponent": "bob", "clock": "5m"})["id"]
    assert "the challenge waits for an answer" in site.client.get(f"/live/{number}").text
    bob.post("/ladders/small/live", {"opponent": "ada"})
    ada.post(f"/live/{number}/moves", {"place": 0, "action": 4})
    shown = site.client.get(f"/live/{number}").text
    for words in ("<svg", "Move 1: b2", "bob to move", "5:00", f'data-positions="/live/{number}/events"'):
        assert words in shown
    assert f'href="/live/{number}">ada – bob' in site.client.get("/ladders/small").text
    bob.post(f"/live/{number}/end", {})
    assert "ada wins: bob resigned" in site.client.get(f"/live/{number}").text
    assert "Live games" not in site.client.get("/ladders/small").text
    assert site.client.get("/live/99").status_code == 404


def test_a_game_between_people_is_followed_by_events(site, monkeypatch):
    monkeypatch.setattr(live, "STREAM_S", 0.0)  # one event, and the stream ends
    site.ladder()
    ada, bob = site.account("ada", "submitter"), site.account("bob", "submitter")
    number = ada.post("/ladders/small/live", {"opponent": "bob"})["id"]
    bob.post("/ladders/small/live", {"opponent": "ada"})
    ada.post(f"/live/{number}/moves", {"place": 0, "action": 4})
    text = site.client.get(f"/live/{number}/events").text
    assert text.startswith("event: position\ndata: ")
    assert "Move 1: b2" in json.loads(text.partition("data: ")[2])["html"]
