"""`arena tournament` on the command line."""

import json

import pytest

from arena.cli.main import main

pytestmark = pytest.mark.full

GAME = "tic_tac_toe:m=3,n=4,k=3"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_tournament_prints_a_table_and_leaves_files(tmp_path, capsys):
    arguments = ["tournament", GAME, "random", "one-ply", "alphabeta:2", "--games", "10", "--openings", "random:1"]
    assert main([*arguments, "--out", "results"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "If this ends early, resume it with\n  arena tournament tic_tac_toe:m=3,n=4,k=3 random" in printed.out
    assert "--games 10 --openings random:1 --out results\n" in printed.out
    assert "tic_tac_toe(m=3, n=4, k=3), 30 games" in printed.out
    assert "Results are in results." in printed.out
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert names == {"ratings.csv", "games.csv", "results.json", "crosstable.png", "ratings.png"}


def test_json_stands_alone_on_the_output(capsys):
    arguments = ["tournament", GAME, "one-ply", "random", "--games", "40", "--format", "sprt", "--elo1", "300"]
    assert main([*arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert [one["agent"] for one in json.loads(printed.out)["players"]] == ["one-ply", "random"]
    assert "If this ends early" in printed.err
    assert "Elo by these pairs, which a test that stops early overstates: +" in printed.err
    assert "Results are in" in printed.err


def test_without_a_folder_results_are_numbered(tmp_path, capsys):
    for number in (1, 2):
        assert main(["tournament", "tic_tac_toe", "random", "one-ply", "--games", "2"]) == 0
        printed = capsys.readouterr().out
        assert f"Results are in runs/tournament-tic_tac_toe-{number}." in printed
        assert ("All games of this tournament are in runs/arena.db already." in printed) == (number == 2)
    first, second = (tmp_path / "runs" / f"tournament-tic_tac_toe-{number}" / "games.csv" for number in (1, 2))
    assert first.read_text() == second.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "GAME missing"),
        (["tic_tac_toe"], "name two agents or more, or a file of them with --agents"),
        (["tic_tac_toe", "random"], "needs at least 2 agents, not 1"),
        (["tic_tac_toe", "random", "random"], "two agents of one name, 'random'"),
        (["tictactoe", "random", "one-ply"], "unknown game 'tictactoe'; did you mean 'tic_tac_toe'?"),
        (["tic_tac_toe:m=99", "random", "one-ply"], "m=99 is not between 1 and 20"),
        (["tic_tac_toe", "random", "oneply"], "unknown agent 'oneply'; did you mean 'one-ply'?"),
        (["tic_tac_toe", "random", "alphabeta:zero"], "the depth is not a whole number of at least 1"),
        (["tic_tac_toe", "random", "one-ply", "--games", "5"], "--games 5 is not an even number"),
        (["tic_tac_toe", "random", "one-ply", "--games", "many"], "--games: 'many' is not INT"),
        (["tic_tac_toe", "random", "one-ply", "--openings", "best"], "openings 'best' are not of the form random:N"),
        (["tic_tac_toe", "random", "one-ply", "--openings", "random:9"], "no game is still open after 9 random moves"),
        (["tic_tac_toe", "random", "one-ply", "--seed", "-1"], "--seed -1 is not at least 0"),
        (["tic_tac_toe", "random", "one-ply", "--anchor", "me"], "unknown player 'me'"),
        (["tic_tac_toe", "random", "one-ply", "--game", "4"], "did you mean --games?"),
        (["tic_tac_toe", "random", "--format", "gauntlet"], "a gauntlet of tic_tac_toe needs at least 2 agents, not 1"),
        (["tic_tac_toe", "a=random", "a=one-ply"], "two agents of one name, 'a'; give each a name of its own"),
        (["hex", "random", "uci:stockfish"], "hex"),
        (["tic_tac_toe", "random", "one-ply", "--format", "best"], "--format: 'best' is none of"),
        (["tic_tac_toe", "random", "one-ply", "--format", "swiss", "--rounds", "0"], "--rounds 0 is not at least 1"),
        (
            ["tic_tac_toe", "random", "one-ply", "--rounds", "3"],
            "--rounds 3 are those of a swiss, not of a round-robin",
        ),
        (["tic_tac_toe", "random", "one-ply", "a=random", "--format", "sprt"], "an sprt is between 2 agents"),
        (["tic_tac_toe", "random", "one-ply", "--format", "sprt", "--games", "7"], "--games 7 is not an even number"),
        (["tic_tac_toe", "random", "one-ply", "--elo0", "5", "--elo1", "2"], "--elo0 5 is not below --elo1 2"),
        (["tic_tac_toe", "random", "one-ply", "--alpha", "0.7"], "--alpha 0.7 is not between 0 and 0.5"),
        (
            ["tic_tac_toe", "random", "one-ply", "--time-per-move", "soon"],
            "--time-per-move soon is not a number above 0",
        ),
        (["tic_tac_toe", "random", "one-ply", "--openings", "file:none.txt"], "openings none.txt cannot be read"),
        (["tic_tac_toe", "random", "one-ply", "--elo1", "20"], "are those of an sprt, not of a round-robin"),
        (["tic_tac_toe", "random", "one-ply", "--workers", "0"], "--workers 0 is not at least 1"),
        (["tic_tac_toe", "random", "one-ply", "--workers", "many"], "--workers many is not a number, ray"),
        (
            ["tic_tac_toe", "random", "one-ply", "--workers", "ray://127.0.0.1:1"],
            "no Ray cluster can be reached at ray://127.0.0.1:1: ",
        ),
        (["tic_tac_toe", "random", "one-ply", "--store", "mysql://nowhere/x"], "stores at mysql://"),
        (["kuhn_poker", "random", "one-ply"], "one-ply plays games of perfect information; kuhn_poker has hidden"),
        (["kuhn_poker:players=3", "random", "a=random"], "needs at least 3 agents, not 2"),
        (["kuhn_poker", "random", "o=one-ply", "--memory", "2GB"], "one-ply plays games of perfect information"),
    ],
)
def test_bad_input_is_refused_in_a_line_and_leaves_nothing(tmp_path, capsys, arguments, message):
    assert main(["tournament", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("arena: ")
    assert message in printed.err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_refused_before_anything_is_played(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("keep me")
    assert main(["tournament", "tic_tac_toe", "random", "one-ply", "--out", "."]) == 2
    assert ". is not empty; choose another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_results_are_written_before_they_are_printed(tmp_path, monkeypatch, capsys):
    """A table that is not read to its end must not cost the folder."""

    def fail(*_):
        raise OSError("nobody reads this")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("arena.cli.tournament.print_report", fail)
    assert main(["tournament", GAME, "random", "one-ply", "--games", "2", "--out", "results"]) == 1
    assert "nobody reads this" in capsys.readouterr().err
    assert (tmp_path / "results" / "results.json").exists()
