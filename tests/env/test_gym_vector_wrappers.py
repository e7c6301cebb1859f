"""Gymnasium's wrappers of vector environments do on `GymVectorEnv` what they do on its own `SyncVectorEnv`."""

from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RescaleObservation as RescaleOne
from gymnasium.wrappers import TransformAction as TransformOneAction
from gymnasium.wrappers import TransformReward as TransformOneReward
from gymnasium.wrappers import vector

from arena.env import GymVectorEnv, ShmemVectorEnv
from tests.env.troubled import Anything

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
ANY, OF_OBS = (NEXT_STEP, SAME_STEP, DISABLED), (NEXT_STEP, DISABLED)  # Gymnasium refuses the others


def pendulum():
    return gym.make("Pendulum-v1", max_episode_steps=4)


class Pair(Anything):
    """Two kinds of observation at once, and Pendulum's actions."""

    action_space = Box(-2, 2, (1,))

    def __init__(self):
        super().__init__(Dict(a=Box(-1, 1, (2,)), b=Discrete(4)))

    def reset(self, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self.observation_space.seed(int(self.np_random.integers(99)))
        return self.observation_space.sample(), {}

    def step(self, action):
        return super().step(int(action[0] > 0))


WRAPPERS = {
    "NormalizeObservation": (vector.NormalizeObservation, pendulum, (NEXT_STEP,)),
    "NormalizeReward": (vector.NormalizeReward, pendulum, ANY),
    "TransformObservation": (
        partial(vector.TransformObservation, func=lambda obs: obs * 2, single_observation_space=Box(-20, 20, (3,))),
        pendulum,
        OF_OBS,
    ),
    "VectorizeTransformObservation": (
        partial(
            vector.VectorizeTransformObservation,
            wrapper=RescaleOne,
            min_obs=np.zeros(3, np.float32),
            max_obs=np.ones(3, np.float32),
        ),
        pendulum,
        OF_OBS,
    ),
    "RescaleObservation": (
        partial(vector.RescaleObservation, min_obs=np.zeros(3, np.float32), max_obs=np.ones(3, np.float32)),
        pendulum,
        OF_OBS,
    ),
    "DtypeObservation": (partial(vector.DtypeObservation, dtype=np.float64), pendulum, OF_OBS),
    "ReshapeObservation": (partial(vector.ReshapeObservation, shape=(3, 1)), pendulum, OF_OBS),
    "FlattenObservation": (vector.FlattenObservation, Pair, OF_OBS),
    "FilterObservation": (partial(vector.FilterObservation, filter_keys=["b"]), Pair, OF_OBS),
    "ClipReward": (partial(vector.ClipReward, min_reward=-0.2, max_reward=0.2), pendulum, ANY),
    "TransformReward": (partial(vector.TransformReward, func=lambda rewards: rewards / 2), pendulum, ANY),
    "VectorizeTransformReward": (
        partial(vector.VectorizeTransformReward, wrapper=TransformOneReward, func=abs),
        pendulum,
        ANY,
    ),
    "RescaleAction": (
        partial(vector.RescaleAction, min_action=np.float32([-1]), max_action=np.float32([1])),
        pendulum,
        ANY,
    ),
    "ClipAction": (vector.ClipAction, pendulum, ANY),
    "TransformAction": (partial(vector.TransformAction, func=lambda actions: -actions), pendulum, ANY),
    "VectorizeTransformAction": (
        partial(
            vector.VectorizeTransformAction,
            wrapper=TransformOneAction,
            func=lambda action: action / 2,
            action_space=Box(-4, 4, (1,)),
        ),
        pendulum,
        ANY,
    ),
    "DictInfoToList": (vector.DictInfoToList, Pair, ANY),
    "RecordEpisodeStatistics": (vector.RecordEpisodeStatistics, Pair, (NEXT_STEP, SAME_STEP)),
}
CASES = [pytest.param(*case, mode, id=f"{name}-{mode.value}") for name, case in WRAPPERS.items() for mode in case[2]]


def history(env, mode) -> list:
    """Everything that random actions bring, but for times."""
    told = [env.reset(seed=7)]
    env.action_space.seed(1)
    for _ in range(14):
        told.append(env.step(env.action_space.sample()))
        if isinstance(infos := told[-1][-1], dict) and "episode" in infos:
            infos["episode"].pop("t")
        over = told[-1][2] | told[-1][3]
        if mode is DISABLED and over.any():
            told.append(env.reset(seed=8, options={"reset_mask": over}))
    env.close()
    return told


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # of a Box of float64, in Gymnasium
@pytest.mark.parametrize(("wrapper", "env_fn", "modes", "mode"), CASES)
def test_wrappers(wrapper, env_fn, modes, mode):
    ours = wrapper(GymVectorEnv([env_fn] * 3, autoreset_mode=mode))
    theirs = wrapper(SyncVectorEnv([env_fn] * 3, autoreset_mode=mode))
    assert ours.observation_space == theirs.observation_space
    for told, expected in zip(history(ours, mode), history(theirs, mode), strict=True):
        assert data_equivalence(told, expected, exact=True), f"{told}\n\nis not\n\n{expected}"


@pytest.mark.full
def test_one_around_the_other_over_processes():
    def wrapped(env):
        env = vector.RecordEpisodeStatistics(env)
        return vector.DictInfoToList(vector.NormalizeObservation(vector.NormalizeReward(env)))

    ours = history(wrapped(GymVectorEnv(ShmemVectorEnv([pendulum] * 3))), NEXT_STEP)
    theirs = history(wrapped(SyncVectorEnv([pendulum] * 3)), NEXT_STEP)
    ended = 0
    for told, expected in zip(ours, theirs, strict=True):
        for info in [*told[-1], *expected[-1]]:
            ended += "episode" in info
            info.get("episode", {}).pop("t", None)
        assert data_equivalence(told, expected, exact=True)
    assert ended > 6


def test_masked_resets_leave_the_statistics_of_the_others():
    """Gymnasium's own environments take the mask out of the options, and the wrapper forgets everybody's episode."""
    env = vector.RecordEpisodeStatistics(GymVectorEnv([pendulum] * 2, autoreset_mode=DISABLED))
    env.reset(seed=0)
    still = np.zeros((2, 1), np.float32)
    for _ in range(2):
        env.step(still)
    env.reset(options={"reset_mask": np.array([False, True])})
    for _ in range(2):
        *_, infos = env.step(still)
    assert infos["_episode"].tolist() == [True, False]
    assert infos["episode"]["l"].tolist() == [4, 0]
