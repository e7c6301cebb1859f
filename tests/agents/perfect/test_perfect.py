"""The `perfect` agent in matches."""

import numpy as np
import pytest

import games
from arena.base.errors import UnknownNameError, UsageError
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.policy.clock import ClockReading
from arena.policy.registry import make_agent

pytestmark = pytest.mark.full


def returns(game, opponent, pairings, seed=0):
    """Return the results of `perfect`, as player 0, in each of the matches."""
    players = [("perfect", make_agent("perfect", game)), (opponent, make_agent(opponent, game))]
    records = play_matches(game, players, pairings, seed)
    return [record.verdict.returns[pairing.seating.index(0)] for record, pairing in zip(records, pairings, strict=True)]


def test_it_never_loses_tic_tac_toe():
    game = games.make("tic_tac_toe")
    results = returns(game, "random", [Pairing((i % 2, 1 - i % 2)) for i in range(200)])
    assert min(results) == 0
    assert np.mean(results) > 0.8
    assert set(returns(game, "perfect", [Pairing((0, 1))] * 20)) == {0.0}


def test_it_wins_connect_four_where_it_can():
    game = games.make("connect_four")
    opening = (3, 3, 3, 3, 3, 1, 2, 2, 2, 2)
    first, second = returns(game, "one-ply", [Pairing((0, 1), opening=opening), Pairing((1, 0), opening=(*opening, 0))])
    assert (first, second) == (1.0, 1.0)


def test_it_tells_its_chances_and_the_result():
    game = games.make("connect_four")
    match = Match(game, [("perfect", make_agent("perfect", game)), ("other", None)], opening=(2, 2, 3, 3))
    answer = match.advance()
    assert answer.value == 1.0
    assert answer.probs is not None
    assert np.flatnonzero(answer.probs).tolist() == [1, 4]  # three that are open on both sides


@pytest.mark.parametrize(("opening", "solved"), [((3, 3), True), ((0, 6), False), ((0, 1, 2, 3, 4, 5, 6, 0, 1), True)])
def test_with_a_clock_it_solves_what_it_knows_or_finds_at_once(opening, solved):
    game = games.make("connect_four")
    match = Match(game, [(name, None) for name in "ab"], opening=opening)
    answer = match.consult(make_agent("perfect", game), ClockReading(seconds_left=1.0))  # 0, 6: minutes of search
    assert (answer.value is not None) == solved


def test_small_poker_is_played_by_an_equilibrium():
    game = games.make("kuhn_poker")
    results = returns(game, "random", [Pairing((i % 2, 1 - i % 2), seed=i) for i in range(400)])
    assert np.mean(results) > 0.1


def test_before_the_endgame_of_othello_it_tells_chances_and_no_result():
    game = games.make("othello", size=6)
    match = Match(game, [("perfect", make_agent("perfect", game))] * 2)
    first = match.advance()
    assert first.value is None
    assert first.probs is not None
    while not match.over:
        last = match.advance()
    assert last.value == match.returns[match.seat]


def test_the_seed_decides_among_equals():
    game = games.make("tic_tac_toe")

    def lines(seed):
        players = [("perfect", make_agent("perfect", game))]
        return [record.actions for record in play_matches(game, players, [Pairing((0, 0))] * 5, seed)]

    assert lines(1) == lines(1) != lines(2)


def test_what_cannot_be_solved_is_refused_by_name():
    with pytest.raises(UsageError, match="perfect cannot solve chess; it plays connect_four, kalah, othello, pig, tic"):
        make_agent("perfect", games.make("chess"))
    with pytest.raises(UsageError, match="'perfect' takes no argument, not '4'"):
        make_agent("perfect:4", games.make("tic_tac_toe"))
    with pytest.raises(UnknownNameError, match="did you mean 'perfect'"):
        make_agent("perfetc", games.make("tic_tac_toe"))
