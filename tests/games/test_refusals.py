"""An action that may not be played is refused in every interface, and nothing has happened."""

import math

import numpy as np
import pytest
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import games
from arena.env.native import GameVectorEnv
from games.engine.errors import GameOverError, IllegalActionError, UsageError
from games.engine.registry import make_game
from tests.games.playing import SHARED, SPECS, aec_views, line_to_an_illegal_action, random_line

every_game = pytest.mark.parametrize("spec", SPECS)
a_few_games = pytest.mark.parametrize("spec", SHARED)

NO_ACTIONS = [None, math.nan, 1.0, True, "0", -1, 10**6, 10**30, [0], [[0]], np.array([0]), np.array(math.nan), {}]


def pettingzoo_env(spec, constructor, line=(), seed=0):
    """`env`, `raw_env` or `parallel_env` of the game's module, and of an AEC one the position after `line`."""
    game = make_game(spec)
    env = getattr(getattr(games, game.name), constructor)(**game.options)
    env.reset(seed=seed)
    for action in line:
        env.step(action)
    return env


def snapshot(env):
    return [array.copy() for array in (env.states, env.seats, env.observations().obs, env.mask, env.over)]


@every_game
def test_vector_env_plays_nothing_if_one_action_is_illegal(spec):
    line, illegal = line_to_an_illegal_action(make_game(spec))
    env = GameVectorEnv(make_game(spec), 3)
    env.reset(seed=[0, 0, 0])
    for action in line:
        env.step([action] * 3)
    before = snapshot(env)
    legal = int(env.mask[0].argmax())
    with pytest.raises(IllegalActionError, match=rf"environment 1: action {illegal} is illegal"):
        env.step([legal, illegal, legal])
    assert all((a == b).all() for a, b in zip(before, snapshot(env), strict=True))


@a_few_games
@pytest.mark.parametrize(
    "actions", [0, [0], [0, 0, 0], [[0, 0]], [0.0, 0.0], [math.nan, 0], [True, False], ["0", "0"], [None, None]]
)
def test_vector_env_takes_one_whole_number_a_game(spec, actions):
    env = GameVectorEnv(make_game(spec), 2)
    env.reset()
    before = snapshot(env)
    with pytest.raises(UsageError, match="step takes 2 whole numbers"):
        env.step(actions)
    assert all((a == b).all() for a, b in zip(before, snapshot(env), strict=True))


@a_few_games
@pytest.mark.parametrize("action", [-1, 10**6])
def test_vector_env_refuses_actions_out_of_range(spec, action):
    env = GameVectorEnv(make_game(spec), 2)
    env.reset()
    with pytest.raises(IllegalActionError):
        env.step([0, action])


@a_few_games
def test_vector_env_plays_no_finished_game(spec):
    env = GameVectorEnv(make_game(spec), 1)
    with pytest.raises(GameOverError, match="reset"):
        env.step([0])
    env.reset(seed=0)
    for action in random_line(spec, seed=0):
        env.step([action])
    with pytest.raises(GameOverError, match="the game is over"):
        env.step([0])


@every_game
@pytest.mark.full
def test_raw_env_raises_and_is_unchanged(spec):
    line, illegal = line_to_an_illegal_action(make_game(spec))
    env = pettingzoo_env(spec, "raw_env", line)
    before = aec_views(env)
    with pytest.raises(IllegalActionError, match=f"action {illegal} .* of {env.agent_selection} is illegal"):
        env.step(illegal)
    assert aec_views(env) == before


@every_game
def test_env_ends_the_game_as_pettingzoos_wrapper_does(spec):
    line, illegal = line_to_an_illegal_action(make_game(spec))
    ours = pettingzoo_env(spec, "env", line)
    theirs = TerminateIllegalWrapper(pettingzoo_env(spec, "raw_env", line), illegal_reward=-1)
    offender = ours.agent_selection
    actions = [illegal, *(None for _ in ours.agents)]
    for action in actions:
        ours.step(action)
        theirs.step(action)
        assert aec_views(ours) == aec_views(theirs)
        if action is not None:
            assert ours.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in ours.possible_agents}
    assert ours.agents == []


@a_few_games
@pytest.mark.parametrize("constructor", ["env", "raw_env"])
def test_aec_env_takes_one_whole_number_in_range(spec, constructor):
    env = pettingzoo_env(spec, constructor)
    before = aec_views(env)
    for action in NO_ACTIONS:
        with pytest.raises(UsageError, match="is not a whole number from 0 to"):
            env.step(action)
        assert aec_views(env) == before


@a_few_games
def test_a_dead_agent_steps_with_none_only(spec):
    env = pettingzoo_env(spec, "env", random_line(spec, seed=1), seed=1)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    assert len(env.agents) == len(env.possible_agents)


@every_game
def test_parallel_env_ends_the_game_for_everybody(spec):
    line, illegal = line_to_an_illegal_action(make_game(spec))
    env = pettingzoo_env(spec, "parallel_env")
    _, infos = env.reset(seed=0)
    at_once = env.game.num_players if env.game.simultaneous else 1
    for i in range(0, len(line), at_once):
        movers = env.agents if env.game.simultaneous else [infos[env.agents[0]]["active_agent"]]
        _, _, _, _, infos = env.step(dict(zip(movers, line[i : i + at_once], strict=True)))
    mover = infos[env.agents[0]]["active_agent"]
    _, rewards, terminations, truncations, _ = env.step(dict.fromkeys(env.agents, illegal))
    assert rewards == {agent: -1.0 if agent == mover else 0.0 for agent in env.possible_agents}
    assert all(terminations.values())
    assert all(truncations.values())
    assert env.agents == []


@a_few_games
def test_parallel_env_needs_the_action_of_the_agent_to_move(spec):
    env = pettingzoo_env(spec, "parallel_env")
    _, infos = env.reset()
    mover = infos[env.agents[0]]["active_agent"]
    with pytest.raises(UsageError, match=f"it is the turn of {mover}"):
        env.step({agent: 0 for agent in env.agents if agent != mover})
    for action in NO_ACTIONS:
        with pytest.raises(UsageError, match="is not a whole number from 0 to"):
            env.step(dict.fromkeys(env.agents, action))
    assert env.agents == env.possible_agents


@a_few_games
@pytest.mark.parametrize("call", ["step", "observe", "render", "last", "agent_iter"])
def test_nothing_works_before_reset(spec, call):
    game = make_game(spec)
    env = getattr(games, game.name).env(render_mode="ansi", **game.options)
    arguments = {"step": [0], "observe": [game.agents[0]], "render": [], "last": [], "agent_iter": []}[call]
    with pytest.raises(UsageError, match=r"call reset\(\)"):
        getattr(env, call)(*arguments)


@a_few_games
def test_parallel_env_takes_actions_by_agent(spec):
    env = pettingzoo_env(spec, "parallel_env")
    for actions in (None, 0, [0, 0]):
        with pytest.raises(UsageError, match="step takes a mapping from agents to actions, not "):
            env.step(actions)
    assert env.agents == env.possible_agents


@a_few_games
@pytest.mark.parametrize("constructor", ["env", "parallel_env"])
def test_a_seed_is_a_whole_number(spec, constructor):
    env, other = pettingzoo_env(spec, constructor), pettingzoo_env(spec, constructor)
    for seed in (5, -5, 2**70 + 5):
        env.reset(seed=seed)
        for same in (np.int64(seed), np.array(seed)) if abs(seed) < 2**63 else ():
            other.reset(seed=same)
            assert getattr(env, "_turns", env)._states == getattr(other, "_turns", other)._states
    for seed in (1.5, 5.0, "5", [5]):
        with pytest.raises(UsageError, match="is not a whole number"):
            env.reset(seed=seed)


@a_few_games
def test_unknown_render_mode(spec):
    with pytest.raises(UsageError, match="unknown render_mode 'rgb'; known: ansi, human, rgb_array"):
        getattr(games, make_game(spec).name).env(render_mode="rgb")
