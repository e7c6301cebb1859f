"""Estimates of two players against the figures of fastchess."""

import math

import pytest

from arena.ratings.head_to_head import compare, elo_to_score, score_to_elo

FASTCHESS = [  # fastchess, app/tests/elo_test.cpp: losses, draws, wins or LL, LD, DD + WL, WD, WW
    ((89, 123, 76), None, None, -20.76, 40.13, 0.1553),
    ((96, 111, 136), 40.70, 30.43, 49.77, 36.77, 0.9960),
    ((356, 0, 34), None, None, -508.44, 34.48, None),
    ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 28.28, 1.0000),
    ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 10.96, 0.0505),
    ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, -19.01, 2.65, None),
]


@pytest.mark.parametrize(("counts", "elo", "error", "normalised", "normalised_error", "superiority"), FASTCHESS)
def test_estimates_as_fastchess_has_them(counts, elo, error, normalised, normalised_error, superiority):
    found = compare(counts)
    assert (found.normalised_elo, found.normalised_error) == pytest.approx((normalised, normalised_error), abs=0.006)
    if elo is not None:
        assert (found.elo, found.error) == pytest.approx((elo, error), abs=0.006)
    if superiority is not None:
        assert found.superiority == pytest.approx(superiority, abs=6e-5)


def test_scores_and_elo_are_each_others_inverse():
    assert score_to_elo(elo_to_score(123.0)) == pytest.approx(123)
    assert (score_to_elo(0.0), score_to_elo(1.0)) == pytest.approx((-2400, 2400), abs=0.01)


@pytest.mark.parametrize(
    ("counts", "superiority", "far"),
    [((0, 0, 9), 1, math.inf), ((0, 9, 0), 0.5, 0), ((9, 0, 0, 0, 0), 0, -math.inf), ((0, 0, 0), 0.5, 0)],
)
def test_results_that_are_all_the_same_or_none(counts, superiority, far):
    found = compare(counts)
    assert (found.superiority, found.error, found.normalised_elo) == (superiority, 0.0, far)
    assert math.isfinite(found.elo)
