"""What a search tells reaches those who look on."""

import numpy as np
import pytest

from arena.match.match import Match
from arena.policy.registry import make_agent, make_game

pytestmark = pytest.mark.full


def test_visits_value_and_the_line_expected():
    game = make_game("connect_four")
    match = Match(game, [("mcts", make_agent("mcts:200", game)), ("random", make_agent("random", game))], seed=1)
    answer = match.consult(match.players[0][1])
    assert answer.visits.sum() == 200
    np.testing.assert_allclose(answer.probs, answer.visits / 200)
    assert answer.pv[0] == answer.action
    assert -1 <= answer.value <= 1
    assert match.consult(match.players[1][1]).pv is None
