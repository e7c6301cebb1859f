"""Heuristics of games: between loss and win, opposite for the two seats, and of use to a search."""

import numpy as np
import pytest

import games
from arena.match.batch import Pairing, play_matches, random_openings
from arena.policy.registry import make_agent
from games.engine.compiler import instantiate
from tests.games.playing import positions

pytestmark = pytest.mark.full

OFFERED = ["breakthrough", "checkers", "chess", "kalah", "othello"]


@pytest.mark.parametrize("name", OFFERED)
def test_a_heuristic_is_between_loss_and_win_and_opposite_for_the_other_seat(name):
    game = games.make(name)
    states = np.array([state for seed in range(3) for state, _ in positions(game, seed)])
    values = np.empty((len(states), 2))
    instantiate("tests.agents.search.looks", game).looks(states, values)
    assert (np.abs(values) < 1).all()
    np.testing.assert_array_equal(values[:, 0], -values[:, 1])
    assert (values != 0).mean() > 0.3


@pytest.mark.parametrize("name", OFFERED)
def test_two_plies_with_it_beat_random_play_soundly(name):
    game = games.make(name)
    players = [("alphabeta", make_agent("alphabeta:2", game)), ("random", make_agent("random", game))]
    openings = random_openings(game, 2, 10, seed=0)
    pairings = [Pairing(seating, 0, opening) for opening in openings for seating in [(0, 1), (1, 0)]]
    records = play_matches(game, players, pairings, seed=1)
    earned = [r.verdict.returns[p.seating.index(0)] for p, r in zip(pairings, records, strict=True)]
    assert np.mean(earned) >= 0.6
