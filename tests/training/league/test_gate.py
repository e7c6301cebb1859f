"""The gate lets the better in and nobody else, in games of its own."""

import numpy as np
import pytest

from arena.policy.registry import make_agent, make_game
from arena.ratings.sprt import Sprt
from arena.training.league.config import LeagueConfig
from arena.training.league.gate import examine, first_decision, opening_plies, sprt_counts
from tests.match.players import Lowest

pytestmark = pytest.mark.full

GAME = make_game("tic_tac_toe")


@pytest.mark.parametrize("gate", ["score", "sprt"])
def test_the_better_passes_and_the_worse_does_not(gate):
    config = LeagueConfig(gate=gate, gate_games=200)
    strong, weak = make_agent("alphabeta:4", GAME), make_agent("random", GAME)
    passed = examine(GAME, strong, weak, config, 1)
    assert passed.passed
    assert passed.counts[0] > 10 * passed.counts[2]
    refused = examine(GAME, weak, strong, config, 1)
    assert not refused.passed
    assert f"of {sum(refused.counts)} games; the gate requires " in refused.summary
    if gate == "sprt":
        assert sum(refused.counts) < 200, "it stops as soon as it knows"


def test_equals_do_not_pass():
    config = LeagueConfig(gate="sprt", gate_games=20)
    found = examine(GAME, Lowest(), Lowest(), config, 1)
    assert not found.passed
    assert found.counts[0] == found.counts[2], "who begins wins, from either side of the same openings"
    assert not examine(GAME, Lowest(), Lowest(), LeagueConfig(gate="score", gate_score=0.51), 1).passed
    assert examine(GAME, Lowest(), Lowest(), LeagueConfig(gate="score", gate_score=0.5), 1).passed


def test_the_same_seed_gives_the_same_examination():
    config = LeagueConfig(gate="score", gate_games=40)
    players = make_agent("random", GAME), make_agent("one-ply", GAME)
    assert examine(GAME, *players, config, 7) == examine(GAME, *players, config, 7)


def test_counts_are_those_of_pairs_or_of_games():
    assert sprt_counts(np.array([[0, 0], [0, 1], [2, 0], [2, 2]])).tolist() == [1, 0, 1, 1, 1]
    assert sprt_counts(np.array([[0, 0, 1], [2, 0, 1]])).tolist() == [1, 2, 3]


def test_the_first_decision_stands():
    test = Sprt(0, 50)
    winning = np.zeros((200, 2), int)
    winning[::5] = 1  # two draws now and then
    losing = np.concatenate([winning, np.full((400, 2), 2)])
    assert first_decision(test, losing) == "H1"
    assert test.decide(sprt_counts(losing))[0] == "H0"
    assert first_decision(test, winning[:1]) is None


def test_short_games_begin_with_fewer_random_moves():
    assert [opening_plies(make_game(name)) for name in ("connect_four", "tic_tac_toe", "kuhn_poker")] == [4, 1, 0]
