"""Elo by maximum likelihood against textbooks, closed forms, differences, and simulated truth."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from arena.ratings.elo import ELO, Likelihood, outcome, rate, superiority
from arena.ratings.games import GameResults, count_games, cross_table
from arena.ratings.head_to_head import elo_to_score

FAINT = 1e-9
"""A prior too weak to be seen."""
WON, LOST, DRAWN = (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)

# A. Agresti, "Categorical Data Analysis", 2nd edition, 2002, section 10.6: the American League of 1987. A row is the
# home team's, a column the guest's; wins of the home team and of the guest.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = """
--- 4-3 4-2 4-3 6-1 4-2 6-0
3-3 --- 4-2 4-3 6-0 6-1 4-3
2-5 4-3 --- 2-4 4-3 4-2 6-0
3-3 5-1 2-5 --- 4-3 4-2 6-1
5-1 2-5 3-3 4-2 --- 5-2 6-0
2-5 3-3 3-4 4-3 4-2 --- 2-4
2-5 1-5 1-6 2-4 1-6 3-4 ---
"""

# R. R. Davidson, JASA 65, 1970, example 2: six brands of pudding. Brands, preferred the first, the second, none.
PUDDINGS = """
1 2 19 22 16   1 3 16 19 12   2 3 19 19 10   1 4 18 23 13   2 4 23 19 9
3 4 19 20 15   1 5 13 19 18   2 5 16 20 12   3 5 16 15 17   4 5 17 14 16
1 6 18 21 12   2 6 22 20 12   3 6 13 18 10   4 6 14 19 18   5 6 11 21 12
"""


def baseball():
    results = Counter()
    for home, row in enumerate(BASEBALL.split("\n")[1:-1]):
        for guest, result in enumerate(row.split()):
            if home != guest:
                won, lost = map(int, result.split("-"))
                results[(home, guest), WON], results[(home, guest), LOST] = won, lost
    return count_games(results, 7)


def puddings():
    results, figures = Counter(), iter(map(int, PUDDINGS.split()))
    for first, second, won, lost, drawn in zip(*[figures] * 5, strict=True):
        pair = (first - 1, second - 1)
        results[pair, WON], results[pair, LOST], results[pair, DRAWN] = won, lost, drawn
    return count_games(results, 6)


def test_equals_as_openspiel_has_them():
    """The Meeple Pentathlon of OpenSpiel, python/algorithms/elo_test.py: A and C are equal, a draw puts C above A."""
    wins = {(0, 1): 4, (0, 2): 2, (1, 0): 1, (1, 2): 2, (2, 0): 3, (2, 1): 3}
    results = Counter({(pair, WON): count for pair, count in wins.items()})
    a, b, c = rate(count_games(results, 3), seats=False, prior_games=FAINT).elo
    assert a == pytest.approx(c)
    assert b < a
    results[(0, 1), DRAWN] += 1
    a, b, c = rate(count_games(results, 3), seats=False, prior_games=FAINT).elo
    assert b < a < c


def two_players(won, lost, drawn=0):
    return count_games({((0, 1), WON): won, ((0, 1), LOST): lost, ((0, 1), DRAWN): drawn}, 2)


def some_games(seed=0, n=5):
    rng, results = np.random.default_rng(seed), Counter()
    for pair in combinations(range(n), 2):
        for seating in (pair, pair[::-1]):
            for outcome_ in (WON, LOST, DRAWN):
                results[seating, outcome_] = int(rng.integers(1, 20))
    return count_games(results, n)


def test_abilities_of_a_textbook():
    """Table 10.11 of Agresti, relative to Baltimore; the text puts the standard errors at about 0.3."""
    ratings = rate(baseball(), anchors=[6], seats=False, prior_games=FAINT)
    assert np.round(ratings.elo / ELO, 2).tolist() == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0]
    assert np.round(ratings.error[:6] / ELO / 1.96, 1).tolist() == [0.3] * 6


def test_home_advantage_of_a_textbook():
    ratings = rate(baseball(), prior_games=FAINT)
    abilities = np.exp(ratings.elo / ELO)
    assert np.round(abilities / abilities.sum(), 3).tolist() == [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044]
    assert (ratings.seats[0] - ratings.seats[1]) / ELO == pytest.approx(0.302, abs=5e-4)


def test_draws_as_davidson_has_them():
    ratings = rate(puddings(), seats=False, prior_games=FAINT)
    draw_odds = 2 * ratings.draws / (1 - ratings.draws)
    worth = np.exp(ratings.elo / ratings.unit)
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert (worth / worth.sum()).tolist() == pytest.approx(published, abs=3e-5)
    assert draw_odds == pytest.approx(0.7468147, abs=1e-5)  # printed after 7 iterations of another method


@pytest.mark.parametrize(("won", "lost"), [(30, 10), (20, 20), (7, 93), (399, 1)])
def test_two_players_have_a_closed_form(won, lost):
    ratings = rate(two_players(won, lost), seats=False, prior_games=FAINT)
    score, games = won / (won + lost), won + lost
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * math.log10(score / (1 - score)), abs=1e-4)
    of_difference = ELO / math.sqrt(games * score * (1 - score))  # one over the root of the Fisher information
    assert ratings.error == pytest.approx([1.959964 * of_difference / 2] * 2, rel=1e-4)
    assert superiority(ratings, 0, 1) == pytest.approx(normal(math.log(score / (1 - score)) * ELO / of_difference))


def normal(z):
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def test_near_equals_score_what_elos_formula_expects_with_draws_too():
    ratings = rate(two_players(30, 20, 50), seats=False, prior_games=FAINT)
    assert elo_to_score(ratings.elo[0] - ratings.elo[1]) == pytest.approx(0.55, abs=1e-3)
    assert ratings.draws == pytest.approx(0.505, abs=2e-3)


@pytest.mark.parametrize("seats", [False, True])
def test_derivatives_are_those_of_the_likelihood(seats):
    likelihood, h = Likelihood(some_games(), seats, 0.5), 1e-5
    point = np.random.default_rng(1).normal(size=likelihood.size)
    gradient, information = likelihood.derivatives(point)
    shifts = h * np.eye(likelihood.size)
    slope = [(likelihood.value(point + s) - likelihood.value(point - s)) / (2 * h) for s in shifts]
    np.testing.assert_allclose(gradient, slope, atol=1e-6)
    bend = [(likelihood.derivatives(point + s)[0] - likelihood.derivatives(point - s)[0]) / (2 * h) for s in shifts]
    np.testing.assert_allclose(information, -np.array(bend), atol=1e-6)


@pytest.mark.parametrize(("log_v", "bounded"), [(0.3, True), (2.5, False)])
def test_the_slope_of_elos_factor_is_that_of_the_factor(log_v, bounded):
    likelihood, h = Likelihood(some_games(), True, 0.5), 1e-5
    point = np.append(4 * np.random.default_rng(1).normal(size=likelihood.size - 1), log_v)
    factor, slope = likelihood.elo_factor(point)
    assert (factor == 2 / (2 + likelihood.draw_odds(point))) == bounded, "the least factor"
    shifts = h * np.eye(likelihood.size)
    expected = [(likelihood.elo_factor(point + s)[0] - likelihood.elo_factor(point - s)[0]) / (2 * h) for s in shifts]
    np.testing.assert_allclose(slope, expected, atol=1e-6)


def test_nothing_nearby_is_likelier():
    likelihood, rng = Likelihood(some_games(), True, 0.5), np.random.default_rng(1)
    best = likelihood.maximum()
    assert likelihood.derivatives(best)[0] == pytest.approx(np.zeros(likelihood.size), abs=1e-8)
    for _ in range(200):
        assert likelihood.value(best + rng.normal(0, 0.3, likelihood.size)) < likelihood.value(best)


def test_outcomes_of_a_game():
    score, draw = outcome(np.array([0.0, 3.0, -3.0, 2000.0, -2000.0]), 2.0)
    weights = np.array([math.exp(1.5), 2.0, math.exp(-1.5)]) / (math.exp(1.5) + 2 + math.exp(-1.5))
    assert draw.tolist() == pytest.approx([0.5, weights[1], weights[1], 0, 0])
    assert score.tolist() == pytest.approx([0.5, weights[0] + weights[1] / 2, weights[2] + weights[1] / 2, 1, 0])


@pytest.mark.parametrize("games", [1, 40, 1000])
def test_a_score_of_all_is_finite_and_grows_with_the_games(games):
    few, many = (rate(two_players(n, 0), seats=False).elo for n in (games, 2 * games))
    assert 0 < few[0] < many[0] < 2000
    chain = count_games({(pair, WON): games for pair in combinations(range(6), 2)}, 6)  # everybody beats all below
    ratings = rate(chain, seats=False)
    assert np.all(np.diff(ratings.elo) < 0)
    assert np.all(np.isfinite(ratings.error))


@pytest.mark.parametrize("games", [1, 40, 1000])
def test_nothing_but_draws_makes_equals(games):
    ratings = rate(count_games({((0, 1), DRAWN): games, ((1, 0), DRAWN): games}, 2))
    assert ratings.elo == pytest.approx([0, 0], abs=1e-6)
    assert np.all(np.isfinite(ratings.error))
    assert superiority(ratings, 0, 1) == pytest.approx(0.5)


def test_a_player_without_games_is_average_and_unknown():
    results = count_games({((0, 1), WON): 15, ((0, 1), LOST): 5, ((1, 0), LOST): 15, ((1, 0), WON): 5}, 3)
    assert rate(results).elo[2] == pytest.approx(0, abs=1e-6)
    assert rate(results, anchors=[0]).error[2] > 5 * rate(results, anchors=[0]).error[1]
    assert np.all(np.isfinite(rate(count_games({}, 3)).error))


def test_the_mean_or_the_anchor_is_zero():
    free, fixed = rate(some_games()), rate(some_games(), anchors=[2])
    assert free.elo.mean() == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(fixed.elo, free.elo - free.elo[2], atol=1e-9)
    assert (fixed.elo[2], fixed.error[2]) == pytest.approx((0, 0), abs=1e-4)
    assert superiority(fixed, 0, 2) == pytest.approx(superiority(free, 0, 2), abs=1e-9)


def test_cross_tables_of_games_of_two_and_three():
    games = count_games({((0, 1, 2), (3.0, 1.0, 1.0)): 2, ((2, 0), (0.0, 1.0)): 1}, 3)
    assert cross_table(games).tolist() == [[0, 2, 3], [0, 0, 1], [0, 1, 0]]


def share_held(truth, play, runs, seed=0):
    """How often intervals hold the true strengths."""
    rng, held = np.random.default_rng(seed), 0.0
    for _ in range(runs):
        ratings = rate(play(rng))
        held += np.mean(np.abs(ratings.elo - truth) < ratings.error)
    return held / runs


def round_robin(strengths, games, draw_odds, seat, draw):
    """Games of two from either side; `draw(n, chances)` gives how n of them end, by the model's chances."""
    results = Counter()
    for first, second in combinations(range(len(strengths)), 2):
        for seating in ((first, second), (second, first)):
            x = strengths[seating[0]] - strengths[seating[1]] + seat
            weights = np.array([math.exp(x / 2), math.exp(-x / 2), draw_odds])
            counts = draw(games / 2, weights / weights.sum())
            results.update({(seating, r): n for r, n in zip((WON, LOST, DRAWN), counts, strict=True)})
    return count_games(results, len(strengths))


@pytest.mark.full
@pytest.mark.parametrize(
    ("true", "draw_odds", "seat_elo"),
    [([-50, 50], 0, 0), ([-250, -50, 50, 250], 0, 60), ([-300, -100, 0, 150, 250], 1.0, 60), ([-60, 0, 60], 4.0, -30)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(true, draw_odds, seat_elo):
    unit = ELO * 2 / (2 + draw_odds)
    model = np.array(true) / unit, 40, draw_odds, seat_elo / unit
    expected = rate(round_robin(*model, lambda n, chances: 1e6 * n * chances)).elo  # what endless games would tell
    if draw_odds == 0:
        np.testing.assert_allclose(expected, np.array(true) - np.mean(true), atol=0.1)
    held = share_held(
        expected, lambda rng: round_robin(*model, lambda n, chances: rng.multinomial(int(n), chances)), 300
    )
    assert 0.93 < held < 0.985


def test_scores_stand_for_elo_where_equals_only_draw():
    """Tic-tac-toe: two perfect players, and one who loses to both."""
    results = {((0, 1), DRAWN): 50, ((1, 0), DRAWN): 50}
    for perfect in (0, 1):
        results |= {((perfect, 2), WON): 50, ((2, perfect), LOST): 43, ((2, perfect), DRAWN): 7}
    ratings = rate(count_games(results, 3))
    assert ratings.elo[0] == pytest.approx(ratings.elo[1])
    score = (93 + 7 / 2) / 100
    assert ratings.elo[0] - ratings.elo[2] == pytest.approx(400 * math.log10(score / (1 - score)), rel=0.15)
    assert ratings.draws > 0.9


def tables_of(truth, size, games):
    """Rankings of whole tables, as Plackett and Luce have them: chances by strength, place after place."""

    def play(rng):
        players = np.array([rng.permutation(len(truth))[:size] for _ in range(games)])
        times = rng.exponential(np.exp(-truth / ELO)[players])  # who is first, and first of the rest, is Luce's choice
        return GameResults(players, -times, np.ones(games), len(truth))

    return play


@pytest.mark.full
@pytest.mark.parametrize("size", [3, 4])
def test_intervals_hold_the_truth_at_larger_tables(size):
    truth = np.array([-200.0, -100, 0, 50, 250])
    assert 0.92 < share_held(truth, tables_of(truth, size, 120), 150) < 0.985


def test_islands_have_zeros_of_their_own():
    pairs = {((0, 1), WON): 30, ((0, 1), LOST): 10, ((2, 3), WON): 10, ((3, 2), WON): 30, ((3, 4), WON): 20}
    pairs |= {((4, 3), WON): 20}
    ratings = rate(count_games(pairs, 6), anchors=[1], seats=False, prior_games=FAINT)
    assert ratings.islands.tolist() == [1, 1, 0, 0, 0, 0]  # the last has not played: the prior alone places it
    assert (ratings.elo[1], ratings.error[1]) == (0, 0)
    assert ratings.elo[2:].mean() == pytest.approx(0, abs=1e-6)
    alone = rate(count_games({((0, 1), WON): 30, ((0, 1), LOST): 10}, 2), anchors=[1], seats=False, prior_games=FAINT)
    assert ratings.elo[0] == pytest.approx(alone.elo[0], abs=0.5)
    assert ratings.error[0] == pytest.approx(alone.error[0], rel=0.01)


def test_the_first_anchor_of_an_island_counts():
    ratings = rate(count_games({((0, 1), WON): 3, ((1, 0), WON): 1, ((2, 3), WON): 1}, 4), anchors=[1, 0, 3])
    assert (ratings.elo[1], ratings.elo[3]) == pytest.approx((0, 0), abs=1e-9)
    assert ratings.elo[0] > 0
