"""Commands that speak to a server from a terminal."""

import json

import pytest

from arena.cli.main import main

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
