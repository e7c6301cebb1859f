"""`arena tournament` on the command line."""

import pytest

from arena.cli.main import main

GAME = "tic_tac_toe:m=3,n=4,k=3"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_tournament_prints_a_table_and_leaves_files(tmp_path, capsys):
    arguments = ["tournament", GAME, "random", "one-ply", "alphabeta:2", "--games", "10", "--openings", "random:1"]
    assert main([*arguments, "--out", "results"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "tic_tac_toe(m=3, n=4, k=3), 30 games" in printed.out
    assert "Results are in results." in printed.out
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert names == {"ratings.csv", "games.csv", "results.json", "crosstable.png", "ratings.png"}


def test_without_a_folder_results_are_numbered(tmp_path, capsys):
    for number in (1, 2):
        assert main(["tournament", "tic_tac_toe", "random", "one-ply", "--games", "2"]) == 0
        assert f"Results are in runs/tournament-tic_tac_toe-{number}." in capsys.readouterr().out
    first, second = (tmp_path / "runs" / f"tournament-tic_tac_toe-{number}" / "games.csv" for number in (1, 2))
    assert first.read_text() == second.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "GAME missing"),
        (["tic_tac_toe"], "needs at least 2 agents, not 0"),
        (["tic_tac_toe", "random"], "needs at least 2 agents, not 1"),
        (["tic_tac_toe", "random", "random"], "two agents of one name, 'random'"),
        (["tictactoe", "random", "one-ply"], "unknown game 'tictactoe'; did you mean 'tic_tac_toe'?"),
        (["tic_tac_toe:m=99", "random", "one-ply"], "m=99 is not between 1 and 20"),
        (["tic_tac_toe", "random", "oneply"], "unknown agent 'oneply'; did you mean 'one-ply'?"),
        (["tic_tac_toe", "random", "alphabeta:zero"], "the depth is not a whole number of at least 1"),
        (["tic_tac_toe", "random", "one-ply", "--games", "5"], "games=5 is not an even number"),
        (["tic_tac_toe", "random", "one-ply", "--games", "many"], "invalid literal for int"),
        (["tic_tac_toe", "random", "one-ply", "--openings", "best"], "openings 'best' are not of the form random:N"),
        (["tic_tac_toe", "random", "one-ply", "--openings", "random:9"], "no game is still open after 9 random moves"),
        (["tic_tac_toe", "random", "one-ply", "--seed", "-1"], "seed=-1 is below 0"),
        (["tic_tac_toe", "random", "one-ply", "--anchor", "me"], "anchor 'me' is not among the agents"),
        (["tic_tac_toe", "random", "one-ply", "--game", "4"], "did you mean --games?"),
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
