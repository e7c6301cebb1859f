"""The table, from records written by hand."""

import math

import numpy as np
import pytest

from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.tournament.standings import standings
from arena.tournament.tally import pairwise

pytestmark = pytest.mark.full


def record(players, returns, actions=(), reason=Reason.FINISHED, offender=None):
    return MatchRecord("toy()", tuple(players), 0, (), tuple(actions), Verdict(tuple(returns), reason, offender))


BY_HAND = [
    record("ab", (1.0, -1.0), (0, 1)),
    record("ba", (-1.0, 1.0), (2, 1)),
    record("ab", (1.0, -1.0), (0, 1)),  # the first game once more
    record("ba", (0.0, 0.0), (2, 2)),
    record("ac", (-1.0, 1.0), (), Reason.ILLEGAL, 0),
    record("ca", (-1.0, 1.0), (), Reason.CRASHED, 0),
]


def test_tallies():
    table = {row.name: row for row in standings(["a", "b", "c"], BY_HAND).rows}
    a, b, c = (table[name].tally for name in "abc")
    assert (a.games.tolist(), a.points.tolist()) == ([3, 3], [2.0, 2.5])
    assert (a.wins, a.draws, a.losses, a.illegal, a.crashed, a.distinct_games) == (4, 1, 1, 1, 0, 5)
    assert (b.wins, b.draws, b.losses, b.illegal, b.crashed, b.distinct_games) == (0, 1, 3, 0, 0, 3)
    assert (c.wins, c.losses, c.illegal, c.crashed) == (1, 1, 0, 1)
    assert a.score == pytest.approx(4.5 / 6)
    assert a.score_by_seat.tolist() == pytest.approx([2 / 3, 2.5 / 3])


def test_cross_table_in_the_order_of_the_ratings():
    table = standings(["b", "c", "a"], BY_HAND)
    assert table.names == ("a", "c", "b")
    assert [row.rank for row in table.rows] == [1, 2, 3]
    assert table.counts.tolist() == [[0, 2, 4], [2, 0, 0], [4, 0, 0]]
    np.testing.assert_array_equal(table.scores, [[np.nan, 0.5, 0.875], [0.5, np.nan, np.nan], [0.125, np.nan, np.nan]])
    assert table.rows[0].superiority > 0.5
    assert table.rows[-1].superiority is None


def test_lateness_is_a_reason_of_its_own():
    games = [record("ab", (-1.0, 1.0), (), Reason.LATE, 0), record("ba", (1.0, -1.0))]
    tallies = {row.name: row.tally for row in standings(["a", "b"], games).rows}
    assert (tallies["a"].late, tallies["a"].crashed, tallies["a"].losses, tallies["b"].late) == (1, 0, 2, 0)


def test_who_share_every_result_are_told_apart_by_what_they_earn():
    games = [record("ab", (4.0, 4.0)), record("ba", (8.0, 8.0)), record("bc", (9.0, 9.0)), record("ca", (3.0, 3.0))]
    table = standings(["a", "b", "c"], games)
    assert table.by_return
    assert table.names == ("b", "c", "a")
    assert [row.elo for row in table.rows] == pytest.approx([0, 0, 0], abs=1e-6)
    assert [row.tally.mean_return for row in table.rows] == pytest.approx([7, 6, 5])
    assert table.rows[0].tally.return_error == pytest.approx(1.959964 * np.std([4, 8, 9]) / np.sqrt(3))
    assert not standings(["a", "b"], [record("ab", (1.0, -1.0)), record("ba", (0.0, 0.0))]).by_return


def test_an_anchor_stands_at_zero():
    rows = {row.name: row for row in standings(["a", "b", "c"], BY_HAND, anchor="b").rows}
    assert (rows["b"].elo, rows["b"].error) == pytest.approx((0, 0), abs=1e-4)
    assert rows["a"].elo > 0


def test_three_at_a_table_score_against_each_other():
    assert pairwise((3.0, 1.0, 1.0)).tolist() == [[0, 1, 1], [0, 0, 0.5], [0, 0.5, 0]]
    games = [record("abc", (3.0, 1.0, 1.0)), record("bca", (0.0, 1.0, 1.0))]
    games.append(MatchRecord("toy()", tuple("cab"), 0, (), (), forfeit(3, 1, Reason.CRASHED, "out of wits")))
    table = {row.name: row.tally for row in standings(["a", "b", "c"], games).rows}
    assert (table["a"].wins, table["a"].draws, table["a"].losses, table["a"].crashed) == (1, 1, 1, 1)
    assert table["a"].score == pytest.approx((1 + 0.75 + 0) / 3)
    assert table["b"].score == pytest.approx((0.25 + 0 + 0.75) / 3)


def test_a_seat_that_was_never_held_has_no_score():
    table = standings(["a", "b"], [record("ab", (1.0, -1.0))])
    assert math.isnan(table.rows[0].tally.score_by_seat[1])
