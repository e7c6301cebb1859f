"""`arena mcp`: an assistant plays by the protocol's own client, and may run nothing of its choice."""

import re
import sys

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.cli.mcp import Tables
from arena.policy.registry import GAMES


@pytest.fixture
def tables():
    opened = Tables(seed=3)
    yield opened
    opened.close()


def legal(tables, number=1):
    return tables.legal_moves(number).split(", ")


def test_a_game_is_played_to_its_end(tables):
    begun = tables.new_game("tic_tac_toe", "random", seat=2)
    assert begun.startswith("This is game 1.")
    assert "You are seat 2, and it is your turn." in begun
    assert len(legal(tables)) == 8
    assert "the game goes on" in tables.result(1).lower()
    shown = ""
    while "The game is over" not in shown:
        shown = tables.move(1, legal(tables)[0])
    assert re.search(r"The game is over: you (won|lost|drew)\. Returns by seat: ", shown)
    assert tables.result(1) in shown
    assert tables.legal_moves(1) == "The game is over."
    with pytest.raises(UsageError, match="the game is over"):
        tables.move(1, "a1")


def test_an_agent_says_what_it_would_play(tables):
    tables.new_game("tic_tac_toe", "random")
    tables.move(1, "a1")
    assert re.fullmatch(
        r"perfect would play [abc][123], and expects [+-]\d\.\d\d\.( Its line: .*)?", tables.ask(1, "perfect")
    )


def test_cards_of_others_stay_hidden(tables):
    shown = tables.new_game("kuhn_poker", "random", seat=1)
    board = shown.rpartition("\n\n")[2]
    assert "│ ? │" in board
    assert board.count("│ ? │") == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tables: tables.new_game("checkerz"), "there is no game 'checkerz'"),
        (lambda tables: tables.new_game("./nim.py"), r"there is no game './nim.py'"),
        (lambda tables: tables.new_game("pettingzoo:os"), "there is no game 'pettingzoo:os'"),
        (lambda tables: tables.new_game("tic_tac_toe", "cmd:touch x"), "cmd runs a program or a file"),
        (lambda tables: tables.new_game("chess", "uci:stockfish"), "uci runs a program"),
        (lambda tables: tables.new_game("tic_tac_toe", "noisy:0.5:cmd:touch x"), "cmd runs a program"),
        (lambda tables: tables.new_game("tic_tac_toe", "./agent.py"), "may not choose"),
        (lambda tables: tables.new_game("tic_tac_toe", "llm:http://localhost:1,model=x"), "llm runs a program"),
        (lambda tables: tables.new_game("tic_tac_toe", seat=3), "seats are 1 to 2"),
        (lambda tables: tables.show(7), "there is no game 7; new_game begins one"),
        (lambda tables: tables.move(1, "z9"), "z9"),
    ],
)
def test_what_cannot_be_done_is_said(tables, call, message):
    tables.new_game("tic_tac_toe", "random")
    with pytest.raises(UsageError, match=message):
        call(tables)
    assert len(legal(tables)) == 9


def test_the_oldest_of_many_games_is_forgotten(tables, monkeypatch):
    monkeypatch.setattr("arena.cli.mcp.MOST_GAMES", 2)
    for _ in range(3):
        tables.new_game("tic_tac_toe", "random")
    with pytest.raises(UsageError, match="there is no game 1"):
        tables.show(1)
    assert tables.show(3)


def test_where_the_package_is_missing_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert main(["mcp"]) == 2
    assert re.fullmatch(
        r"arena: mcp: needs the package mcp, version 2 or newer: pip install .*\n", capsys.readouterr().err
    )


@pytest.mark.full
async def test_the_packages_own_client_plays_over_standard_input_and_output():
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=sys.executable, args=["-m", "arena", "mcp"])
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"list_games", "new_game", "show", "legal_moves", "move", "ask", "result"}
        assert all(tool.description for tool in tools.values())
        assert set(tools["new_game"].input_schema["properties"]) == {"game", "opponent", "seat"}

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            return result.is_error, result.content[0].text

        failed, listed = await call("list_games")
        assert not failed
        assert all(f"\n{name}" in listed for name in GAMES.names())
        assert "\nmcts:" in listed
        assert "\ncmd:" not in listed
        assert (await call("new_game", game="connect_four", opponent="one-ply"))[1].startswith("This is game 1.")
        assert "you are seat 1" in (await call("move", number=1, move="4"))[1].lower()
        failed, said = await call("move", number=1, move="z")
        assert failed
        assert "'z' is not a column; type a number from 1 to 7" in said
        assert (await call("new_game", game="connect_four", opponent="cmd:touch x"))[0]
