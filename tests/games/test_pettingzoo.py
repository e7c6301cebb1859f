"""PettingZoo's own tests of an environment, and what else its users expect."""

import copy
import pickle
from importlib import import_module

import numpy as np
import pytest

import games
from arena.env.native import GameVectorEnv
from games.engine.registry import GAMES, make_game
from tests.games.playing import SPECS, aec_views, parts, random_line, second_legal

pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros:UserWarning"),  # an empty board is
    pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning"),  # PettingZoo's tests use
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),  # a list of PettingZoo's games
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning"),  # may show more
]


@pytest.fixture
def zoo(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return import_module("pettingzoo.test")


def legal_action(env):
    """Return the second legal action, or the only one: the first may end the game, by folding."""
    mask = parts(env.observe(env.agent_selection)).get("action_mask", np.ones(1))
    return int(second_legal(mask.astype(np.bool_)[None])[0])


@pytest.fixture(params=GAMES.names())
def module(request):
    return getattr(games, request.param)


@pytest.mark.parametrize("constructor", ["env", "raw_env"])
def test_aec(zoo, module, constructor, capsys):
    build = getattr(module, constructor)
    zoo.api_test(build(), num_cycles=200)
    zoo.seed_test(build, num_cycles=50)
    zoo.render_test(build)
    capsys.readouterr()


def test_parallel(zoo, module, capsys):
    zoo.parallel_api_test(module.parallel_env(), num_cycles=100)
    zoo.parallel_seed_test(module.parallel_env, num_cycles=50)
    capsys.readouterr()


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_actions_make_the_same_game_on_every_path(spec):
    game = make_game(spec)
    module = getattr(games, game.name)
    aec, parallel, vector = module.env(**game.options), module.parallel_env(**game.options), GameVectorEnv(game, 1)
    aec.reset(seed=5)
    parallel.reset(seed=5)
    vector.reset(seed=5)
    choices = {}
    for action in random_line(spec, seed=5):
        assert aec.agent_selection == game.agents[vector.seats[0]]
        choices[aec.agent_selection] = action
        aec.step(action)
        _, vector_rewards, terminated, truncated, _ = vector.step([action])
        everyone = vector.final_obs()
        assert list(aec.rewards.values()) == vector_rewards[0].tolist()
        assert list(aec.terminations.values()) == terminated[0].tolist()
        assert list(aec.truncations.values()) == truncated[0].tolist()
        for seat, agent in enumerate(game.agents):
            assert (parts(aec.observe(agent))["observation"] == everyone.obs[0, seat]).all()
        if game.simultaneous and (vector.states["chosen"] >= 0).any():
            continue  # others have still to choose
        observations, rewards, terminations, truncations, _ = parallel.step(choices)
        choices = {}
        assert (rewards, terminations, truncations) == (aec.rewards, aec.terminations, aec.truncations)
        for agent, observation in observations.items():
            assert (parts(observation)["observation"] == parts(aec.observe(agent))["observation"]).all()
    assert vector.over.all()


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copied_environment_goes_its_own_way(module, how):
    env = module.env()
    env.reset()
    env.step(legal_action(env))
    before = aec_views(env)
    twin = how(env)
    assert aec_views(twin) == before
    twin.step(legal_action(twin))
    assert aec_views(env) == before
    assert aec_views(twin) != before


def test_observations_belong_to_the_caller(module):
    env = module.env()
    env.reset()
    before = aec_views(env)
    observation = parts(env.observe(env.agent_selection))
    for array in observation.values():
        array[...] = 1
    assert aec_views(env) == before
    env.step(legal_action(env))
    assert (observation["observation"] == 1).all()


def test_what_is_seen_lies_in_the_spaces(module):
    env = module.env(render_mode="rgb_array")
    env.reset(seed=9)
    for action in random_line(make_game(module.game().name).name, seed=9):
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.action_space(env.agent_selection).contains(np.int64(action))
        env.step(action)
    with pytest.raises(KeyError):
        env.observe("nobody")


@pytest.mark.full
@pytest.mark.parametrize("spec", [spec for spec in SPECS if ":" in spec])
def test_a_view_of_a_game_with_other_options(spec):
    game = make_game(spec)
    module = getattr(games, game.name)
    env = module.env(render_mode="ansi", **game.options)
    env.reset()
    assert env.game.label == game.label
    assert env.game.options != module.game().options
    assert env.observe(env.agents[0])["observation"].shape == env.game.observation_shape
