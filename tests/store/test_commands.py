"""`arena matches`, `arena match` and `arena ladder`: what they print, write, read and refuse."""

import json
import subprocess
import sys

import pytest

from arena.cli.main import main
from arena.match.match import Match
from arena.match.verdict import MatchRecord, Reason, forfeit
from arena.policy.registry import make_game
from arena.store import Store
from tests.match.players import Bad, Lowest, Sleeper
from tests.store.test_exchange import played


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder with a store of 7 matches: 4 of connect four, one of them lost by a crash, and 3 of kuhn poker."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    fours, kuhn = played("connect_four", 3), played("kuhn_poker:players=3", 3)
    crashed = forfeit(2, 1, Reason.CRASHED, "ValueError: out of wits")
    fours.append(MatchRecord(fours[0].game, ("ada", "bob"), 5, (3,), (3,), crashed))
    with Store("runs/arena.db") as store:
        for records in (fours, kuhn):
            run = store.open_run("tournament", records[0].game, records[0].game, {}, ["some", "body"])
            store.add_games(run.id, enumerate(records))
    return tmp_path


def printed(capsys, *words: str, status: int = 0) -> str:
    assert main(list(words)) == status
    out, err = capsys.readouterr()
    assert (out == "") == (status == 2)
    assert (err == "") == (status == 0)
    return out or err


def listed(capsys, *words: str) -> list[int]:
    return [row["id"] for row in json.loads(printed(capsys, "matches", "--json", *words))]


@pytest.mark.full
def test_the_list_shows_who_played_what_and_how_it_ended(capsys):
    lines = printed(capsys, "matches").splitlines()
    assert lines[1].split() == ["match", "run", "game", "players", "points", "moves", "added", "(UTC)"]
    row = next(number for number, line in enumerate(lines) if line.split()[:1] == ["4"])
    assert lines[row].split()[:7] == ["4", "1", "connect_four", "●", "ada", "1–0", "1"]
    assert lines[row + 1].split() == ["rows=6", "columns=7", "k=4", "○", "bob", "crashed"]


@pytest.mark.full
def test_what_fits_is_listed(capsys):
    assert listed(capsys) == [7, 6, 5, 4, 3, 2, 1]
    assert listed(capsys, "--limit", "2") == [7, 6]
    assert listed(capsys, "--limit", "2", "--before", "6") == [5, 4]
    assert listed(capsys, "--game", "connect_four") == listed(capsys, "--run", "1") == [4, 3, 2, 1]
    assert listed(capsys, "--game", "kuhn_poker:players=3") == [7, 6, 5]
    assert listed(capsys, "--game", "kuhn_poker:players=2") == []
    assert listed(capsys, "--player", "bob", "--result", "loss") == listed(capsys, "--reason", "crashed") == [4]
    assert listed(capsys, "--min-length", "7") == [3, 2, 1]
    row = json.loads(printed(capsys, "matches", "--player", "ada", "--json"))[0]
    assert {key: row[key] for key in ("players", "returns", "reason", "offender", "detail", "opening", "moves")} == {
        "players": ["ada", "bob"],
        "returns": [1.0, -1.0],
        "reason": "crashed",
        "offender": 1,
        "detail": "ValueError: out of wits",
        "opening": 1,
        "moves": 1,
    }
    assert printed(capsys, "matches", "--player", "eve") == "No match in runs/arena.db fits.\n"


def test_a_match_is_replayed_to_its_board(capsys):
    text = printed(capsys, "match", "1")
    record = played("connect_four", 3)[0]
    game = make_game("connect_four")
    assert text.splitlines()[:2] == ["Match 1, number 0 of run 1, seed 0", game.label]
    assert " ".join(str(action + 1) for action in record.actions) in text
    assert "╰───┴───┴───┴───┴───┴───┴───╯" in text
    assert text.endswith(f"wins after {len(record.actions)} moves\nReplayed: seed and moves lead to this end.\n")
    lost = printed(capsys, "match", "4")
    assert "\n(4)\n" in lost
    assert "○ bob crashed (ValueError: out of wits) and loses" in lost
    told = json.loads(printed(capsys, "match", "4", "--json"))
    assert (told["id"], told["run"], told["number"], told["moves"], told["opening"]) == (4, 1, 3, ["4"], 1)
    assert "○ player 1" in printed(capsys, "match", "5")


def test_a_match_tells_how_long_its_players_took(capsys):
    game, sleeper = make_game("tic_tac_toe"), Sleeper(0.05)
    timed = Match(game, [("quick", Lowest()), ("sleeper", sleeper)], opening=(4, 0)).play_out()
    with Store("runs/arena.db") as store:
        run = store.open_run("tournament", "timed", game.label, {}, ["quick", "sleeper"])
        store.add_games(run.id, [(0, timed), (1, Match(game, [("b", Bad("raises", 2)), ("q", Lowest())]).play_out())])
    told = json.loads(printed(capsys, "match", "8", "--json"))
    assert told["move_ms"][:2] == [0, 0]
    assert len(told["move_ms"]) == len(told["moves"])
    assert min(told["move_ms"][3::2]) >= 50 * 0.9
    spent = sum(told["move_ms"][3::2]) / 1000
    assert f"\n○ sleeper  {timed.verdict.returns[1]:+g}  {spent:.3g} s\n" in printed(capsys, "match", "8")
    lost = json.loads(printed(capsys, "match", "9", "--json"))
    assert (lost["reason"], len(lost["move_ms"])) == ("crashed", len(lost["moves"]) + 1)
    assert "move_ms" not in json.loads(printed(capsys, "match", "1", "--json"))
    assert " s\n" not in printed(capsys, "match", "1")


@pytest.mark.parametrize(
    ("sql", "status", "fault"),
    [
        ("matches SET moves = x'0107'", 1, "move 1 cannot be played: connect_four: action 7 is illegal"),
        ("matches SET seed = 1, moves = x'01'", 1, "it says the match ended with "),
        ("seats SET earned = -earned", 1, "it says the match ended with "),
        ("games SET label = 'connect_four(rows=6)'", 1, "'connect_four(rows=6)' is not the label of a game"),
        ("matches SET moves = x'05'", 2, "match 1 is damaged: its moves cannot be read"),
        ("matches SET reason = 'bored'", 2, "match 1 is damaged: 'bored' is not a valid Reason"),
    ],
)
def test_a_match_that_was_tampered_with_does_not_replay(capsys, sql, status, fault):
    key = "match" if sql.startswith("seats") else "id"
    with Store("runs/arena.db") as store, store._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE {sql} WHERE {key} = 1")
    assert main(["match", "1"]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("arena: ")
    assert err.count("\n") == 1
    assert fault in err


def test_the_ladder_of_a_game(capsys):
    text = printed(capsys, "ladder", "connect_four")
    assert text.count("───") >= 1, "those whom no games connect are apart"
    assert "their ratings cannot be compared" in " ".join(text.split())
    (ladder,) = json.loads(printed(capsys, "ladder", "connect_four", "--json", "--limit", "1", "--anchor", "ada"))
    assert (ladder["clock"], ladder["zeros"][0]) == ("no clock", "ada")
    assert len(ladder["players"]) == 1
    assert printed(capsys, "ladder", "chess") == "Nobody has played chess(draws=automatic) in runs/arena.db.\n"
    assert "unknown player 'adda'; did you mean 'ada'" in printed(
        capsys, "ladder", "connect_four", "--anchor", "adda", status=2
    )


def test_out_and_in_again(capsys, place):
    assert printed(capsys, "matches", "--out", "all.jsonl") == "Wrote 7 matches to all.jsonl.\n"
    said = "new/arena.db holds the 7 matches of all.jsonl as run 1.\n"
    for _ in range(2):
        assert printed(capsys, "matches", "--import", "all.jsonl", "--store", "new/arena.db") == said
    assert printed(capsys, "matches", "--out", "one.jsonl", "--player", "ada") == "Wrote 1 match to one.jsonl.\n"
    assert json.loads((place / "one.jsonl").read_text())["detail"] == "ValueError: out of wits"
    (place / "bad.jsonl").write_text((place / "one.jsonl").read_text() + "{}\n")
    line = printed(capsys, "matches", "--import", "bad.jsonl", "--store", "new/arena.db", status=2)
    assert line.startswith("arena: bad.jsonl, line 2: a record is an object with the keys game, ")
    assert len(listed(capsys, "--store", "new/arena.db")) == 7


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["matches", "--store", "none.db"], "there is no store none.db"),
        (["matches", "--store", "http://somewhere"], "store 'http://somewhere' is neither a path nor a URL like"),
        (["matches", "--game", "conect_four"], "unknown game 'conect_four'; did you mean 'connect_four'?"),
        (["matches", "--result", "win"], "--result win is that of a player: name one, or ask for 'draw'"),
        (["matches", "--result", "won"], "--result: 'won' is none of"),
        (["matches", "--limit", "0"], "--limit 0 is not at least 1"),
        (["matches", "--min-length", "-1"], "--min-length -1 is not at least 0"),
        (["matches", "--import", "none.jsonl"], "none.jsonl cannot be read (No such file or directory)"),
        (
            ["matches", "--import", "a", "--out", "b"],
            "reads the whole of a file; it goes with --store alone",
        ),
        (["matches", "--import", "a", "--player", "ada"], "it goes with --store alone"),
        (["matches", "--out", "none/all.jsonl"], "none/all.jsonl cannot be written (No such file or directory)"),
        (["ladder"], "GAME|URL missing"),
        (["ladder", "chses"], "unknown game 'chses'; did you mean 'chess'?"),
        (["ladder", "chess", "--limit", "0"], "--limit 0 is not at least 1"),
        (["ladder", "chess", "--store", "none.db"], "there is no store none.db"),
        (["match"], "MATCH missing"),
        (["match", "8"], "there is no match 8"),
        (["match", "one"], "'one' is no whole number"),
        (["match", "1", "--store", "none.db"], "there is no store none.db"),
    ],
)
def test_wrong_words_get_one_line_and_leave_nothing(capsys, place, words, message):
    before = sorted(path.name for path in place.rglob("*"))
    line = printed(capsys, *words, status=2)
    assert message in line
    assert line.count("\n") == 1
    assert sorted(path.name for path in place.rglob("*")) == before


@pytest.mark.full
def test_neither_torch_nor_textual_is_imported():
    code = """
import sys
from arena.cli.main import main
assert main(["match", "1"]) == main(["matches"]) == main(["ladder", "chess"]) == 0
heavy = {"torch", "ray", "textual", "matplotlib", "pettingzoo"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
