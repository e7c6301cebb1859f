"""Glicko-2 against Glickman's published example and its own equations."""

import math

import numpy as np
import pytest

from arena.ratings.glicko2 import SCALE, Glicko2Rating, evidence, new_volatility, rate_period, slope

OPPONENTS = [Glicko2Rating(1400, 30), Glicko2Rating(1550, 100), Glicko2Rating(1700, 300)]


def test_glickmans_example():
    """Glicko.net/glicko/glicko2.pdf: a player of 1500, 200, 0.06 beats the first and loses to the others."""
    after = rate_period(Glicko2Rating(1500, 200, 0.06), OPPONENTS, [1, 0, 0], tau=0.5)
    assert (after.rating, after.deviation) == pytest.approx((1464.06, 151.52), abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=1e-5)


def test_glickmans_table_of_evidence():
    """The example's g(phi) and E: 0.9955, 0.9531, 0.7242 and 0.639, 0.432, 0.303."""
    for opponent, weight, expected in zip(OPPONENTS, (0.9955, 0.9531, 0.7242), (0.639, 0.432, 0.303), strict=True):
        precision, surplus = evidence(0.0, (opponent.rating - 1500) / SCALE, opponent.deviation / SCALE, 1.0)
        assert surplus == pytest.approx(weight * (1 - expected), abs=1e-3)
        assert precision == pytest.approx(weight**2 * expected * (1 - expected), abs=1e-3)


def test_no_games_only_widen_the_deviation():
    after = rate_period(Glicko2Rating(1600, 50, 0.06), [], [])
    assert (after.rating, after.volatility) == (1600, 0.06)
    assert after.deviation == pytest.approx(SCALE * math.hypot(50 / SCALE, 0.06))
    assert rate_period(Glicko2Rating(1600, 50, 0.06), [], [], elapsed=0.25).deviation < after.deviation


@pytest.mark.parametrize(
    ("phi", "v", "delta"), [(1.15, 1.78, -0.48), (0.3, 1.0, 3.0), (2.0, 0.1, 0.0), (0.2, 5.0, 9.0)]
)
def test_the_new_volatility_is_a_root(phi, v, delta):
    start = math.log(0.06**2)
    x = 2 * math.log(new_volatility(phi, 0.06, v, delta, 0.5))
    here = slope(x, phi, v, delta, start, 0.5)
    assert here == pytest.approx(0, abs=1e-4)
    assert slope(x - 0.01, phi, v, delta, start, 0.5) > here > slope(x + 0.01, phi, v, delta, start, 0.5)


def test_surprises_raise_the_volatility():
    same = [Glicko2Rating(1500, 30)] * 20
    steady = rate_period(Glicko2Rating(1500, 50), same, [1, 0] * 10)
    surprising = rate_period(Glicko2Rating(1500, 50), same, [1] * 20)
    assert surprising.volatility > 0.06 > steady.volatility
    assert surprising.rating > 1580
    assert np.isclose(steady.rating, 1500)
