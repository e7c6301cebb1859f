"""Many matches in lockstep: the same records as one at a time, and faults that stay where they happen."""

from itertools import product

import numpy as np
import pytest

import games
from arena.base.errors import IllegalActionError, UsageError
from arena.match.batch import Pairing, play_matches, random_openings
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents import pile
from tests.match.players import Bad, Counter, Highest, Lowest, Unfit

pytestmark = pytest.mark.full

CONNECT_FOUR = games.make("connect_four")
TIC_TAC_TOE = games.make("tic_tac_toe")


def one_at_a_time(game, players, pairing):
    match = Match(game, [players[player] for player in pairing.seating], pairing.seed, pairing.opening)
    while not match.over:
        match.advance()
    return match.record()


def players(*faults):
    good = [("low", Lowest()), ("high", Highest()), ("counter", Counter())]
    return good + [(fault, Bad(fault)) for fault in faults]


@pytest.mark.parametrize("game", [CONNECT_FOUR, TIC_TAC_TOE, pile.game()], ids=lambda game: game.name)
def test_records_are_those_of_single_matches(game):
    seated = [*players("raises", "shape", "illegal", "beyond", "probs"), ("unfit", Unfit())]
    openings = [(), *random_openings(game, 1, 2, seed=0), *random_openings(game, 2, 2, seed=0)]
    numbers = range(len(seated))
    pairings = [
        Pairing(seating, seed=i, opening=opening)
        for i, (seating, opening) in enumerate(product(product(numbers, numbers), openings))
    ]
    records = play_matches(game, seated, pairings)
    assert records == [one_at_a_time(game, seated, pairing) for pairing in pairings]
    assert {record.verdict.reason for record in records} == {Reason.FINISHED, Reason.ILLEGAL, Reason.CRASHED}


@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        ("raises", Reason.CRASHED, "RuntimeError: out of"),
        ("shape", Reason.CRASHED, "TypeError: act is int64 of shape (2,), not whole numbers of shape (1,)"),
        ("probs", Reason.CRASHED, "TypeError: probs is of shape (3,), not (1, 7)"),
        ("illegal", Reason.ILLEGAL, "action -1"),
        ("beyond", Reason.ILLEGAL, "action 99"),
    ],
)
def test_a_fault_loses_the_game_where_it_happens_and_stops_no_other(fault, reason, detail):
    full_column = (0, 0, 0, 0, 0, 0)  # here the lowest legal action is 1, and nothing is wrong
    pairings = [Pairing((1, 0)), Pairing((1, 0), opening=full_column), Pairing((0, 1))]
    faulty, sound, second = play_matches(CONNECT_FOUR, [("high", Highest()), ("bad", Bad(fault))], pairings)
    assert (faulty.verdict.reason, faulty.verdict.offender, faulty.verdict.detail) == (reason, 0, detail)
    assert (faulty.verdict.returns, faulty.actions) == ((-1.0, 1.0), ())
    assert (second.verdict.returns, second.actions) == ((1.0, -1.0), (6,))
    assert sound.verdict.reason is Reason.FINISHED


def test_a_policy_that_cannot_be_reset_loses_when_it_is_to_move():
    record = play_matches(TIC_TAC_TOE, [("low", Lowest()), ("unfit", Unfit())], [Pairing((0, 1))])[0]
    assert (record.actions, record.verdict.detail) == ((0,), "OSError: no engine")
    assert record.verdict.returns == (1.0, -1.0)


def test_every_game_has_a_hidden_state_of_its_own():
    pairings = [Pairing((0, 1)), Pairing((1, 0)), Pairing((0, 0)), Pairing((0, 1), opening=(6, 6, 5))]
    low, other, both, opened = play_matches(CONNECT_FOUR, players()[::-2], pairings)
    assert low.actions == (0, 0, 1, 0, 2, 0, 3)
    assert other.actions == (0, 0, 0, 1, 0, 2, 0, 3, 0)
    assert both.actions[:6] == (0, 0, 1, 1, 2, 2)
    assert opened.actions[:9] == (6, 6, 5, 0, 0, 0, 1, 0, 2)


def test_the_seed_decides_and_policies_draw_from_streams_of_their_own():
    seated = [("a", make_agent("random", CONNECT_FOUR)), ("b", make_agent("random", CONNECT_FOUR))]
    pairings = [Pairing((0, 1))] * 50

    def lines(seed):
        return [record.actions for record in play_matches(CONNECT_FOUR, seated, pairings, seed)]

    assert lines(1) == lines(1) != lines(2)
    assert sum(line[0] == line[1] for line in lines(1)) < 25


def test_an_opening_may_end_the_game():
    record = play_matches(TIC_TAC_TOE, players(), [Pairing((0, 1), opening=(0, 1, 3, 4, 6))])[0]
    assert (record.verdict.returns, record.actions) == ((1.0, -1.0), (0, 1, 3, 4, 6))
    assert play_matches(TIC_TAC_TOE, players(), []) == []


@pytest.mark.parametrize("seating", [(0,), (0, 1, 1), (0, 3), (-1, 0)])
def test_a_seating_that_does_not_fit_is_refused(seating):
    with pytest.raises(UsageError, match="does not name 2 of the players 0 to 2"):
        play_matches(TIC_TAC_TOE, players(), [Pairing((0, 1)), Pairing(seating)])


class Peeping(Lowest):
    """Asks for positions, and notes the card that the other seat seems to hold."""

    needs_state = True

    def __init__(self):
        self.seen = []

    def forward(self, batch, state=None):
        self.seen += batch.obs.state["cards"][np.arange(len(batch)), 1 - batch.obs.agent_id].tolist()
        return super().forward(batch, state)


def test_who_searches_a_game_that_hides_something_is_shown_a_guess():
    peeping = Peeping()
    pairings = [Pairing((0, 1), seed=i) for i in range(40)]
    play_matches(games.make("kuhn_poker"), [("low", Lowest()), ("peeping", peeping)], pairings)
    own = {0, 1, 2} - set(peeping.seen)
    assert len(peeping.seen) == 40
    assert not own, "over forty deals every card may be the other's"


def test_guesses_do_not_touch_the_game():
    """The same games whether or not somebody imagines them."""
    played = [
        play_matches(games.make("kuhn_poker"), [("low", Lowest()), ("other", other)], [Pairing((0, 1), seed=3)] * 5)
        for other in (Lowest(), Peeping())
    ]
    assert [record.verdict.returns for record in played[0]] == [record.verdict.returns for record in played[1]]


def test_an_illegal_opening_is_refused():
    with pytest.raises(IllegalActionError, match="environment 1: action 0 is illegal"):
        play_matches(TIC_TAC_TOE, players(), [Pairing((0, 1)), Pairing((0, 1), opening=(0, 0))])


def test_openings_differ_as_long_as_they_can():
    openings = random_openings(CONNECT_FOUR, 2, 49, seed=0)
    assert sorted(openings) == [(a, b) for a in range(7) for b in range(7)]
    again = random_openings(CONNECT_FOUR, 2, 98, seed=0)
    assert sorted(again) == sorted(openings * 2)
    assert random_openings(CONNECT_FOUR, 6, 10, seed=1) == random_openings(CONNECT_FOUR, 6, 10, seed=1)
    assert random_openings(CONNECT_FOUR, 0, 3, seed=0) == [(), (), ()]


def test_more_openings_begin_with_the_fewer():
    many = random_openings(CONNECT_FOUR, 6, 1000, seed=3)
    assert len(set(many)) == 1000
    for count in (1, 128, 129, 500):
        assert random_openings(CONNECT_FOUR, 6, count, seed=3) == many[:count]


def test_openings_leave_the_game_unfinished():
    for opening in random_openings(TIC_TAC_TOE, 7, 100, seed=0):
        assert not Match(TIC_TAC_TOE, players()[:2], opening=opening).over


def test_openings_longer_than_the_game_are_refused():
    with pytest.raises(UsageError, match="no game is still open after 9 random moves"):
        random_openings(TIC_TAC_TOE, 9, 10, seed=0)
    assert len(random_openings(TIC_TAC_TOE, 8, np.int64(4), seed=0)) == 4
