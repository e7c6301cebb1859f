"""The doors of the server: who may do what, and everything that is refused, with the reason and the right status."""

import json
import re
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from arena.match.json_lines import from_json_line
from arena.server.job_games import JobGames, PlayableJob
from arena.server.models import JobGiven
from arena.server.schema import jobs, keys
from arena.server.workers import VERSION
from tests.server.playing import filled, games

LEAKS = re.compile(r"/tmp|/home|/root|File \"|Traceback|sqlite", re.IGNORECASE)
"""What no answer may hold."""


def owner_of(site):
    return site.account("boss", "owner")


def test_an_account_by_invitation_to_its_end(site):
    boss = owner_of(site)
    site.ladder("club", private=True)
    invitation = boss.post("/invitations", {"role": "submitter", "ladder": "club"})["invitation"]
    made = site.client.post("/api/v1/accounts", json={"name": "ann", "invitation": invitation})
    assert made.status_code == 201
    ann = type(boss)(site.client, made.json()["key"])
    assert ann.get("/me")["role"] == "submitter"
    assert [one["name"] for one in ann.get("/ladders")] == ["club"]
    assert site.client.get("/api/v1/ladders").json() == []
    assert site.client.get("/api/v1/ladders/club").status_code == 404
    bot = ann.post("/ladders/club/bots", {"name": "mine", "agent": "one-ply"})
    second = ann.post("/me/keys", {"name": "laptop"})["key"]
    numbers = {one["name"]: one["id"] for one in ann.get("/me/keys")}
    assert ann.ask("DELETE", f"/me/keys/{numbers['first']}").status_code == 200
    assert ann.ask("GET", "/me").status_code == 401
    ann.key = second
    taken = ann.get("/me/data")
    assert taken["bots"][0]["player"] == "mine.1"
    assert "digest" not in json.dumps(taken["keys"])
    assert ann.ask("DELETE", "/me").status_code == 200
    assert ann.ask("GET", "/me").status_code == 401
    shown = boss.get(f"/bots/{bot['id']}")
    assert shown["player"] == f"deleted-{bot['id']}"
    assert shown["state"] == "withdrawn"
    assert site.client.post("/api/v1/accounts", json={"name": "bob", "invitation": invitation}).status_code == 403


def test_an_account_waits_for_approval(start):
    site = start(approval=True)
    boss = owner_of(site)
    made = site.client.post("/api/v1/accounts", json={"name": "ann"}).json()
    ann = type(boss)(site.client, made["key"])
    assert made["state"] == "pending"
    assert ann.ask("GET", "/me").json()["detail"] == "the account ann waits for approval"
    boss.post("/accounts/ann/approval", {})
    assert ann.get("/me")["state"] == "active"
    assert boss.ask("DELETE", "/accounts/ann").status_code == 200
    assert ann.ask("GET", "/me").status_code == 403
    assert [entry["action"] for entry in boss.get("/audit")] == ["account", "account", "register"]


def test_keys_are_stored_as_hashes_and_expire(site):
    boss = owner_of(site)
    with site.store.writing() as connection:
        stored = connection.execute(select(keys)).all()
        assert boss.key not in repr(stored)
        connection.execute(update(keys).values(expires=1.0))
    assert boss.ask("GET", "/me").json()["detail"] == "this key has expired"


BAD = [
    ("GET", "/me", None, None, 401, "needs a key"),
    ("GET", "/me", None, "arena_wrong", 401, "not known"),
    ("POST", "/accounts", {"name": "ann"}, None, 403, "by invitation"),
    ("POST", "/accounts", {"name": "ann", "invitation": "x" * 24}, None, 403, "not known here"),
    ("POST", "/accounts", {"name": "../ann", "invitation": "x" * 24}, None, 422, "name"),
    ("POST", "/accounts", {"name": "ann", "role": "owner"}, None, 422, "role"),
    ("GET", "/accounts", None, "submitter", 403, "needs the role owner"),
    ("GET", "/audit", None, "worker", 403, "needs the role owner"),
    ("POST", "/ladders", {"name": "x", "game": "chess"}, "submitter", 403, "owner"),
    ("POST", "/ladders", {"name": "x", "game": "no_game"}, "owner", 422, "there is no game 'no_game'"),
    ("POST", "/ladders", {"name": "x", "game": "./evil.py"}, "owner", 422, "there is no game"),
    ("POST", "/ladders", {"name": "x", "game": "pettingzoo:os"}, "owner", 422, "there is no game"),
    ("POST", "/ladders", {"name": "x", "game": "tic_tac_toe:m=0"}, "owner", 422, "m"),
    ("POST", "/ladders", {"name": "x", "game": "tic_tac_toe", "clock": "soon"}, "owner", 422, "clock"),
    ("POST", "/ladders", {"name": "x", "game": "tic_tac_toe", "memory": "lots"}, "owner", 422, "memory"),
    (
        "POST",
        "/ladders",
        {"name": "x", "game": "tic_tac_toe", "openings": "file:/etc/passwd"},
        "owner",
        422,
        "openings",
    ),
    ("POST", "/ladders", {"name": "x", "game": "hanabi"}, "owner", 422, "nobody wins"),
    ("POST", "/ladders", {"name": "small", "game": "tic_tac_toe"}, "owner", 409, "already"),
    ("GET", "/ladders/none", None, None, 404, "there is no ladder 'none'"),
    ("GET", "/ladders/..%2f..%2fetc", None, None, 404, ""),
    ("GET", "/ladders/small/games?limit=0", None, None, 422, "limit"),
    ("GET", "/ladders/small/games?before=99999999999999999999", None, None, 422, "before"),
    ("GET", "/bots/7777", None, None, 404, "there is no bot"),
    ("DELETE", "/bots/1", None, "submitter", 403, "not yours"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "cmd:rm -rf /"}, "submitter", 422, "no spec without files"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "uci:stockfish"}, "submitter", 422, "runs a program"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "noisy:0.1:cmd:sh"}, "submitter", 422, "runs a program"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "ppo:secret"}, "submitter", 422, "reads files"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "puct:secret:9"}, "submitter", 422, "reads files"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "./evil.py"}, "submitter", 422, "no spec without files"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "nobody"}, "submitter", 422, "there is no agent"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "\x1b[2J"}, "submitter", 422, "no spec"),
    ("POST", "/ladders/small/bots", {"name": "b'; DROP TABLE", "agent": "random"}, "submitter", 422, "name"),
    ("POST", "/ladders/small/bots", {"name": "b"}, "submitter", 422, "one of the two"),
    ("POST", "/ladders/small/bots", {"name": "b", "bundle": "0" * 64}, "submitter", 404, "no bundle"),
    ("POST", "/ladders/small/bots", {"name": "ply", "agent": "random"}, "submitter", 403, "somebody else's"),
    ("POST", "/ladders/small/bots", {"name": "b", "agent": "random"}, "viewer", 403, "needs the role submitter"),
    ("GET", f"/bundles/{'0' * 64}", None, "worker", 404, "no bundle"),
    ("GET", "/bundles/..%2farena.db", None, "worker", 404, ""),
    ("GET", "/workers", None, None, 401, "needs a key"),
    ("POST", "/workers", {"name": "w", "version": "0.0/0"}, "worker", 426, "update it"),
    ("POST", "/workers", {"name": "w", "version": VERSION}, "submitter", 403, "worker or owner"),
    ("POST", "/jobs", {"worker": 4711}, "worker", 404, "no worker 4711"),
    ("POST", "/jobs/1/lease", {"lease": "x" * 24}, "worker", 409, "not held by this lease"),
    ("POST", "/jobs/4711/lease", {"lease": "x" * 24}, "worker", 404, "no job 4711"),
    ("POST", "/jobs/1/report", {"lease": "x" * 24, "games": ["{}", "{}"]}, "worker", 409, "not held"),
    ("POST", "/jobs/1/report", {"lease": "x" * 24, "games": []}, "worker", 422, "games"),
    ("POST", "/invitations", {"role": "god"}, "owner", 422, "role"),
    ("POST", "/invitations", {"uses": 10**6}, "owner", 422, "uses"),
    ("DELETE", "/me", None, "owner", 409, "only owner"),
    ("PATCH", "/ladders", {}, None, 405, ""),
    ("GET", "/nowhere", None, None, 404, ""),
]


def test_what_is_wrong_is_refused_with_the_reason_and_changes_nothing(site):
    site.account("ann", "worker")
    filled_ladder(site)
    callers = {role: site.account(role, role) for role in ("submitter", "worker", "viewer")}
    callers["owner"] = type(callers["worker"])(site.client, site.owner_key)
    before = dump(site)
    wrong = []
    for method, path, body, role, status, reason in BAD:
        key = None if role is None else callers[role].key if role in callers else role
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        response = site.client.request(method, f"/api/v1{path}", json=body, headers=headers)
        if response.status_code != status or reason not in response.text or LEAKS.search(response.text):
            wrong.append((method, path, body, role, response.status_code, response.text))
    assert not wrong
    assert dump(site) == before


def filled_ladder(site):
    boss = site.account("boss", "owner")
    site.owner_key = boss.key
    ladder = site.ladder(ahead=4)
    site.bots(ladder, "boss", ply="one-ply", dice="random")


def dump(site):
    """Everything in the database."""
    from arena.server.schema import METADATA

    with site.store.reading() as connection:
        return {name: connection.execute(select(table)).all() for name, table in METADATA.tables.items()}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "testserver:80"}, 201),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://testserver"}, 201),
        ({"Authorization": "Basic abc"}, 401),
        ({"Content-Length": "99999999"}, 413),
    ],
)
def test_hosts_origins_and_sizes(start, headers, status):
    site = start(hosts=("testserver",))
    boss = owner_of(site)
    headers = {"Authorization": f"Bearer {boss.key}"} | headers
    response = site.client.post("/api/v1/me/keys", json={"name": "x"}, headers=headers)
    assert response.status_code == status, response.text
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


def test_requests_are_limited_by_key(start):
    site = start(rate=0.01, burst=5)
    boss, other = owner_of(site), site.account("other", "viewer")
    assert other.ask("GET", "/me").status_code == 200
    assert [boss.ask("GET", "/me").status_code for _ in range(8)] == [200] * 6 + [429] * 2  # the first by its address
    assert int(boss.ask("GET", "/me").headers["Retry-After"]) > 0
    assert other.ask("GET", "/me").status_code == 200


def test_keys_that_are_made_up_have_no_rate_of_their_own(start):
    site = start(rate=0.01, burst=5)
    boss = owner_of(site)
    assert boss.ask("GET", "/me").status_code == 200
    made_up = [replace(boss, key=f"arena_{number}").ask("GET", "/me").status_code for number in range(6)]
    assert made_up == [401] * 4 + [429] * 2
    assert boss.ask("GET", "/me").status_code == 200


def held(site, caller, name="w"):
    worker = caller.post("/workers", {"name": name, "version": VERSION})["worker"]
    return worker, JobGiven.model_validate(caller.post("/jobs", {"worker": worker}))


def test_reports_of_other_games_are_refused(site):
    caller = filled(site)
    _, job = held(site, caller)
    lines = JobGames(False).do(PlayableJob(job, {}))

    def report(*changed):
        return caller.ask("POST", f"/jobs/{job.id}/report", {"lease": job.lease, "games": list(changed)})

    first = json.loads(lines[0])
    liars = [
        first | {"seed": 1},
        first | {"players": first["players"][::-1]},
        first | {"game": "connect_four", "options": {}},
        first | {"returns": [1.0, 1.0]},
        first | {"moves": first["moves"][:-1]},
        first | {"opening": 0},
        first | {"reason": "late", "offender": 1},
    ]
    for liar in liars:
        response = report(json.dumps(liar), *lines[1:])
        assert response.status_code in (409, 422), response.text
        assert not LEAKS.search(response.text)
    assert report(lines[0]).status_code == 409
    assert report("no json", *lines[1:]).status_code == 422
    assert report("[" * 100_000, *lines[1:]).status_code == 422
    assert report(*lines).json() == {"repeated": False}
    assert report(*lines).json() == {"repeated": True}
    assert report(*lines[::-1]).status_code == 422
    assert games(site) == []  # a qualification is no game of the ladder


def test_games_that_began_in_a_won_position_are_refused(site):
    caller = filled(site, game="chess", openings="random:0")
    _, job = held(site, caller)
    lines = JobGames(False).do(PlayableJob(job, {}))
    won = {"start": "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "moves": ["Rd8#"], "returns": [1.0, -1.0]}
    ended = {"reason": "finished", "offender": None, "detail": "", "move_ms": [1]}
    liar = json.dumps(json.loads(lines[0]) | won | ended)
    assert from_json_line(liar)[1].verdict.returns == (1.0, -1.0)
    response = caller.ask("POST", f"/jobs/{job.id}/report", {"lease": job.lease, "games": [liar, *lines[1:]]})
    assert response.status_code == 422
    assert "another seed, opening, start or game" in response.json()["detail"]
    assert caller.post(f"/jobs/{job.id}/report", {"lease": job.lease, "games": lines}) == {"repeated": False}


def test_a_job_that_went_to_another_is_not_taken_back(site):
    caller = filled(site)
    _, job = held(site, caller)
    lines = JobGames(False).do(PlayableJob(job, {}))
    with site.store.writing() as connection:
        connection.execute(update(jobs).where(jobs.c.id == job.id).values(expires=1.0))
    _, again = held(site, caller, "other")
    assert again.id == job.id
    response = caller.ask("POST", f"/jobs/{job.id}/report", {"lease": job.lease, "games": lines})
    assert response.status_code == 409
    assert "ran out" in response.json()["detail"]
    caller.post(f"/jobs/{job.id}/lease", {"lease": again.lease})
    assert caller.post(f"/jobs/{job.id}/report", {"lease": again.lease, "games": lines}) == {"repeated": False}


def test_a_job_that_ends_its_workers_is_given_up(site):
    caller = filled(site)
    for turn in range(6):
        held(site, caller, f"w{turn}")
        with site.store.writing() as connection:
            connection.execute(update(jobs).where(jobs.c.state == "leased").values(expires=1.0))
    with site.store.reading() as connection:
        states = connection.execute(select(jobs.c.state, jobs.c.tries).order_by(jobs.c.id)).all()
    assert states[0] == ("void", 5)


def test_metrics_health_and_drain(site):
    caller = filled(site)
    held(site, caller)
    text = site.client.get("/metrics").text
    assert 'arena_jobs{state="leased"} 1' in text
    assert re.search(r'arena_requests_total\{status="201"\} 1', text)
    site.client.app.state.server.draining = True
    assert site.client.get("/health").json() == {"status": "draining"}
    assert caller.ask("POST", "/jobs", {"worker": 1}).status_code == 503
