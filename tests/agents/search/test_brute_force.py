"""Alpha-beta's values are those of a search without cuts, on 10,000 late positions of every game it plays."""

import numpy as np
import pytest

import games
from agents.search.alphabeta import AlphaBetaPolicy
from arena.data.batch import Batch
from games.engine.compiler import instantiate
from tests.tiers import mostly_slow

pytestmark = pytest.mark.full

COUNT = 10_000
SMALL = {
    "breakthrough": ({"rows": 5, "columns": 4}, 5),
    "checkers": ({}, 4),
    "chess": ({}, 2),
    "connect_four": ({}, 6),
    "go": ({"size": 3}, 5),
    "gomoku": ({"size": 6}, 4),
    "hex": ({"size": 4}, 6),
    "kalah": ({"houses": 3, "seeds": 3}, 6),
    "othello": ({"size": 6}, 6),
    "tic_tac_toe": ({"m": 3, "n": 4, "k": 3}, 6),
}
"""Options, and how many plies are looked ahead."""
QUICK = {"hex", "kalah", "othello", "tic_tac_toe"}
"""With draws and without, with passes and with moves in a row."""


def searchable(name):
    game = games.make(name)
    return game.perfect_information and game.num_players == 2 and not game.has_chance and game.zero_sum


def test_no_game_is_left_out():
    assert {name for name in games.GAMES if searchable(name)} == set(SMALL)


@pytest.mark.parametrize("name", mostly_slow(SMALL, QUICK, "searches without cuts"))
def test_values_are_those_of_brute_force(name):
    options, depth = SMALL[name]
    game = games.make(name, **options)
    states, values = np.empty(COUNT, game.state_dtype), np.empty(COUNT)
    masks = np.empty((depth + 1, game.num_actions), np.bool_)
    scratch = np.empty(depth + 1, game.state_dtype), masks, np.empty(depth + 1), np.empty(depth + 1, np.int64)
    brute = instantiate("tests.agents.search.brute_force", game)
    most = 400
    brute.small_positions(game.initial.reshape(1), states, values, depth, most, 5, *scratch, np.empty(2, np.float32))
    assert len(np.unique(values)) >= 3
    answer = AlphaBetaPolicy(game, depth, seed=0).forward(Batch(obs=Batch(state=states)))
    np.testing.assert_allclose(answer.value, values, rtol=0, atol=1e-12)
