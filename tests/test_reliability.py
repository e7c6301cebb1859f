"""Checks of reliability find what does not hold, and count it."""

import random

import pytest
from reliable import clocks, kills, rules

pytestmark = pytest.mark.full


class Mistaken(rules._OpenSpiel):
    """A game that knows one legal action less, now and then."""

    def shown(self):
        over, seat, legal, seen = super().shown()
        return over, seat, legal - {3} if len(legal) < 7 else legal, seen


@pytest.mark.parametrize(("peer", "alike"), [(rules._OpenSpiel, True), (Mistaken, False)])
def test_a_difference_of_rules_is_counted(peer, alike):
    pytest.importorskip("pyspiel")
    check = rules.compared("connect_four", "OpenSpiel", peer("connect_four"), 200, seed=0)
    assert check.tried >= 200
    assert (check.passed == check.tried) is alike


@pytest.mark.parametrize("spec", ["tic_tac_toe", "connect_four"])
def test_games_as_pettingzoo_has_them(spec):
    check = rules.compared(spec, "PettingZoo", rules._PettingZoo(spec), 100, seed=1)
    assert check.passed == check.tried >= 100


TOURNAMENT = ("tournament", "tic_tac_toe", "random", "one-ply", "--games", "20", "--out", "results")


@pytest.mark.slow("kills it again and again")
def test_a_killed_tournament_leaves_the_same_behind():
    check = kills.killed(kills.Work("small", TOURNAMENT, TOURNAMENT, "results"), 1, random.Random(0))
    assert check.tried == check.passed > 0


@pytest.mark.slow("plays a hundred games under clocks")
def test_games_under_a_clock_are_counted_and_kept(tmp_path):
    first = clocks.clocked(2, tmp_path / "clocks.db", seed=0)
    assert (first.tried, first.passed) == (2, 2)
    assert clocks.clocked(2, tmp_path / "clocks.db", seed=0) == first, "times and all: nothing was played again"
