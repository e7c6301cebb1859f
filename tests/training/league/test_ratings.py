"""Members are rated by their games of evaluation, in Elo above the agent that is the anchor."""

import numpy as np
import pytest

from arena.ratings.head_to_head import elo_to_score
from arena.training.league.payoff import Payoff
from arena.training.league.ratings import rate_members


def test_ratings_are_those_that_explain_the_scores():
    payoff = Payoff()
    strength = {"random": 0.0, "a": 200.0, "b": 400.0}
    for player, opponent in (("a", "random"), ("b", "random"), ("b", "a")):
        wins = round(10_000 * elo_to_score(strength[player] - strength[opponent]))
        payoff.add(player, opponent, wins, 0, 10_000 - wins)
    found = rate_members(payoff, ["random", "a", "b", "c"], "random")
    assert found.keys() == {"random", "a", "b"}, "who has not played has no rating"
    assert found["random"] == (0.0, 0.0)
    for name in ("a", "b"):
        elo, error = found[name]
        assert elo == pytest.approx(strength[name], abs=2)
        assert 0 < error < 10


def test_more_games_make_the_band_narrower():
    bands = []
    for games in (10, 1000):
        payoff = Payoff()
        payoff.add("a", "random", games // 2, 0, games // 2)
        bands.append(rate_members(payoff, ["random", "a"], "random")["a"][1])
    assert bands[0] > 5 * bands[1]


def test_without_an_anchor_the_first_who_has_played_is_at_nought():
    payoff = Payoff()
    payoff.add("b", "a", 7, 1, 2)
    found = rate_members(payoff, ["new", "a", "b"], None)
    assert found["a"][0] == 0.0
    assert found["b"][0] > 0
    assert rate_members(Payoff(), ["a"], None) == {}
    np.testing.assert_allclose(rate_members(payoff, ["a", "b"], "nobody")["b"], found["b"])
