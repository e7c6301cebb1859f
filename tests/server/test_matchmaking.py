"""What a game is worth to a table, and what ratings expect of it."""

import pytest

from arena.ratings.glicko2 import Glicko2Rating
from arena.server.matchmaking import expected_score, score


@pytest.mark.parametrize(
    ("returns", "points"),
    [([1.0, -1.0], 1.0), ([-1.0, 1.0], 0.0), ([0.0, 0.0], 0.5), ([0.0, 1.0, -1.0], 0.5), ([-0.5, 1.0, -0.5], 0.25)],
)
def test_the_first_place_scores_against_each_of_the_others(returns, points):
    assert score(returns) == points


def certain(rating):
    return Glicko2Rating(rating, 1e-9, 0.06)


def test_expectations_are_those_of_elo_where_ratings_are_certain():
    assert expected_score([certain(1900), certain(1500)]) == pytest.approx(10 / 11, abs=1e-4)
    assert expected_score([certain(1500), certain(1500), certain(1900)]) == pytest.approx(
        (1 / 2 + 1 / 11) / 2, abs=1e-4
    )


def test_uncertain_ratings_expect_less():
    """Glickman's example ("Example of the Glicko-2 system", 2012): E is 0.303 against 1700 with a deviation of 300."""
    own, other = certain(1500), Glicko2Rating(1700, 300, 0.06)
    assert expected_score([own, other]) == pytest.approx(0.303, abs=5e-4)
    assert expected_score([own, other]) + expected_score([other, own]) == pytest.approx(1)
