"""Ratings game by game: in agreement with Glicko-2 and OpenSkill, and with simulated truth at tables of any size."""

import re
import sys

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.ratings.elo import ELO
from arena.ratings.glicko2 import Glicko2Rating, rate_period
from arena.ratings.ladder import PERIOD
from arena.ratings.online import Glicko2Ratings, OpenSkillRatings


def test_games_of_two_are_glicko2():
    online = Glicko2Ratings()
    online.add(["a", "b"], [1.0, -1.0])
    online.add(["b", "a"], [0.5, 0.5])
    after_one = (
        rate_period(Glicko2Rating(), [Glicko2Rating()], [1], 1 / PERIOD),
        rate_period(Glicko2Rating(), [Glicko2Rating()], [0], 1 / PERIOD),
    )
    after_two = rate_period(after_one[0], [after_one[1]], [0.5], 1 / PERIOD)
    table = online.table()
    assert list(table) == ["a", "b"]
    assert (table["a"].rating, table["a"].deviation) == pytest.approx((after_two.rating, after_two.deviation))
    assert table["a"].games == 2


@pytest.mark.parametrize("size", [2, 3, 5])
def test_intervals_hold_the_truth_at_tables_of_any_size(size):
    rng, held = np.random.default_rng(0), []
    for _ in range(4):
        truth, online = rng.normal(1500, 250, 40), Glicko2Ratings()
        for _ in range(40 * 60 // size):
            players = rng.permutation(40)[:size]
            online.add([str(i) for i in players], -rng.exponential(np.exp(-(truth[players] - 1500) / ELO)))
        table = [online.table()[str(i)] for i in range(40)]
        held += [abs(one.rating - t) < 1.96 * one.deviation for one, t in zip(table, truth, strict=True)]
    assert np.mean(held) > 0.92


def test_openskill_is_the_librarys():
    from openskill import models

    model, online = models.PlackettLuce(), OpenSkillRatings()
    one, two, three = (model.rating() for _ in range(3))
    online.add(["a", "b", "c"], [5.0, 1.0, 1.0])
    online.add(["c", "a"], [1.0, 0.0])
    [[one], [two], [three]] = model.rate([[one], [two], [three]], ranks=[0, 1, 1])
    [[three], [one]] = model.rate([[three], [one]], ranks=[0, 1])
    table = online.table()
    for name, rating in zip("abc", (one, two, three), strict=True):
        assert (table[name].rating, table[name].deviation) == pytest.approx((rating.mu, rating.sigma))
    assert [table[name].games for name in "abc"] == [2, 1, 2]


def test_openskill_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(UsageError, match=re.escape(install_command("openskill"))):
        OpenSkillRatings()
