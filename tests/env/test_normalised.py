"""Observations normalised by what has been seen."""

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.data.statistics import RunningMeanStd
from arena.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from tests.env.troubled import Anything, Troubled

BACKENDS = [DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv]


def cart_pole():
    return gym.make("CartPole-v1")


@pytest.mark.parametrize("kind", BACKENDS)
def test_everything_shown_counts_and_is_normalised(kind):
    plain, env = DummyVectorEnv([cart_pole] * 3), kind([cart_pole] * 3, norm_obs=True)
    seen = [plain.reset(seed=1)[0]]
    shown = [env.reset(seed=1)[0]]
    for action in ([0, 1, 0], [1, 1, 0], [0, 0, 0]):
        seen.append(plain.step(action)[0])
        shown.append(env.step(action)[0])
    everything = np.concatenate(seen).astype(np.float64)
    assert env.obs_rms.count == 12
    np.testing.assert_allclose(env.obs_rms.mean, everything.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(env.obs_rms.var, everything.var(axis=0), rtol=1e-6)
    expected = (seen[-1] - everything.mean(axis=0)) / np.sqrt(everything.var(axis=0) + np.finfo(np.float32).eps)
    np.testing.assert_allclose(shown[-1], expected, rtol=1e-4, atol=1e-5)
    assert shown[-1].dtype == np.float32
    env.close()


def test_moments_are_shared_with_an_evaluation_that_leaves_them_alone():
    train = DummyVectorEnv([cart_pole] * 4, norm_obs=True)
    train.reset(seed=0)
    test = DummyVectorEnv([cart_pole], norm_obs=True, obs_rms=train.obs_rms, update_obs_rms=False)
    obs, _ = test.reset(seed=9)
    assert test.obs_rms is train.obs_rms
    assert train.obs_rms.count == 4
    raw, _ = DummyVectorEnv([cart_pole]).reset(seed=9)
    assert obs.tolist() == train.normalize_obs(raw).tolist()


def test_ten_deviations_are_the_most():
    env = DummyVectorEnv([Troubled], norm_obs=True, obs_rms=RunningMeanStd(0.0, 0.001), update_obs_rms=False)
    env.reset()
    obs = env.step([5])[0]
    assert obs.dtype == np.float32
    assert obs.tolist() == [[0.0, 10.0, 10.0]]


def test_without_it_nothing_is_touched():
    env = DummyVectorEnv([cart_pole])
    obs = np.full((1, 4), 99.0)
    assert env.obs_rms is None
    assert env.normalize_obs(obs) is obs


def test_only_arrays_are_normalised():
    space = gym.spaces.Dict(a=gym.spaces.Discrete(2))
    with pytest.raises(UsageError, match="norm_obs normalises observations that are arrays of numbers, not Batch"):
        DummyVectorEnv([lambda: Anything(space)], norm_obs=True).reset()


def test_moments_without_normalising_are_a_mistake():
    with pytest.raises(UsageError, match="obs_rms is given, but norm_obs is False"):
        DummyVectorEnv([cart_pole], obs_rms=RunningMeanStd())
