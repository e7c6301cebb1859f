"""Matches as JSON Lines: out of one store, into another, and nothing of a file that is wrong anywhere."""

import json

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.match.batch import Pairing, play_matches
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_game
from arena.store import MatchFilter, Selection, Store, export_lines, import_lines, read_lines
from tests.store.records import GAME, record

pytestmark = pytest.mark.full


def played(spec: str, count: int):
    """Matches that were really played: those of random policies."""
    game = make_game(spec)
    players = [(f"player {seat}", RandomPolicy(seed=seat)) for seat in range(game.num_players)]
    seats = tuple(range(game.num_players))
    return play_matches(game, players, [Pairing(seats, seed) for seed in range(count)])


@pytest.fixture
def store(tmp_path):
    """Two games in one store."""
    with Store(tmp_path / "arena.db") as store:
        for spec, names in [("connect_four", 2), ("kuhn_poker:players=3", 3)]:
            records = played(spec, 6)
            run = store.open_run("tournament", spec, records[0].game, {}, [f"player {seat}" for seat in range(names)])
            store.add_games(run.id, enumerate(records))
        yield store


def test_another_store_gets_the_same_matches_once(store, tmp_path):
    file = tmp_path / "all.jsonl"
    assert export_lines(store, file) == 12
    with Store(tmp_path / "other.db") as other:
        for _ in range(2):
            assert import_lines(other, read_lines(file)) == (1, 12)
        assert [match.record for match in other.each_match()] == [match.record for match in store.each_match()]
        assert other.count() == store.count()
        assert export_lines(other, tmp_path / "again.jsonl") == 12
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == ["again.jsonl", "all.jsonl"]


def test_only_what_fits_is_written(store, tmp_path):
    file = tmp_path / "some.jsonl"
    wanted = MatchFilter(player="player 0", result="win", game="connect_four")
    assert export_lines(store, file, wanted) == len(store.matches(wanted)) > 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert {line["game"] for line in lines} == {"connect_four"}
    assert all(line["returns"] == [1.0, -1.0] for line in lines)
    with Store(tmp_path / "other.db") as other:
        import_lines(other, read_lines(file))
        assert other.results(Selection(GAME)).names == ("player 0", "player 1")


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (1, lambda line: b"{", "a record is a line of JSON"),
        (7, lambda line: line.replace(b'"opening": 0', b'"opening": 0.5'), "opening=0.5 is of the wrong kind"),
        (12, lambda line: line.replace(b'"returns": [', b'"returns": [9.0, '), "says the match ended with"),
        (
            5,
            lambda line: line.replace(b'"moves": ["', b'"moves": ["9'),
            "move 1, '9.', cannot be played: .* is not a column",
        ),
        (6, lambda line: line.replace(b'"rows": 6', b'"rows": 3'), "cannot be played|is not over|it ends with"),
        (3, lambda line: line.replace(b'"connect_four"', b'"connect_fou"'), "did you mean 'connect_four'"),
        (2, lambda line: b"\n", "a record is a line of JSON"),
        (4, lambda line: b"\xff\xfe\n", "codec can't decode byte 0xff"),
        (
            9,
            lambda line: line.replace(b'"player 1"', b'"a\\u0000b"'),
            "are no names: one is empty or cannot be printed",
        ),
    ],
)
def test_of_a_file_with_a_wrong_line_nothing_is_read(store, tmp_path, number, change, message):
    file = tmp_path / "all.jsonl"
    export_lines(store, file)
    lines = file.read_bytes().splitlines(keepends=True)
    changed = change(lines[number - 1])
    assert changed != lines[number - 1]
    file.write_bytes(b"".join([*lines[: number - 1], changed, *lines[number:]]))
    with pytest.raises(UsageError, match=f"line {number}: .*({message}).*; nothing was written") as caught:
        read_lines(file)
    assert "\n" not in str(caught.value)
    assert main(["matches", "--import", str(file), "--store", str(tmp_path / "other.db")]) == 2
    assert not (tmp_path / "other.db").exists()


def test_files_that_cannot_be_read_or_written(store, tmp_path):
    with pytest.raises(UsageError, match=r"none.jsonl cannot be read \(No such file or directory\)"):
        read_lines(tmp_path / "none.jsonl")
    for path, why in [(tmp_path / "none" / "all.jsonl", "No such file"), (tmp_path, "Is a directory")]:
        with pytest.raises(UsageError, match=rf"{path} cannot be written \({why}"):
            export_lines(store, path)


def test_a_match_that_does_not_replay_is_not_written(store, tmp_path):
    file = tmp_path / "all.jsonl"
    file.write_text("as it was")
    run = store.open_run("tournament", "false", GAME, {}, ["ada", "bob"])
    store.add_games(run.id, [(0, record(0))])
    with pytest.raises(UsageError, match=r"match 13 cannot be written: .*; nothing was written"):
        export_lines(store, file)
    assert file.read_text() == "as it was"
    assert [path.name for path in tmp_path.glob("*.jsonl*")] == ["all.jsonl"]
