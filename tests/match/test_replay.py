"""Recorded matches played again: every game's records hold, and none that was changed does."""

import dataclasses

import pytest

from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.replay import game_labelled, replay
from arena.match.verdict import Reason, Verdict, agreed, forfeit
from arena.policy.random import RandomPolicy
from arena.policy.registry import GAMES, make_game
from tests.match.players import Bad, Lowest

SPECS = [
    *(name for name in GAMES.names() if name != "go"),
    "go:size=5,komi=0.5,ko=simple",
    "kuhn_poker:players=3",
    "matrix_game:payoffs=3 0;5 1|3 5;0 1,rounds=3",
    "goofspiel:imp_info=true,points_order=descending",
]


def record_of(spec: str, seed: int = 3, opening=()):
    game = make_game(spec)
    players = [(f"player {seat}", RandomPolicy(seed=seat)) for seat in range(game.num_players)]
    return game, play_matches(game, players, [Pairing(tuple(range(game.num_players)), seed, opening)])[0]


@pytest.mark.full
@pytest.mark.parametrize("spec", SPECS)
def test_a_label_and_a_record_are_enough_to_play_a_match_again(spec):
    game, record = record_of(spec)
    assert game_labelled(record.game).label == game.label
    again = replay(record)
    assert again.match.over
    assert again.match.record() == record
    assert len(again.moves) == len(record.actions)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (
            "connect_four(rows=6, columns=7)",
            r"'connect_four\(rows=6, columns=7\)' is not the label of a game; the current one",
        ),
        ("connect_four", "'connect_four' is not the label of a game"),
        ("connect_for(rows=6)", "unknown game 'connect_for'; did you mean 'connect_four'"),
        ("connect_four(rows=6, columns=7, k=4, depth=2)", "unknown option of connect_four 'depth'"),
        ("", "unknown game ''"),
    ],
)
def test_a_label_of_no_game(label, message):
    with pytest.raises(UsageError, match=message):
        game_labelled(label)


@pytest.mark.parametrize("fault", ["illegal", "raises"])
def test_matches_that_were_lost_by_a_fault(fault):
    game = make_game("tic_tac_toe")
    lost = play_matches(game, [("low", Lowest()), (fault, Bad(fault, trigger=3))], [Pairing((0, 1))])[0]
    assert lost.verdict.reason in (Reason.ILLEGAL, Reason.CRASHED)
    assert replay(lost).match.record() == lost


def test_a_draw_may_be_agreed():
    record = dataclasses.replace(record_of("connect_four")[1], actions=(3, 3), verdict=agreed(2))
    assert replay(record).match.verdict == Verdict((0.0, 0.0), Reason.AGREED)


def test_anybody_may_resign():
    match = Match(make_game("tic_tac_toe"), [("a", None), ("b", None)], opening=(4,))
    match.resign(0)
    assert match.seat == 1
    assert replay(match.record()).match.record() == match.record()


def changed(**entries):
    return dataclasses.replace(record_of("connect_four")[1], **entries)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: changed(actions=(0,) * 7), "move 7 cannot be played: connect_four: action 0 is illegal"),
        (lambda: changed(actions=(0, 7)), "move 2 cannot be played: connect_four: action 7 is illegal"),
        (lambda: changed(actions=(0, 1)), "but it is not over"),
        (lambda: changed(actions=(*changed().actions, 0)), "cannot be played: the match is over"),
        (
            lambda: changed(verdict=Verdict((0.5, -0.5))),
            r"it says the match ended with \[0.5, -0.5\], but it ends with",
        ),
        (lambda: changed(verdict=forfeit(2, 0, Reason.LATE)), "lost as late, but the game was over by then"),
        (
            lambda: changed(actions=(), verdict=forfeit(2, 1, Reason.LATE)),
            "1 lost as late, but seat 0 was to move",
        ),
        (lambda: changed(verdict=agreed(2)), "a draw was agreed, but the game was over by then"),
        (
            lambda: changed(actions=(3,), verdict=Verdict((1.0, -1.0), Reason.AGREED)),
            r"a draw was agreed, but the seats earned \[1.0, -1.0\]",
        ),
        (lambda: changed(players=("alone",)), "connect_four has 2 seats, not 1"),
    ],
)
def test_a_record_that_cannot_be(change, message):
    with pytest.raises(UsageError, match=message):
        replay(change())


def test_chance_is_in_the_seed():
    _, record = record_of("backgammon")
    with pytest.raises(UsageError):
        replay(dataclasses.replace(record, seed=record.seed + 1))
