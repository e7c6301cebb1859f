"""Match records as lines of JSON."""

import dataclasses
import json

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.match.json_lines import from_json_line, to_json_line
from arena.policy.random import RandomPolicy
from arena.policy.registry import GAMES, make_game
from tests.match.players import Bad, Lowest


def record_of(spec: str, seed: int = 3, opening=()):
    game = make_game(spec)
    players = [(f"player {seat}", RandomPolicy(seed=seat)) for seat in range(game.num_players)]
    return game, play_matches(game, players, [Pairing(tuple(range(game.num_players)), seed, opening)])[0]


@pytest.mark.full
@pytest.mark.parametrize(
    "spec", [*(name for name in GAMES.names() if name != "go"), "go:size=5", "kuhn_poker:players=3"]
)
def test_a_match_reads_back(spec):
    game, record = record_of(spec)
    line = to_json_line(game, record)
    assert "\n" not in line
    again, read = from_json_line(line)
    assert again.label == game.label
    assert read == record


def test_openings_and_matches_that_were_lost_by_a_fault():
    game, record = record_of("tic_tac_toe", opening=(4, 0))
    assert from_json_line(to_json_line(game, record))[1].opening == (4, 0)
    for fault in ("illegal", "raises"):
        lost = play_matches(game, [("low", Lowest()), (fault, Bad(fault))], [Pairing((0, 1))])[0]
        assert from_json_line(to_json_line(game, lost))[1] == lost


def test_times_are_told_where_they_were_measured():
    game, record = record_of("connect_four")
    assert "move_ms" not in json.loads(to_json_line(game, record))
    times = tuple(range(70_000, 70_000 + len(record.actions)))
    timed = dataclasses.replace(record, move_ms=times)
    assert timed == record
    line = to_json_line(game, timed)
    assert from_json_line(line)[1].move_ms == times
    assert to_json_line(*from_json_line(line)) == line


def changed(**entries) -> str:
    game, record = record_of("connect_four")
    return json.dumps(json.loads(to_json_line(game, record)) | entries)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this one cannot be read"),
        ("[]", "an object with the keys game, options, players"),
        (lambda: changed(moves=["8"], opening=0), "move 1, '8', cannot be played: '8' is not a column"),
        (lambda: changed(moves=["1"] * 7), "move 7, '1', cannot be played: connect_four: action 0 is illegal"),
        (lambda: changed(moves=[4]), r"moves=\[4\] is of the wrong kind"),
        (lambda: changed(moves=["1"], opening=0), "but it is not over"),
        (lambda: changed(returns=[0.5, -0.5]), r"but it ends with"),
        (lambda: changed(players=["alone"]), "connect_four has 2 seats, not 1"),
        (lambda: changed(move_ms=[1]), "move_ms are not as many whole numbers from 0 as it has moves, or one more"),
        (lambda: changed(moves=["1"], opening=0, move_ms=[-1]), "move_ms are not as many whole numbers from 0"),
        (lambda: changed(moves=["1"], opening=0, move_ms=[2**32]), "move_ms are not as many whole numbers from 0"),
        (lambda: changed(moves=["1"], opening=0, move_ms=[0.5]), r"move_ms=\[0.5\] is of the wrong kind"),
        (lambda: changed(move_ms=None), "move_ms=None is of the wrong kind"),
        (lambda: changed(game="conect_four"), "did you mean 'connect_four'"),
        (lambda: changed(options={"rows": 0}), "rows=0 is not between 1 and 20"),
        (
            lambda: changed(reason="bored"),
            "'bored' is none of finished, agreed, adjudicated, illegal, crashed, late, resigned",
        ),
        (lambda: changed(seed="x"), "seed='x' is of the wrong kind"),
        (lambda: changed(seed=True), "seed=True is of the wrong kind"),
        (lambda: changed(seed=-1), r"seed=-1 is not between 0 and 2\*\*63 - 1"),
        (lambda: changed(seed=2**63), "is not between"),
        (lambda: changed(opening=-1), "opening=-1 is no number of its"),
        (lambda: changed(opening=99), "opening=99 is no number of its"),
        (lambda: changed(players=[1, 2]), r"players=\[1, 2\] is of the wrong kind"),
        (lambda: changed(returns=[1.0, float("nan")]), "returns=.* is of the wrong kind"),
        (lambda: changed(options={"name": "go"}), "'name' is no option of a game"),
        (lambda: changed(options={"rows": [6]}), r"option rows=\[6\] is not a whole number"),
        (lambda: changed(game="connect_four", options={"layers": 6}), "unknown option of connect_four 'layers'"),
        (lambda: changed(reason="crashed", offender=0), "seat 0 lost as crashed, but the game was over by then"),
        (
            lambda: changed(reason="late", offender=1, moves=[], opening=0),
            "1 lost as late, but seat 0 was to move",
        ),
        (lambda: changed(reason="late", offender=None, moves=[], opening=0), "ended as late, by seat None of 2"),
        (lambda: changed(reason="resigned", offender=2, moves=[], opening=0), "ended as resigned, by seat 2 of 2"),
        (
            lambda: changed(reason="crashed", offender=0, moves=[], opening=0, returns=[1.0, -1.0]),
            r"the seats earned \[1.0, -1.0\], but a loss by crashed is \[-1.0, 1.0\]",
        ),
        ("[" * 100_000, "this one cannot be read"),
    ],
)
def test_what_does_not_parse_or_replay_is_refused(line, message):
    with pytest.raises(UsageError, match=message):
        from_json_line(line if isinstance(line, str) else line())


def test_chance_is_in_the_seed():
    one, other = (record_of("backgammon", seed)[1].actions for seed in (1, 2))
    assert not np.array_equal(one, other)
