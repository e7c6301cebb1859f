"""`GymVectorEnv` beside Gymnasium's `SyncVectorEnv`: the same seeds and actions give the same, element by element."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.env import DummyVectorEnv, GymVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from tests.env.troubled import Anything

NESTED = Dict(
    image=Box(0, 255, (2, 3), np.uint8),
    deep=Dict(half=Box(-1, 1, (2,), np.float16), piece=Discrete(4)),
    hands=Tuple((MultiBinary(3), MultiDiscrete([2, 5]), Discrete(3, start=-1))),
    word=Text(4),
)


class Talkative(Anything):
    """Tells of each step what it can: numbers, arrays, words, dictionaries, each only at times."""

    def reset(self, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)  # without a seed its numbers go on
        return self.observation_space.sample(), {"options": options}

    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        info["mood"] = {"good": reward > 0, "deep": {"word": "yes"}} if action % 2 else {"array": np.full(2, reward)}
        if action > 2:
            info |= {"whole": action if action == 3 else 0.5, "text": "three", "none": None}
        return obs, reward, terminated, truncated, info


ENVIRONMENTS = {
    "CartPole": lambda: gym.make("CartPole-v1", max_episode_steps=15),
    "Pendulum": lambda: gym.make("Pendulum-v1", max_episode_steps=4),
    "nested": lambda: Talkative(NESTED),
}


def assert_same(ours, theirs):
    assert data_equivalence(ours, theirs, exact=True), f"{ours}\n\nis not\n\n{theirs}"


def assert_alike(ours: GymVectorEnv, theirs: SyncVectorEnv, seed, steps: int, random: int) -> None:
    """Both envs through a reset and random actions; where they do not reset themselves, masked resets."""
    assert_same(ours.reset(seed=seed, options={"hint": 1}), theirs.reset(seed=seed, options={"hint": 1}))
    theirs.action_space.seed(random)
    for step in range(steps):
        actions = theirs.action_space.sample()
        told, expected = ours.step(actions), theirs.step(actions)
        assert_same(told, expected)
        assert ours.observation_space.contains(told[0])
        over = expected[2] | expected[3]
        if over.any() and (theirs.autoreset_mode is AutoresetMode.DISABLED or step % 7 == 0):
            told, expected = (env.reset(seed=step, options={"reset_mask": over}) for env in (ours, theirs))
            assert_same(told, expected)
    assert_same(ours.np_random_seed, theirs.np_random_seed)
    assert [rng.random() for rng in ours.np_random] == [rng.random() for rng in theirs.np_random]


@pytest.mark.full
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", ENVIRONMENTS)
@settings(max_examples=3, deadline=None)
@given(
    seed=st.one_of(st.integers(0, 999), st.lists(st.integers(0, 99), min_size=3, max_size=3)),
    random=st.integers(0, 999),
)
def test_it_behaves_as_gymnasiums_own(name, mode, seed, random):
    fns = [ENVIRONMENTS[name]] * 3
    for copy in (True, False):
        ours = GymVectorEnv(fns, copy=copy, autoreset_mode=mode)
        assert_alike(ours, SyncVectorEnv(fns, copy=copy, autoreset_mode=mode), seed, 30, random)


@pytest.mark.full
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("backend", [ShmemVectorEnv, SubprocVectorEnv])
def test_whatever_holds_the_environments(backend, name, mode):
    fns = [ENVIRONMENTS[name]] * 3
    ours = GymVectorEnv(backend(fns), autoreset_mode=mode)
    assert_alike(ours, SyncVectorEnv(fns, autoreset_mode=mode), 11, 30, 5)
    ours.close()


def cart_poles(**options) -> GymVectorEnv:
    return GymVectorEnv([ENVIRONMENTS["CartPole"]] * 2, **options)


def test_what_it_says_of_itself():
    ours, theirs = cart_poles(), SyncVectorEnv([ENVIRONMENTS["CartPole"]] * 2)
    for key in ("num_envs", "metadata", "render_mode", "spec", "copy", "observation_mode", "autoreset_mode", "closed"):
        assert getattr(ours, key) == getattr(theirs, key), key
    for key in ("observation_space", "single_observation_space", "action_space", "single_action_space"):
        assert getattr(ours, key) == getattr(theirs, key), key
    assert repr(ours) == "GymVectorEnv(num_envs=2)"
    ours.spec = gym.spec("CartPole-v1")
    assert repr(ours) == "GymVectorEnv(CartPole-v1, num_envs=2)"
    assert ours.unwrapped is ours


def test_a_mode_may_be_given_by_its_name():
    assert cart_poles(autoreset_mode="SameStep").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match="autoreset_mode='Sometimes' is none of 'NextStep', 'SameStep', 'Disabled'"):
        cart_poles(autoreset_mode="Sometimes")


def test_the_step_of_a_reset_ignores_the_action_and_earns_nothing():
    env = GymVectorEnv([lambda: gym.make("Pendulum-v1", max_episode_steps=1)])
    env.reset(seed=0)
    assert env.step(np.zeros((1, 1), np.float32))[3].tolist() == [True]
    obs, reward, terminated, truncated, _ = env.step(np.full((1, 1), np.nan, np.float32))
    assert np.isfinite(obs).all()
    assert (reward.tolist(), terminated.tolist(), truncated.tolist()) == ([0.0], [False], [False])


def test_without_copies_the_same_arrays_are_written_anew():
    env, copying = cart_poles(copy=False), cart_poles()
    first, _ = env.reset(seed=1)
    before = first.copy()
    assert env.step([0, 1])[0] is first
    assert (first != before).any()
    kept, _ = copying.reset(seed=1)
    assert copying.step([0, 1])[0] is not kept
    assert kept.tolist() == before.tolist()


def test_final_observations_are_nobodys_to_write_anew():
    env = GymVectorEnv([ENVIRONMENTS["Pendulum"]], copy=False, autoreset_mode="SameStep")
    env.reset(seed=1)
    for _ in range(4):
        obs, *_, infos = env.step(np.ones((1, 1), np.float32))
    final = infos["final_obs"][0].copy()
    assert not np.array_equal(final, obs[0])
    env.step(np.ones((1, 1), np.float32))
    assert np.array_equal(infos["final_obs"][0], final)


def test_call_and_attributes():
    envs = cart_poles(), SyncVectorEnv([ENVIRONMENTS["CartPole"]] * 2), GymVectorEnv(ShmemVectorEnv([Talk] * 2))
    ours, theirs, _ = envs
    for env in envs[:2]:
        env.reset(seed=3)
        env.set_attr("gravity", [1.0, 2.0])
        env.set_attr("_max_episode_steps", 3)  # the TimeLimit wrapper has it
        env.set_attr("brand_new", "here")
    for key in ("gravity", "_max_episode_steps", "brand_new", "np_random_seed", "render_mode"):
        assert ours.get_attr(key) == theirs.get_attr(key)
    assert ours.call("get_wrapper_attr", "gravity") == (1.0, 2.0)
    assert ours.call("has_wrapper_attr", name="levity") == (False, False)
    assert [ours.step([0, 0])[3].all() for _ in range(3)] == [False, False, True]
    with pytest.raises(AttributeError, match="levity"):
        ours.get_attr("levity")
    assert envs[2].call("said", "a", times=2) == ("aa", "aa")
    envs[2].close()


class Talk(Anything):
    def __init__(self):
        super().__init__(Discrete(3))

    def said(self, word, times):
        return word * times


@pytest.mark.parametrize("values", [[1.0], (1.0, 2.0, 3.0), []])
def test_as_many_values_as_environments(values):
    with pytest.raises(
        ValueError, match=rf"set_attr takes 2 values of 'gravity', one per environment, not {len(values)}"
    ):
        cart_poles().set_attr("gravity", values)


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        ([True, False], TypeError, "is a boolean numpy array, not <class 'list'>"),
        (np.array([1, 0]), TypeError, "is a boolean numpy array, not int64"),
        (np.array([True]), ValueError, r"has shape \(2,\) and one True at least, not \[ True\]"),
        (np.array([False, False]), ValueError, r"has shape \(2,\) and one True at least"),
    ],
)
def test_masks_that_mean_nothing(mask, error, message):
    env = cart_poles(autoreset_mode="Disabled")
    env.reset(seed=0)
    with pytest.raises(error, match=message):
        env.reset(options={"reset_mask": mask})
    env.step([0, 0])


def test_a_masked_reset_leaves_the_options_as_they_are_given():
    env = GymVectorEnv([lambda: Anything(Discrete(3))] * 2, autoreset_mode="Disabled")
    env.reset(seed=0)
    options = {"reset_mask": np.array([False, True]), "level": 2}
    _, infos = env.reset(options=options)
    assert set(options) == {"reset_mask", "level"}
    assert infos["options"] == {"level": infos["options"]["level"], "_level": infos["options"]["_level"]}
    assert infos["_options"].tolist() == [False, True]


def test_a_finished_environment_waits_for_its_reset_and_can_go_on():
    env = GymVectorEnv([ENVIRONMENTS["Pendulum"]] * 2, autoreset_mode="Disabled")
    env.reset(seed=0)
    still = np.zeros((2, 1), np.float32)
    for _ in range(4):
        env.step(still)
    with pytest.raises(UsageError, match=r"environments \[0, 1\] are done or not yet reset"):
        env.step(still)
    env.reset(options={"reset_mask": np.array([True, True])})
    env.step(still)


@pytest.mark.parametrize("actions", [[0], [0, 1, 0]])
def test_as_many_actions_as_environments(actions):
    env = cart_poles()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=rf"step takes 2 actions, one per environment, not {len(actions)}"):
        env.step(np.array(actions))
    env.step(np.array([0, 1]))


def test_as_many_seeds_as_environments():
    with pytest.raises(ValueError, match="3 seeds for 2 environments"):
        cart_poles().reset(seed=[1, 2, 3])


def test_some_environments_may_go_without_a_seed():
    env = cart_poles()
    first, second = env.reset(seed=[5, None])[0], env.reset(seed=[5, None])[0]
    assert first[0].tolist() == second[0].tolist()
    assert first[1].tolist() != second[1].tolist()


def test_closed_is_closed():
    inner = DummyVectorEnv([ENVIRONMENTS["CartPole"]])
    env = GymVectorEnv(inner)
    env.close()
    env.close()
    assert env.closed
    assert inner.is_closed
    with pytest.raises(UsageError, match="closed"):
        env.reset()


def test_frames_of_all():
    env = GymVectorEnv([lambda: gym.make("FrozenLake-v1", render_mode="ansi")] * 2)
    env.reset(seed=0)
    frames = env.render()
    assert isinstance(frames, tuple)
    assert all("SFFF" in frame.replace("\x1b[41mS\x1b[0m", "S") for frame in frames)
    assert env.render_mode == "ansi"


def test_normalised_observations_are_in_their_space():
    env = GymVectorEnv(DummyVectorEnv([ENVIRONMENTS["CartPole"]] * 2, norm_obs=True))
    obs, _ = env.reset(seed=0)
    assert (env.single_observation_space.low == -10).all()
    for _ in range(30):
        assert env.observation_space.contains(obs)
        obs, *_ = env.step(env.action_space.sample())


def test_asynchronous_environments_are_not_all_there():
    with pytest.raises(UsageError, match="without wait_num, timeout"):
        GymVectorEnv(DummyVectorEnv([ENVIRONMENTS["CartPole"]] * 2, wait_num=1))
