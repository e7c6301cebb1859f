"""Games played elsewhere: what is read from CSV and PGN, what is refused and where."""

import pytest

from arena.base.errors import UsageError
from arena.match.verdict import Reason
from arena.tournament.played import read_games
from arena.tournament.standings import standings


@pytest.fixture
def written(tmp_path):
    def write(text, name="games.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def told(games):
    return [(record.players, record.verdict.returns) for record in games.records]


def test_results_of_two_in_any_notation(written):
    results = "1-0", "0-1", "1/2-1/2", "½-½", "1", "0", "0.5", '"1 - 0"'
    games = read_games(written("White, Black ,Result,Event\n" + "".join(f"ann, bob ,{r},x\n" for r in results)))
    won, lost, drawn = (1, -1), (-1, 1), (0, 0)
    assert told(games) == [(("ann", "bob"), r) for r in (won, lost, drawn, drawn, won, lost, drawn, won)]
    assert games.seat_order
    assert games.names == ["ann", "bob"]


def test_players_without_order(written):
    games = read_games(written("player_1,player_2,result\r\nann,bob,1-0\r\n\r\ncy,ann,0-1\r\n"))
    assert told(games) == [(("ann", "bob"), (1, -1)), (("cy", "ann"), (-1, 1))]
    assert not games.seat_order


def test_tables_of_different_sizes(written):
    text = "player_1,player_2,player_3,score_1,score_2,score_3\nann,bob,cy,10,7,-2.5\nbob,,cy,1,,1\n"
    assert told(read_games(written(text))) == [(("ann", "bob", "cy"), (10, 7, -2.5)), (("bob", "cy"), (1, 1))]


def test_a_tournaments_own_games(written):
    header = "number,game,seat_0,seat_1,seed,opening,actions,return_0,return_1,reason,offender,detail\n"
    (record,) = read_games(written(header + "1,toy(),ann,bob,3,1,1 2 3,1.0,-1.0,late,1,\n")).records
    assert (record.players, record.actions, record.verdict.returns) == (("ann", "bob"), (1, 2, 3), (1, -1))
    assert (record.verdict.reason, record.verdict.offender) == (Reason.LATE, 1)


def test_of_chance_games_with_another_seed_are_others(written):
    header = "game,seat_0,seat_1,seed,actions,return_0,return_1\n"
    for label, chance in (("kuhn_poker(players=2)", True), ("connect_four(rows=6, columns=7, k=4)", False)):
        games = read_games(written(header + f'"{label}",a,b,3,0 0,1,-1\n"{label}",a,b,4,0 0,1,-1\n'))
        assert games.chance == chance
        table = standings(games.names, games.records, chance=games.chance)
        assert table.distinct_games == 1 + chance
    with pytest.raises(UsageError, match="line 2: seed '-1' is not a number from 0"):
        read_games(written(header + "toy(),a,b,-1,0 0,1,-1\n"))


PGN = """[Event "a \\"great\\" one"]
[White "Ann"]
[Black "Bob \\"B\\" Low"]
[Result "1-0"]

1. e4 {[%clk 0:01]} e5 1-0

[White "Bob \\"B\\" Low"]
[Black "Ann"]
[Result "*"]

*

[White "Ann"]
[Black "Cy"]
[Result "1/2-1/2"]
"""


@pytest.mark.parametrize("text", [PGN, PGN.replace("\n", "\r\n"), "\ufeff" + PGN])
def test_pgn(written, text):
    games = read_games(written(text, "games.pgn"))
    assert told(games) == [(("Ann", 'Bob "B" Low'), (1, -1)), (("Ann", "Cy"), (0, 0))]
    assert (games.unfinished, games.seat_order) == (1, True)


OWN = "seat_0,seat_1,return_0,return_1,actions,reason,offender\n"
TABLE = "player_1,player_2,score_1,score_2\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"line 1: columns \(none\) are not white,black,result"),
        ("a,b,c\n1,2,3\n", "line 1: columns a, b, c are not white,black,result"),
        ("white,black,result\n", "holds no finished game"),
        (
            "white,black,result\nann,bob,1-0\nann,bob,2-0\n",
            "line 3: result '2-0' is not 1-0, 0-1, 1/2-1/2, 1, 0 or 0.5",
        ),
        ("white,black,result\nann,bob\n", "line 2: it does not have 3 fields as the header has"),
        ("white,black,result\nann,bob,1-0,x\n", "line 2: it does not have 3 fields"),
        ("white,black,result\n\nann,,1-0\n", "line 3: a player has no name"),
        ("white,black,result\nann,ann,1-0\n", "line 2: 'ann' plays against itself"),
        ("white,black,result\nann,b\x1b[2Job,1-0\n", r"line 2: players .*x1b.* have characters that cannot be printed"),
        ('white,black,result\nann,"bob,1-0\n', "line 2: unexpected end of data"),
        (TABLE + "ann,bob,1,high\n", "line 2: score_2 'high' is not a number"),
        (TABLE + "ann,bob,1,inf\n", "line 2: score_2 'inf' is not a number"),
        (TABLE + "ann,,1,\n", "line 2: a game needs at least 2 players"),
        (OWN + "ann,bob,1,-1,e4 e5,finished,\n", "line 2: actions 'e4 e5' are not numbers"),
        (OWN + "ann,bob,1,-1,1 2,bored,\n", "line 2: reason 'bored' is not one of finished, agreed, adjudicated, "),
        (OWN + "ann,bob,1,-1,1 2,late,2\n", "line 2: offender '2' is not a seat from 0 to 1"),
        (b"\xff\xfe\x00", "cannot be read: it is not text in UTF-8"),
    ],
)
def test_wrong_csv_is_refused_with_its_line(written, text, complaint):
    with pytest.raises(UsageError, match=complaint):
        read_games(written(text))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[White "Ann"]\n[Black "Bob"]\n[Result "2-0"]\n', "line 3: Result '2-0' is not 1-0, 0-1, 1/2-1/2 or *"),
        ('[White "Ann"]\n[Black "Bob"]\n\n[White "Cy"]\n', "line 4: a second White before the last game's"),
        ('[White "Ann"]\n[Black "Bob"]\n', "the last game lacks one of White, Black and Result"),
        ('[White ""]\n[Black "Bob"]\n[Result "1-0"]\n', "line 3: a player has no name"),
        ("1. e4 e5", "holds no finished game"),
    ],
)
def test_wrong_pgn_is_refused_with_its_line(written, text, complaint):
    with pytest.raises(UsageError, match=complaint.replace("*", r"\*")):
        read_games(written(text, "games.pgn"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"none\.csv cannot be read: No such file"):
        read_games(tmp_path / "none.csv")
