"""Matches of an environment that a seed does not repeat are stored with what they showed, and shown from that."""

import json
import sqlite3
from dataclasses import replace

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.match.batch import Pairing, play_matches
from arena.match.files import WrittenMatch
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.match import Match
from arena.match.shown import NOT_KEPT, ShownSteps, pack, unpack
from arena.policy.registry import make_agent, make_game
from arena.store.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from arena.tui.app import ArenaApp
from arena.tui.screens.replay import ReplayScreen
from tests.env.hosted.worlds import spec
from tests.tui.helpers import until

NAME = spec("unseeded")


@pytest.fixture
def game():
    return make_game(NAME)


def randoms(game):
    return [(f"random {seat}", make_agent("random", game)) for seat in range(3)]


@pytest.fixture
def played(game):
    """Three matches of one batch."""
    return play_matches(game, randoms(game), [Pairing((0, 1, 2), seed) for seed in range(3)], seed=1)


def boards_of(game, record, seats):
    """The boards by the rules of the environment: seat, moves so far and the last action, as parts of 3, 12 and 3."""
    lasts = [0, *record.actions]
    return tuple(
        f"{game.agents[seat]} sees\n{seat / 3:g} {moves / 12:g} {last / 3:g} 1"
        for moves, (seat, last) in enumerate(zip(seats, lasts, strict=True))
    )


def stored(record, path):
    with Store(path) as store:
        store.add_run("tournament", "one", record.game, {}, list(record.players), [(0, record)])
    return ["--store", str(path)]


def test_a_match_keeps_the_boards_and_seats_it_had(game):
    match = Match(game, randoms(game), 4)
    seats = [match.seat]
    while not match.over:
        match.advance()
        seats.append(match.seat)
    steps = unpack(match.record().shown)
    assert steps.seats == tuple(seats)
    assert steps.boards == boards_of(game, match.record(), seats)
    assert steps.moves == tuple(map(str, match.actions))


def test_so_do_those_of_a_batch(game, played):
    for record in played:
        steps = unpack(record.shown)
        assert steps.boards == boards_of(game, record, steps.seats)
    assert len({unpack(record.shown).seats for record in played}) == 3


def test_games_that_repeat_keep_nothing():
    game = make_game("tic_tac_toe")
    players = [(name, make_agent("random", game)) for name in ("a", "b")]
    assert Match(game, players).play_out().shown is None
    assert play_matches(game, players, [Pairing((0, 1))])[0].shown is None


def test_a_line_of_json_brings_back_the_same_match(game, played):
    line = to_json_line(game, played[0])
    assert from_json_line(line)[1] == played[0]
    content = json.loads(line)
    for change, told in (
        ({"boards": content["shown"]["boards"][1:]}, "not that of a match of 12 moves"),
        ({"seats": [3] * 13}, "not that of a match of 12 moves and 3 seats"),
        ({"actions": [5] * 12}, "not all actions of the game"),
    ):
        with pytest.raises(UsageError, match=told):
            from_json_line(json.dumps(content | {"shown": content["shown"] | change}))
    del content["shown"]
    with pytest.raises(UsageError, match="does not have what was shown"):
        from_json_line(json.dumps(content))


def test_commands_show_export_and_read_what_was_stored(played, tmp_path, capsys):
    record, lines = played[0], tmp_path / "games.jsonl"
    store = stored(record, tmp_path / "games.sqlite")
    assert main(["matches", *store]) == 0
    assert "random 1" in capsys.readouterr().out
    assert main(["match", "1", *store]) == 0
    out = capsys.readouterr().out
    assert unpack(record.shown).boards[-1] in out
    assert " ".join(map(str, record.actions)) in out
    assert "As it was stored" in out
    assert main(["replay", "1", *store, "--out", str(lines)]) == 0
    assert from_json_line(lines.read_text())[1] == record
    assert main(["replay", "1", *store, "--out", str(tmp_path / "game.png")]) == 0
    assert main(["matches", *store, "--export", str(tmp_path / "all.jsonl")]) == 0
    assert (tmp_path / "all.jsonl").read_text() == lines.read_text()
    capsys.readouterr()
    assert main(["replay", "1", *store, "--agent", "random"]) == 2
    assert "shown as it was stored" in capsys.readouterr().err


@pytest.mark.full
async def test_a_screen_shows_what_was_seen(game, played):
    record = played[1]
    steps = unpack(record.shown)
    app = ArenaApp(ReplayScreen(WrittenMatch.of(record, game)))
    async with app.run_test(size=(100, 30)) as pilot:
        screen = app.screen
        await until(pilot, lambda: len(screen.match.positions) == 13)
        for number in range(13):
            assert screen.picture.text() == steps.boards[number]
            assert screen.position.seat == steps.seats[number]
            await pilot.press("right")
        assert screen.position.verdict == record.verdict
        await pilot.press("home", "a")
        assert app.screen is screen  # nobody is asked for an agent


@pytest.mark.full
def test_a_tournament_of_two_workers_stores_it(game, tmp_path):
    with Store(tmp_path / "games.sqlite") as store:
        players = dict.fromkeys(("a", "b", "c"), "random")
        run_tournament(game, players, TournamentConfig(games=6), workers=2, store=store)
        records = [record for _, record in store.played(1)]
    assert records
    for record in records:
        steps = unpack(record.shown)
        assert steps.boards == boards_of(game, record, steps.seats)


def test_a_store_without_the_column_gets_it(played, tmp_path):
    path = tmp_path / "old.sqlite"
    stored(replace(played[0], shown=None), path)
    with sqlite3.connect(path) as connection:
        for column in ("shown", "transcripts", "start"):  # of versions 6 to 8
            connection.execute(f"ALTER TABLE matches DROP COLUMN {column}")
        connection.execute("UPDATE arena_schema SET version = 5")
    with Store(path) as store:
        run = store.open_run("tournament", "next", played[1].game, {}, list(played[1].players))
        store.add_games(run.id, [(0, played[1])])
        assert store.match(1).record.shown is None
        assert store.match(2).record == played[1]


@pytest.mark.parametrize("damage", [b"junk", pack(ShownSteps(("x",), (0,), ()))[:-3]])
def test_what_cannot_be_read_is_refused(damage, played, tmp_path, capsys):
    with pytest.raises(UsageError, match="cannot be read"):
        unpack(damage)
    assert main(["match", "1", *stored(replace(played[0], shown=damage), tmp_path / "games.sqlite")]) == 1
    assert "what it showed cannot be read" in capsys.readouterr().err


def test_what_is_shown_is_escaped():
    assert unpack(pack(ShownSteps(("a\x1b[2J\nb",), (0,), ()))).boards == ("a\\x1b[2J\nb",)


def test_of_too_much_text_the_beginning_is_kept(game, monkeypatch):
    monkeypatch.setattr("arena.match.shown.MOST_CHARACTERS", 30)
    steps = unpack(Match(game, randoms(game), 0).play_out().shown)
    assert steps.boards[0]
    assert set(steps.boards[3:]) == {""}
    assert steps.board(5) == NOT_KEPT
