"""Openings from a file, in the game's own notation."""

import pytest

import games
from arena.base.errors import UsageError
from arena.tournament.config import TournamentConfig
from arena.tournament.openings import openings_of
from arena.tournament.tournament import run_tournament

CONNECT_FOUR = games.make("connect_four")


def written(folder, text):
    path = folder / "openings.txt"
    path.write_text(text)
    return f"file:{path}"


def test_lines_are_taken_in_order_and_over_again(tmp_path):
    form = written(tmp_path, "4 4 3  # the middle\n\n# nothing here\n1\n")
    assert openings_of(CONNECT_FOUR, form, 5, seed=0) == [(3, 3, 2), (0,), (3, 3, 2), (0,), (3, 3, 2)]


def test_a_tournament_plays_each_line_from_both_sides(tmp_path):
    config = TournamentConfig(games=4, openings=written(tmp_path, "4 4\n1 2\n"))
    records = run_tournament(CONNECT_FOUR, {"a": "random", "b": "one-ply"}, config).records
    assert [(record.players[0], record.opening) for record in records] == [
        ("a", (3, 3)),
        ("b", (3, 3)),
        ("a", (0, 1)),
        ("b", (0, 1)),
    ]
    assert all(record.actions[:2] == record.opening for record in records)
    assert records[0].seed == records[1].seed != records[2].seed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no line of moves"),
        ("4\n9\n", r"openings.txt, line 2: '9' cannot be played: '9' is not a column"),
        ("4 4 4 4 4 4 4\n", r"line 1: '4' cannot be played: connect_four: action 3 is illegal"),
        ("\n1 2 1 2 1 2 1\n", r"line 2: the game is over after these moves"),
    ],
)
def test_what_cannot_be_played_is_refused_by_its_line(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        openings_of(CONNECT_FOUR, written(tmp_path, text), 2, seed=0)


@pytest.mark.parametrize("form", ["book.pgn", "random:-1", "random:", "file:"])
def test_other_forms_are_refused(form):
    with pytest.raises(UsageError, match="are not of the form random:N, as random:4, or file:PATH"):
        TournamentConfig(openings=form)


def test_seats_rotate_in_games_of_more_players():
    game = games.make("kuhn_poker", players=3)
    players = {name: "random" for name in "abcd"}
    records = run_tournament(game, players, TournamentConfig(games=6)).records
    assert len(records) == 4 * 6
    for start in range(0, len(records), 3):
        turn = records[start : start + 3]
        assert len({record.seed for record in turn}) == 1
        for seat in range(3):
            assert {record.players[seat] for record in turn} == set(turn[0].players)
