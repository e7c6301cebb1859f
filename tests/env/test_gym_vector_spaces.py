"""`GymVectorEnv`: observation modes, and spaces that do not fit."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete
from gymnasium.vector import SyncVectorEnv
from gymnasium.vector.utils import batch_space

from arena.env import GymVectorEnv, ShmemVectorEnv
from tests.env.troubled import Anything


def of(*spaces, action=None):
    """Functions that make an environment for each of these observation spaces."""

    def fn(space):
        env = Anything(space)
        if action is not None and space is spaces[-1]:
            env.action_space = action
        return env

    return [lambda space=space: fn(space) for space in spaces]


ONE, WIDE = Box(0, 1, (3,)), Box(-5, 5, (3,))


def test_bounds_of_their_own():
    ours, theirs = (kind(of(ONE, WIDE), observation_mode="different") for kind in (GymVectorEnv, SyncVectorEnv))
    assert ours.observation_space == theirs.observation_space
    assert ours.observation_space.low[:, 0].tolist() == [0, -5]
    assert ours.single_observation_space == ONE
    obs, _ = ours.reset(seed=3)
    assert obs.tolist() == theirs.reset(seed=3)[0].tolist()
    assert ours.observation_space.contains(obs)


def test_bounds_of_their_own_in_processes():
    env = GymVectorEnv(ShmemVectorEnv(of(Dict(a=ONE), Dict(a=WIDE))), observation_mode="different")
    obs, _ = env.reset(seed=3)
    assert env.observation_space.contains(obs)
    env.close()


@pytest.mark.parametrize(
    ("mode", "batched", "one"),
    [
        (WIDE, batch_space(WIDE, 2), WIDE),
        (Box(-5, 5, (2, 3)), Box(-5, 5, (2, 3)), ONE),
        ((Box(-7, 7, (2, 3)), WIDE), Box(-7, 7, (2, 3)), WIDE),
    ],
)
def test_a_space_in_place_of_theirs(mode, batched, one):
    env = GymVectorEnv(of(ONE, Box(0, 2, (3,))), observation_mode=mode)
    assert env.observation_space == batched
    assert env.single_observation_space == one
    assert env.observation_space.contains(env.reset(seed=1)[0])


@pytest.mark.parametrize(
    ("spaces", "mode", "message"),
    [
        ((ONE, WIDE), "same", "environment 1 has the observation space .* observation_mode='different' allows"),
        ((ONE, Box(0, 1, (4,))), "different", "observation spaces are not of one shape and dtype"),
        ((ONE, Box(0, 1, (3,), np.float64)), WIDE, "environment 1 .* of another shape or dtype"),
        ((ONE, ONE), Box(0, 1, (9,)), "environment 0 .* of another shape or dtype"),
        ((ONE, ONE), (batch_space(ONE, 2), Discrete(2)), "environment 0 .* of another shape or dtype"),
    ],
)
def test_observation_spaces_that_do_not_fit(spaces, mode, message):
    with pytest.raises(RuntimeError, match=message):
        GymVectorEnv(of(*spaces), observation_mode=mode)


def test_action_spaces_that_do_not_fit():
    with pytest.raises(RuntimeError, match=r"environment 1 has the action space MultiDiscrete.* as the first"):
        GymVectorEnv(of(ONE, Box(0, 1, (3,)), action=MultiDiscrete([2, 2])))


@pytest.mark.parametrize(("mode", "error"), [("other", ValueError), ((1, 2), TypeError), (None, ValueError)])
def test_modes_that_do_not_exist(mode, error):
    with pytest.raises(error, match="observation_mode="):
        GymVectorEnv(of(ONE), observation_mode=mode)


@pytest.mark.parametrize("shown", [np.zeros((2, 1)), np.zeros(1), np.float32(0)])
def test_an_observation_that_is_not_of_its_space(shown):
    env = GymVectorEnv(of(ONE, ONE))
    for inner in env.env.workers:
        inner.env.reset = lambda seed=None, options=None: (shown, {})
    with pytest.raises(ValueError, match=r"an observation has shape .*, its space \(3,\)"):
        env.reset()
