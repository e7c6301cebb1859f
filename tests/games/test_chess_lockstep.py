"""Chess beside PettingZoo's own `chess_v6`, move by move; python-chess below it is slow, so the games are few.

What would take long to come up by chance is played from a list.
"""

import warnings
from importlib import import_module

import numpy as np
import pytest

from games import chess
from tests.games.test_lockstep import play_to_the_end

pytestmark = pytest.mark.full

LINES = {
    "f3 e5 g4 Qh4": [-1, 1],
    "e4 d5 e5 f5 exf6 Kf7 fxg7 Ke6 gxh8=N Kd7 Bb5 c6 Nf3 Qb6 O-O cxb5 Re1 Nc6 d4 Nf6 Bg5 Nd8 Nc3": [0, 0],
    "e4 e5 d4 d5 Bg5 Be7 Nc3 Nc6 Qd3 Be6 O-O-O Qd7 Nf3 O-O-O a4 f5 a5 b5 axb6 a5 bxc7 a4 cxd8=R Kxd8": [0, 0],
    "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7 Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6": [0, 0],  # Loyd's stalemate
    "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1": [0, 0],  # black could go back and repeat the start
    "e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8": [0, 0],  # the third time will be without castling rights
    "b4 a5 bxa5 b5 a6 b4 a7 b3 axb8=R bxa2 Rxc8 axb1=B Rxd8 Kxd8": [0, 0],
    "h4 g5 hxg5 h6 gxh6 Bg7 hxg7 a6 gxh8=Q a5 Rh7 a4 Rxf7 a3 Qxg8": [1, -1],
}
"""Games of castling, promotions, captures en passant, and ends of several kinds, with what each seat has earned."""


@pytest.fixture
def pair():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's, about its own import path
        theirs = import_module("pettingzoo.classic.chess_v6")
    return chess.env(draws="pettingzoo"), theirs.env()


def test_spaces_and_agents(pair):
    ours, theirs = pair
    assert ours.possible_agents == theirs.possible_agents
    ours.reset()
    theirs.reset()
    for agent in ours.possible_agents:
        dtypes = [{key: part.dtype for key, part in env.observe(agent).items()} for env in pair]
        assert dtypes[0] == dtypes[1]
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
    assert ours.metadata["name"] == theirs.metadata["name"]


def same_views(ours, theirs):
    """Assert that both environments show all agents the same."""
    for agent in ours.possible_agents:
        observation, expected = ours.observe(agent), theirs.observe(agent)
        assert all(np.array_equal(observation[key], expected[key]) for key in expected)
    assert ours.agent_selection == theirs.agent_selection
    assert (ours.rewards, ours.terminations) == (theirs.rewards, theirs.terminations)


@pytest.mark.parametrize(("line", "rewards"), LINES.items())
def test_games_from_a_list(line, rewards, pair):
    ours, theirs = pair
    ours.reset()
    theirs.reset()
    for action in chess.from_pgn(line, draws="pettingzoo").actions:
        same_views(ours, theirs)
        ours.step(action)
        theirs.step(action)
    same_views(ours, theirs)
    assert list(ours.rewards.values()) == rewards


def test_random_games(pair):
    ours, theirs = pair
    rng = np.random.default_rng(31)
    for _ in range(2):
        ours.reset()
        theirs.reset()
        same_views(ours, theirs)
        while not any(ours.terminations.values()):
            mask = ours.observe(ours.agent_selection)["action_mask"]
            action = int(rng.choice(np.flatnonzero(mask)))
            ours.step(action)
            theirs.step(action)
            same_views(ours, theirs)


def test_games_that_end_by_an_illegal_action_to_the_last_step_of_the_dead(pair):
    rng = np.random.default_rng(32)
    for _ in range(4):
        play_to_the_end(*pair, rng, illegal_chance=0.3)
