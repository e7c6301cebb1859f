"""Commands that speak to a server from a terminal."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from arena.cli.main import main
from arena.cli.server_matches import Broadcast, server_match
from arena.match.files import read_match
from arena.server.client import Client

pytestmark = pytest.mark.full


def test_ladders_of_a_server_are_listed(address, monkeypatch, capsys):
    monkeypatch.delenv("ARENA_KEY", raising=False)
    assert main(["ladder", address, "--json", "--limit", "1"]) == 0
    [ladder] = json.loads(capsys.readouterr().out)
    assert ladder["name"] == "small"
    assert [row["games"] > 0 for row in ladder["standings"]] == [True]
    assert main(["ladder", f"{address}/ladders/small"]) == 0
    shown = capsys.readouterr().out
    assert "small: tic_tac_toe(m=3, n=3, k=3), no clock" in shown
    assert ladder["standings"][0]["player"] in shown
    assert "so far" in shown
    assert set(shown) & set("▁▂▃▄▅▆▇█")


@pytest.mark.parametrize(
    ("path", "options", "reason"),
    [
        ("/ladders/none", [], "there is no ladder 'none'"),
        ("/ladders/..%2fetc", [], "is not the page of a ladder"),
        ("", ["--anchor", "random"], "--anchor: for games in a store"),
    ],
)
def test_what_a_server_does_not_have_is_refused(address, path, options, reason, capsys):
    assert main(["ladder", address + path, *options]) == 2
    assert reason in capsys.readouterr().err


def test_a_server_that_is_not_there_is_named(capsys):
    assert main(["ladder", "http://127.0.0.1:1"]) == 2
    assert "http://127.0.0.1:1 cannot be reached" in capsys.readouterr().err


def newest(address):
    return Client.of_visitor(address).get("/ladders/small/games?limit=1")[0]["id"]


def test_a_match_of_a_server_is_replayed_and_written(address, tmp_path, monkeypatch):
    monkeypatch.delenv("ARENA_KEY", raising=False)
    page = f"{address}/matches/{newest(address)}"
    assert main(["replay", f"{page}?move=2", "--out", str(tmp_path / "match.jsonl")]) == 0
    read, shown = read_match(tmp_path / "match.jsonl"), server_match(page)
    assert (read.players, read.actions, read.verdict) == (shown.players, shown.actions, shown.verdict)
    assert main(["replay", page, "--out", str(tmp_path / "match.png")]) == 0
    assert (tmp_path / "match.png").read_bytes().startswith(b"\x89PNG")


def test_the_games_of_a_ladder_follow_each_other(address, monkeypatch):
    monkeypatch.delenv("ARENA_KEY", raising=False)
    broadcast = Broadcast(address)  # of the one ladder that it has
    assert broadcast.ladder == "small"
    assert broadcast.next().actions == server_match(f"{address}/matches/{newest(address)}").actions
    assert broadcast.next() is None
    broadcast._newest -= 1  # as if a game had come in
    assert broadcast.next() is not None


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["replay", "/matches/99999999"], "there is no match 99999999"),
        (["replay", "/matches/-1"], "is not the page of a match, as https://arena.example.org/matches/12"),
        (["replay", "/ladders/small"], "is not the page of a match"),
        (["watch", "/ladders/none"], "there is no ladder 'none'"),
        (["watch", "/matches/1"], "is the page of a match; 'arena replay' shows it"),
        (["watch", "/ladders/small", "random"], "whose bots play; name no agents"),
        (["watch", "/ladders/small", "--boards", "4"], "--boards: for games played here"),
    ],
)
def test_what_cannot_be_shown_of_a_server_is_refused(address, words, reason, capsys):
    assert main([words[0], address + words[1], *words[2:]]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert reason in said


@contextmanager
def answering(text):
    """A server that gives the same answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


LINE = {"game": "tic_tac_toe", "options": {}, "players": ["a", "b"], "seed": 0, "opening": 0, "moves": ["a1", "a1"]}
LINE |= {"returns": [1.0, -1.0], "reason": "finished", "offender": None, "detail": ""}


def match_of(line):
    """An answer with a match, as a server gives it."""
    return json.dumps({"id": 1, "ladder": "small", "added": 0.0, "line": json.dumps(line)})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html>", "does not answer as an arena server does"),
        ("[1]", "does not answer as an arena server does"),
        ('{"line": 3}', "does not answer as an arena server does"),
        (match_of(LINE), "match 1: a record of tic_tac_toe: move 2, 'a1', cannot be played"),
        (match_of(LINE | {"game": "./evil.py"}), "match 1: "),
        (match_of(LINE | {"game": "pettingzoo:evil.env"}), "match 1: "),
    ],
)
def test_what_a_server_sends_is_not_believed(text, reason, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("raise SystemExit('was run')")
    with answering(text) as url:
        assert main(["replay", f"{url}/matches/1", "--out", "match.png"]) == 2
    said = capsys.readouterr().err
    assert reason in said
    assert "was run" not in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("text", ["{}", "[{}]", '[{"id": "1/../../keys"}]', '[{"id": true}]'])
@pytest.mark.parametrize("page", ["", "/ladders/small"])
@pytest.mark.parametrize("command", ["watch", "ladder"])
def test_a_list_that_is_none_is_refused(text, page, command, capsys):
    with answering(text) as url:
        assert main([command, url + page]) == 2
    said = capsys.readouterr().err
    assert "does not answer as an arena server does" in said
    assert said.count("\n") == 1
