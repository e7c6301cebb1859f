"""The sequential test against the figures of fastchess, and its error rates by simulation."""

import math

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.ratings.sprt import Sprt, likeliest, with_t_value

FASTCHESS = [  # fastchess, app/tests/sprt_test.cpp: losses, draws, wins or LL, LD, DD + WL, WD, WW
    ("normalized", 0, 2, (36027, 68692, 36433), 0.92),
    ("normalized", -1.75, 0.25, (10650, 20431, 10871), 2.30),
    ("logistic", 0.5, 2.5, (21184, 40708, 21404), -1.57),
    ("logistic", 0, 2, (57030, 106593, 57433), -2.59),
    ("normalized", 0, 2, (365, 16618, 36229, 16974, 390), 2.25),
    ("normalized", -1.75, 0.25, (127, 4883, 10712, 5150, 104), 3.01),
    ("logistic", 0.5, 2.5, (223, 9863, 21279, 10037, 246), -3.07),
    ("logistic", 0, 2, (871, 26175, 55983, 26678, 821), -4.98),
    ("normalized", 0, 10, (0, 0, 4250), 120.56),  # 2.97 in its earlier versions, see arena/ratings/sprt.py
    ("normalized", 0, 5, (0, 0, 0, 0, 5550), 111.82),  # 2.94 in its earlier versions
]


@pytest.mark.full
@pytest.mark.parametrize(("model", "elo0", "elo1", "counts", "published"), FASTCHESS)
def test_log_likelihood_ratios_as_fastchess_has_them(model, elo0, elo1, counts, published):
    assert Sprt(elo0, elo1, elo_model=model).llr(counts) == pytest.approx(published, rel=0.01)


@pytest.mark.full
def test_results_that_are_all_the_same():
    t = 5 / (800 / math.log(10))
    # H1 with draws and a share p of wins: mean - 1/2 = p / 2, deviation sqrt(p) / 2, hence p = t^2; H0 is what was seen
    assert Sprt(0, 5, elo_model="normalized").llr([0, 16700, 0]) == pytest.approx(16700 * math.log(1 - t**2), rel=0.01)
    # pairs all won: the likeliest others are all lost, a half of all under H0, and under H1 p - 1/2 = t sqrt(p - p^2)
    p = 0.5 + math.sqrt(2) * t / 2
    assert Sprt(0, 5, elo_model="normalized").llr([0, 0, 0, 0, 104]) == pytest.approx(104 * math.log(2 * p), rel=0.01)


def test_bounds_are_walds():
    assert Sprt(alpha=0.05, beta=0.05).bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert Sprt(alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_likeliest_distribution_has_the_claimed_mean_or_t_value():
    observed, scores = np.array([0.1, 0.2, 0.4, 0.2, 0.1]), np.linspace(0, 1, 5)
    assert likeliest(observed, scores - 0.6) @ scores == pytest.approx(0.6)
    chances = with_t_value(observed, scores, 0.3)
    mean = chances @ scores
    assert chances.sum() == pytest.approx(1)
    assert (mean - 0.5) / math.sqrt(chances @ (scores - mean) ** 2) == pytest.approx(0.3)


def played_to_the_end(test, chances, rng):
    """The decision, and the number of results that it took, of results drawn with `chances`."""
    counts = np.zeros(len(chances))
    for number, result in enumerate(rng.choice(len(chances), 20_000, p=chances), start=1):
        counts[result] += 1
        decision, _ = test.decide(counts)
        if decision is not None:
            return decision, number
    raise AssertionError("no decision")


def pairs(elo, draws, bias):
    """Chances [5] of the sums of pairs in which each side wins an opening with a bias of its own."""

    def game(elo):
        score = 1 / (1 + 10 ** (-elo / 400))
        return np.array([1 - score - draws / 2, draws, score - draws / 2])

    return np.convolve(game(elo + bias), game(elo - bias))


@pytest.mark.full
@pytest.mark.parametrize(("model", "elo1"), [("logistic", 60), ("normalized", 60)])
def test_error_rates_stay_within_alpha_and_beta(model, elo1):
    test, rng, runs = Sprt(0, elo1, 0.1, 0.1, elo_model=model), np.random.default_rng(0), 400
    true = {"H0": pairs(0, 0.3, 100), "H1": pairs(elo1, 0.3, 100)}
    if model == "normalized":  # a tilt of the distribution that brings it to the claimed t-value
        true["H1"] = with_t_value(true["H0"], np.linspace(0, 1, 5), elo1 * math.sqrt(2) / (800 / math.log(10)))
    for truth, chances in true.items():
        wrong = sum(played_to_the_end(test, chances, rng)[0] != truth for _ in range(runs))
        assert wrong / runs < 0.1 + 2 * math.sqrt(0.1 * 0.9 / runs)


@pytest.mark.full
def test_error_rates_of_single_games():
    test, rng, runs = Sprt(-50, 50, 0.05, 0.1), np.random.default_rng(1), 400
    wrong = sum(played_to_the_end(test, (0.572, 0, 0.428), rng)[0] == "H1" for _ in range(runs))
    assert wrong / runs < 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_it_stops_sooner_where_the_difference_is_clear():
    test, rng = Sprt(0, 20), np.random.default_rng(2)
    near, far = (np.mean([played_to_the_end(test, pairs(elo, 0.3, 0), rng)[1] for _ in range(20)]) for elo in (20, 200))
    assert far < near / 3


def test_nothing_played_decides_nothing():
    assert Sprt().decide([0, 0, 0]) == (None, 0.0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"elo0": 10, "elo1": 10}, "elo0=10 is not below elo1=10"),
        ({"alpha": 0.0}, "alpha=0 is not between 0 and 0.5"),
        ({"beta": 0.5}, "beta=0.5 is not between 0 and 0.5"),
        ({"elo1": math.nan}, "elo0=0 is not below elo1=nan"),
    ],
)
def test_impossible_tests_are_refused(options, complaint):
    with pytest.raises(UsageError, match=complaint):
        Sprt(**options)


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, -1], [1, 2, 3, 4]])
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(UsageError, match="are not 3 or 5 numbers"):
        Sprt().llr(counts)
