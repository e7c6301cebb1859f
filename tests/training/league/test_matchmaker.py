"""The published rules, each against its formula."""

import numpy as np
import pytest

from arena.training.league.matchmaker import by_rating, draw, not_forgotten, pfsp, uniform, window

SCORES = np.array([0.9, 0.5, 0.2, 1.0])


@pytest.mark.parametrize(
    ("weighting", "weights"),
    [
        ("squared", [0.01, 0.25, 0.64, 0.0]),
        ("variance", [0.09, 0.25, 0.16, 0.0]),
        ("linear", [0.1, 0.5, 0.8, 0.0]),
        ("capped", [0.1, 0.5, 0.5, 0.0]),
    ],
)
def test_pfsp_is_in_proportion_to_its_weights(weighting, weights):
    np.testing.assert_allclose(pfsp(SCORES, weighting), np.array(weights) / sum(weights))


@pytest.mark.parametrize("weighting", ["squared", "variance", "linear", "capped"])
def test_pfsp_takes_all_alike_where_nobody_is_preferred(weighting):
    np.testing.assert_allclose(pfsp(np.ones(4), weighting), [0.25] * 4)
    assert pfsp(np.zeros(0), weighting).shape == (0,)


def test_windows_hold_the_newest():
    np.testing.assert_allclose(window(5, 2), [0, 0, 0, 0.5, 0.5])
    np.testing.assert_allclose(window(2, 10), uniform(2))
    assert window(0, 3).shape == (0,)


def test_by_rating_prefers_those_of_equal_strength():
    shares = by_rating(1000.0, np.array([1000.0, 1400.0, 600.0]))
    x = 1 / 11  # what 400 points are worth
    np.testing.assert_allclose(shares, np.array([0.25, x * (1 - x), x * (1 - x)]) / (0.25 + 2 * x * (1 - x)))


@pytest.mark.parametrize(
    ("scores", "left_out"),
    [
        ([0.9, 0.8, 0.6], 3),  # as it should be: the older, the easier
        ([0.4, 0.8, 0.6], 1),  # the first has been forgotten
        ([0.9, 0.5, 0.7, 0.6, 0.5], 2),
        ([0.5, 0.9], 0),
        ([0.9, 0.7, 0.7], 3),  # one that is as easy has not been forgotten
        ([0.1], 1),
        ([], 0),
    ],
)
def test_what_is_forgotten_is_out_of_order(scores, left_out):
    assert not_forgotten(np.array(scores)) == left_out


def test_everybody_is_drawn_where_there_is_place():
    chosen, parts = draw(np.array([0.1, 0.0, 0.9]), 2, np.random.default_rng(0))
    assert chosen.tolist() == [0, 2]
    np.testing.assert_allclose(parts, [0.1, 0.9])
    chosen, parts = draw(np.zeros(3), 2, np.random.default_rng(0))
    assert len(chosen) == len(parts) == 0


@pytest.mark.parametrize("shares", [[0.2] * 5, [0.5, 0.3, 0.1, 0.06, 0.04], [0.9, 0.05, 0.05, 0, 0]])
@pytest.mark.parametrize("places", [1, 2, 4])
def test_drawn_shares_are_those_asked_for_on_average(shares, places):
    rng, tries = np.random.default_rng(0), 4000
    total = np.zeros(len(shares))
    for _ in range(tries):
        chosen, parts = draw(np.array(shares), places, rng)
        assert len(set(chosen.tolist())) == len(chosen) <= places
        assert parts.sum() == pytest.approx(1)
        total[chosen] += parts
    np.testing.assert_allclose(total / tries, shares, atol=6 * 0.5 / np.sqrt(tries))


def test_systematic_draws_miss_a_share_by_less_than_a_place():
    shares = np.array([0.41, 0.23, 0.17, 0.1, 0.05, 0.04])
    for seed in range(100):
        chosen, parts = draw(shares, 4, np.random.default_rng(seed))
        got = np.zeros(6)
        got[chosen] = parts
        assert (np.abs(got - shares) < 0.25).all()
