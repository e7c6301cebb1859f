"""Ours beside PettingZoo's own game, move by move over 1,000 random games, to the last step of the dead.

Compared after every step: observations and masks of all agents, the agent to move, rewards, cumulative reward,
terminations, truncations, and who is still there.
"""

import warnings
from importlib import import_module

import numpy as np
import pytest

import games
from games.engine.registry import GAMES, make_game
from tests.games.playing import aec_views, parts

pytestmark = pytest.mark.full

NAMES = [name for name in GAMES.names() if make_game(name).pettingzoo_name and not make_game(name).has_chance]


def pair(name, constructor, **options):
    """Our environment and PettingZoo's, with options that both know."""
    game = make_game(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's, about its own import path
        theirs = import_module(f"pettingzoo.classic.{game.pettingzoo_name}")
        return getattr(getattr(games, game.name), constructor)(**options), getattr(theirs, constructor)(**options)


def play_to_the_end(ours, theirs, rng, illegal_chance=0.0):
    """One game on both; the views must agree throughout."""
    ours.reset()
    theirs.reset()
    views = aec_views(ours)
    assert views == aec_views(theirs)
    while ours.agents:
        if views["terminations"][ours.agent_selection] or views["truncations"][ours.agent_selection]:
            action = None
        else:
            free = [1] * ours.action_space(ours.agent_selection).n
            mask = np.array(views["observations"][ours.agent_selection].get("action_mask", free))
            wanted = 1 - mask if rng.random() < illegal_chance and not mask.all() else mask
            action = int(rng.choice(np.flatnonzero(wanted)))
        ours.step(action)
        theirs.step(action)
        views = aec_views(ours)
        assert views == aec_views(theirs)


@pytest.mark.parametrize("name", NAMES)
def test_spaces_and_agents(name):
    ours, theirs = pair(name, "env")
    assert ours.possible_agents == theirs.possible_agents
    ours.reset()
    theirs.reset()
    for agent in ours.possible_agents:
        dtypes = [{key: part.dtype for key, part in parts(env.observe(agent)).items()} for env in (ours, theirs)]
        assert dtypes[0] == dtypes[1]
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
    assert ours.metadata["name"] == theirs.metadata["name"]
    assert ours.metadata["is_parallelizable"] == theirs.metadata["is_parallelizable"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("constructor", "num_games"), [("env", 300), ("raw_env", 30)])
def test_random_games(name, constructor, num_games):
    ours, theirs = pair(name, constructor)
    rng = np.random.default_rng(11)
    for _ in range(num_games):
        play_to_the_end(ours, theirs, rng)


@pytest.mark.parametrize("name", [name for name in NAMES if not make_game(name).unmasked_observation])
def test_games_that_end_by_an_illegal_action(name, caplog):
    ours, theirs = pair(name, "env")
    rng = np.random.default_rng(12)
    for _ in range(100):
        play_to_the_end(ours, theirs, rng, illegal_chance=0.2)
    assert any("Illegal move made" in message for message in caplog.messages)


@pytest.mark.parametrize("name", [name for name in NAMES if make_game(name).simultaneous])
def test_choices_made_at_once(name):
    """Our Parallel view beside PettingZoo's own."""
    ours, theirs = pair(name, "parallel_env")
    rng = np.random.default_rng(14)
    for _ in range(100):
        observation, _ = ours.reset()
        assert observation == theirs.reset()[0]
        while ours.agents:
            actions = {agent: int(rng.integers(ours.action_space(agent).n)) for agent in ours.agents}
            views, their_step = ours.step(actions), theirs.step(actions)
            assert views[:4] == their_step[:4]
            assert ours.agents == theirs.agents
        assert not theirs.agents


@pytest.mark.parametrize("name", [name for name in NAMES if not make_game(name).simultaneous])
def test_random_games_all_at_once(name):
    """Our Parallel view beside PettingZoo's conversion of its own game."""
    _, theirs = pair(name, "env")
    parallel = import_module("pettingzoo.utils.conversions").turn_based_aec_to_parallel(theirs)
    ours = getattr(games, name).parallel_env()
    rng = np.random.default_rng(13)
    for _ in range(100):
        observations, infos = ours.reset()
        parallel.reset()
        while ours.agents:
            mask = observations[infos[ours.agents[0]]["active_agent"]]["action_mask"]
            action = int(rng.choice(np.flatnonzero(mask)))
            observations, *outcome, infos = ours.step(dict.fromkeys(ours.agents, action))
            their_observations, *their_outcome, _ = parallel.step(dict.fromkeys(parallel.agents, action))
            assert outcome == their_outcome
            assert ours.agents == parallel.agents
            for agent, observation in observations.items():
                assert all((observation[key] == their_observations[agent][key]).all() for key in observation)
