"""`solved:AGENT`: where it is exact, and where it plays as the agent."""

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.match.batch import Pairing, play_matches, random_openings
from arena.match.match import Match
from arena.policy.clock import ClockReading
from arena.policy.registry import make_agent
from tests.agents.perfect import brute_force
from tests.agents.perfect.test_othello import endgames

pytestmark = pytest.mark.full

NINE_MOVES = (0, 1, 2, 3, 4, 5, 6, 0, 1)
"""An opening of Connect Four whose positions are solved in less than a second."""


def test_endgames_keep_their_value():
    game = games.make("othello", size=6)
    agent = make_agent("solved:random", game)
    states = endgames(game, 100, 8, seed=1)
    values = brute_force.values(game, states)
    legal = values > -2
    values = np.sign(values)
    seats = states["current_player"].astype(np.int64)
    act = agent.forward(Batch(obs=Batch(agent_id=seats, mask=legal, state=states))).act
    best = np.where(legal, values, -2.0).max(axis=1)
    assert (values[np.arange(len(states)), act] == best).all()
    assert (np.where(legal, values, 2.0).min(axis=1) < best).any(), "somewhere the choice matters"


def test_what_is_solved_is_said_and_the_rest_is_the_agents():
    game = games.make("connect_four")
    agent, wrapped = make_agent("solved:mcts:50", game), make_agent("mcts:50", game)
    early = Match(game, [(name, None) for name in "ab"], opening=(0, 6))
    assert agent.reset(5) is wrapped.reset(5) is None
    assert early.consult(agent).visits.tolist() == early.consult(wrapped).visits.tolist()
    late = Match(game, [(name, None) for name in "ab"], opening=NINE_MOVES)
    answer, exact = late.consult(agent), late.consult(make_agent("perfect", game))
    assert (answer.value, answer.probs.tolist()) == (exact.value, exact.probs.tolist())


def test_a_fast_clock_leaves_no_time_for_solving():
    game = games.make("othello")
    agent = make_agent("solved:random", game)
    states = endgames(game, 20, 18, seed=2)
    placed = (states["moves"][:, :, None] >> np.arange(8) & 1).reshape(len(states), -1) > 0
    mask = np.concatenate([placed, ~placed.any(axis=1, keepdims=True)], axis=1)
    obs = Batch(agent_id=states["current_player"], mask=mask, state=states)

    def solved(clock=None):
        """Whether each position is solved, with a choice that matters."""
        timed = [Batch(obs[i : i + 1]) for i in range(len(states))]
        for one in timed:
            one.update({} if clock is None else clock.to_arrays())
        return ["value" in agent.forward(Batch(obs=one)) for one in timed]

    assert any(solved())
    assert not any(solved(ClockReading(seconds_left=0.1)))
    assert solved(ClockReading(seconds_left=10.0)) == solved()


def test_games_with_the_trees_of_a_search_are_played_to_the_end():
    game = games.make("connect_four")
    players = [("solved", make_agent("solved:mcts:200", game)), ("mcts", make_agent("mcts:200", game))]
    openings = random_openings(game, 10, 10, seed=0)  # each from both sides; some are solved in time, some are not
    pairings = [Pairing((i % 2, 1 - i % 2), seed=i, opening=openings[i // 2]) for i in range(20)]
    records = play_matches(game, players, pairings, 0)
    returns = [record.verdict.returns[i % 2] for i, record in enumerate(records)]
    assert np.mean(returns) > 0.3


def test_what_cannot_be_solved_is_refused_by_name():
    with pytest.raises(UsageError, match="solved: nothing of chess can be solved; it plays connect_four"):
        make_agent("solved:random", games.make("chess"))
    with pytest.raises(UsageError, match="solved: give an agent, as in solved:mcts:1000"):
        make_agent("solved", games.make("connect_four"))
    with pytest.raises(UsageError, match="endgames of othello are solved on sizes 4, 6 and 8"):
        make_agent("solved:random", games.make("othello", size=10))
