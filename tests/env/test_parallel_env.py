"""`ParallelEnv`: what an end means in each mode, the same wherever the environments run."""

import gc
import warnings

import gymnasium as gym
import numpy as np
import pytest

from arena.data import ReplayBuffer
from arena.env import ParallelEnv, PettingZooEnv
from tests.collector.games import Scripted
from tests.env.lives import Life
from tests.env.test_backends_agree import equal
from tests.env.test_processes import gone, is_alive
from tests.env.troubled import Anything, Troubled

NOTHING = (None, None, True, False, {})


@pytest.fixture(params=["dummy", "subproc"])
def make(request):
    made = []

    def make(envs, asynchronous=None, **options):
        made.append(ParallelEnv(envs, request.param, asynchronous, **options))
        return made[-1]

    make.para_mode = request.param
    yield make
    for env in made:
        env.close()


def plain(results) -> list:
    """Tuples of results with observations as lists."""
    return [(None if obs is None else obs.tolist(), *rest) for obs, *rest in results]


def test_none_stops_everybody_after_the_first_end(make):
    env = make([Life(0, 3), Life(1, 2)])
    env.reset()
    assert plain(env.step([0, 0], align="batch")) == [([0, 1], 1.0, False, False, {}), ([1, 1], 1.0, False, False, {})]
    assert (env.has_done(), env.all_done()) == (False, False)
    assert plain(env.step([0, 0], align="batch")) == [([0, 2], 2.0, False, False, {}), ([1, 2], 2.0, True, False, {})]
    assert (env.has_done(), env.all_done()) == (True, True)
    stopped = [(None, None, False, True, {}), NOTHING]
    for actions in ([0, 0], [None, "anything"]):
        assert env.step(actions, align="batch") == stopped
    assert env.step([0], id=0, align="batch") == stopped[:1]
    assert env.get_env_attr("steps") == [2, 2]
    env.reset()
    assert (env.has_done(), env.all_done()) == (False, False)
    assert plain(env.step([0, 0], align="batch"))[0] == ([0, 1], 1.0, False, False, {})


@pytest.mark.full
def test_idle_stops_the_one_that_has_ended(make):
    env = make([Life(0, 3), Life(1, 1), Life(2, 2)], "idle")
    env.reset()
    told = [plain(env.step([0, 0, 0], align="batch")) for _ in range(4)]
    assert [one[0] for one in told] == [
        ([0, 1], 1.0, False, False, {}),
        ([0, 2], 2.0, False, False, {}),
        ([0, 3], 3.0, True, False, {}),
        NOTHING,
    ]
    assert [one[1] for one in told] == [([1, 1], 1.0, True, False, {}), NOTHING, NOTHING, NOTHING]
    assert env.all_done()
    assert env.reset(1)[0].tolist() == [[1, 0]]
    assert (env.has_done(), env.all_done()) == (True, False)
    told = plain(env.step([0, 0], id=[2, 1], align="batch"))
    assert told == [NOTHING, ([1, 1], 1.0, True, False, {})]


def test_restart_begins_the_next_episode_at_once(make):
    env = make([Life(0, 2), Life(1, 3)], "restart")
    env.reset()
    told = [env.step([0, 0]) for _ in range(4)]
    assert [obs[0].tolist() for obs, *_ in told] == [[0, 1], [0, 0], [0, 1], [0, 0]]
    assert [obs[1].tolist() for obs, *_ in told] == [[1, 1], [1, 2], [1, 0], [1, 1]]
    assert [rew.tolist() for _, rew, *_ in told] == [[1, 1], [2, 2], [1, 3], [2, 1]]
    assert [ended.tolist() for _, _, ended, *_ in told] == [[False, False], [True, False], [False, True], [True, False]]
    infos = [info[1] for *_, info in told]
    assert [info["reset"] for info in infos] == [False, False, True, False]
    assert [info["ended_state"].tolist() for info in infos if "ended_state" in info] == [[1, 3]]
    assert (env.has_done(), env.all_done()) == (False, False)


def test_the_ended_state_survives_an_environment_that_reuses_its_memory(make):
    class Reusing(Life):
        def __init__(self):
            super().__init__(0, 1)
            self.memory = np.zeros(2, np.int64)

        def _obs(self, action=0):
            self.memory[:] = super()._obs()
            return self.memory

    env = make([Reusing()], "restart")
    env.reset()
    ((obs, *_, info),) = env.step([0], align="batch")
    assert (obs.tolist(), info["ended_state"].tolist()) == ([0, 0], [0, 1])


def test_continue_steps_on_after_the_end(make):
    env = make([Life(0, 1), Life(1, 2)], "continue")
    env.reset()
    told = [env.step([0, 0]) for _ in range(3)]
    assert [obs.tolist() for obs, *_ in told] == [[[0, n], [1, n]] for n in (1, 2, 3)]
    assert [ended.tolist() for _, _, ended, *_ in told] == [[True, False], [False, True], [False, False]]
    assert env.all_done()
    env.reset(0)
    assert (env.has_done(), env.all_done()) == (True, False)


def test_a_truncated_episode_stays_truncated(make):
    env = make([gym.make("CartPole-v1", max_episode_steps=1), gym.make("CartPole-v1")], "idle")
    env.reset()
    env.step([0, 0])
    assert env.step([0, 0], align="batch")[0] == (None, None, False, True, {})


def test_items_are_batches_and_objects_where_something_is_none(make):
    env = make([Life(0, 2), Life(1, 1)], "idle")
    obs, info = env.reset()
    assert (obs.shape, info.dtype) == ((2, 2), object)
    obs, rew, terminated, truncated, info = env.step([0, 0], align="item")
    assert (obs.dtype, rew.dtype, info.dtype) == (np.int64, np.float64, object)
    obs, rew, terminated, truncated, info = env.step([0, 0])
    assert (obs.shape, obs.dtype, rew.shape, rew.dtype, info.shape) == ((2,), object, (2,), object, (2,))
    assert (obs[0].tolist(), obs[1], rew.tolist(), info.tolist()) == ([0, 2], None, [2.0, None], [{}, {}])
    assert (terminated.dtype, truncated.dtype) == (bool, bool)
    assert (terminated.tolist(), truncated.tolist()) == ([True, True], [False, False])


def test_observations_that_do_not_fit_each_other_come_as_objects(make):
    env = make([Anything(gym.spaces.Box(0, 1, (size,))) for size in (2, 3)], "continue")
    env.seed(0)
    obs, _ = env.reset()
    assert [one.shape for one in obs] == [(2,), (3,)]
    obs, *_ = env.step([1, 1])
    assert [one.shape for one in obs] == [(2,), (3,)]


def test_dictionaries_come_as_batches(make):
    env = make([Anything(gym.spaces.Dict(a=gym.spaces.Discrete(3), b=gym.spaces.Box(0, 1, (2,)))) for _ in range(3)])
    obs, _ = env.reset([2, 0])
    assert (obs.a.shape, obs.b.shape) == ((2,), (2, 2))


@pytest.mark.full
def test_attributes_and_methods(make):
    env = make([Life(number, 9) for number in range(3)], num_cpus=2)
    assert len(env) == 3
    env.set_env_attr("wish", 7, id=[0, 2])
    assert env.get_env_attr("wish") == [7, None, 7]
    assert env.get_env_attr("number", id=[2, 0]) == [2, 0]
    assert env.customized_method("add", [{"x": 3}, {"x": 1, "times": 5}], id=[2, 1]) == [5, 6]
    assert env.customized_method("add", data=[{"x": 4}], id=1) == [5]
    assert [obs.tolist() for obs in env.customized_method("_obs")] == [[0, 0], [1, 0], [2, 0]]


@pytest.mark.full
def test_attributes_of_wrapped_environments(make):
    env = make([gym.make("CartPole-v1"), gym.make("Pendulum-v1")])
    assert env.get_env_attr("gravity") == [9.8, None]
    assert [spec.id for spec in env.get_env_attr("spec")] == ["CartPole-v1", "Pendulum-v1"]
    env.set_env_attr("gravity", 1.5, id=0)
    assert env.get_env_attr("gravity") == [1.5, None]


def cartpoles() -> list:
    return [gym.make("CartPole-v1", max_episode_steps=steps) for steps in (4, 60, 9)]


@pytest.mark.full
@pytest.mark.parametrize("asynchronous", [None, "idle", "restart", "continue"])
def test_equal_seeds_and_actions_give_the_same_as_in_this_process(make, asynchronous):
    ours, expected = make(cartpoles(), asynchronous, num_cpus=2), ParallelEnv(cartpoles(), "dummy", asynchronous)
    rng = np.random.default_rng(5)
    assert ours.seed([3, 4, 5]) == expected.seed(3)
    assert equal(ours.reset(), expected.reset())
    for _ in range(70):
        actions = rng.integers(0, 2, 3)
        assert equal(ours.step(actions), expected.step(actions))
    assert ours.has_done() == expected.has_done() == (asynchronous != "restart")


@pytest.mark.parametrize("asynchronous", [None, "idle", "restart", "continue"])
def test_a_rollout_ends_every_environment(make, asynchronous):
    env = make([Life(0, 3), Life(1, 1), Life(2, 4)], asynchronous)
    env.reset(2)
    env.step([0], id=2)
    steps = env.rollout()
    assert [one.obs.tolist() for one in steps] == [[[0, 0], [0, 1], [0, 2]], [[1, 0]], [[2, 1], [2, 2], [2, 3]]]
    assert steps[2].obs_next.tolist() == [[2, 2], [2, 3], [2, 4]]
    assert (steps[2].rew - steps[2].act).tolist() == [2.0, 3.0, 4.0]
    assert [one.terminated.tolist() for one in steps] == [[False, False, True], [True], [False, False, True]]
    assert env.all_done()
    assert [len(one) for one in env.rollout()] == [3, 1, 4]


def test_rollouts_repeat_with_their_seeds_and_fill_a_buffer(make):
    env = make([gym.make("CartPole-v1") for _ in range(2)])
    twice = []
    for _ in range(2):
        env.seed(8)
        twice.append(env.rollout())
    assert twice[0] == twice[1] != env.rollout()
    buffer = ReplayBuffer(500)
    for step in twice[0][1]:
        buffer.add(step)
    assert len(buffer) == len(twice[0][1])
    assert buffer[:].obs_next.tolist() == twice[0][1].obs_next.tolist()


@pytest.mark.full
def test_environments_that_share_an_action_space_draw_from_it_apart(make):
    class Sharing(Life):
        action_space = gym.spaces.Discrete(1000)

    env = make([Sharing(number, 5) for number in range(2)])
    assert env.seed(3) == [3, 4]
    drawn = [[space.sample() for _ in range(5)] for space in (gym.spaces.Discrete(1000, seed=seed) for seed in (3, 4))]
    assert [steps.act.tolist() for steps in env.rollout()] == drawn


@pytest.mark.full
def test_a_rollout_takes_legal_actions_of_many_agents(make):
    script = {"turns": ["a", "b", "a"], "rewards": {2: {"a": 1.0, "b": -1.0}}}
    env = make([PettingZooEnv(Scripted(**script)) for _ in range(2)], "idle")
    env.seed(1)
    for steps in env.rollout():
        assert steps.obs.mask[np.arange(3), steps.act].all()
        assert steps.rew[-1].tolist() == [1.0, -1.0]
    env.reset(0)
    *_, terminated, truncated, _ = env.step([0, None])
    assert (terminated.tolist(), truncated.shape) == ([[False, False], [True, True]], (2, 2))


class Warner(Life):
    def step(self, action):
        warnings.warn("an old habit", stacklevel=1)
        gym.logger.warn("an odd action")
        return super().step(action)


@pytest.mark.parametrize("no_warning", [True, False])
def test_warnings_of_environments_are_dropped_unless_wanted(make, no_warning):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # in child processes too, which begin as copies of this one
        env = make([Warner(0, 5), Warner(1, 5)], no_warning=no_warning)
        env.reset()
        if no_warning:
            assert env.step([0, 0])[1].tolist() == [1.0, 1.0]
            with pytest.raises(UserWarning):
                warnings.warn("not an environment's", stacklevel=1)
        else:
            with pytest.raises((UserWarning, RuntimeError), match="an old habit"):
                env.step([0, 0])


def test_closing_leaves_no_processes():
    env = ParallelEnv([Troubled(number) for number in range(3)], "subproc")
    pids = [info["pid"] for info in env.reset()[1]]
    assert all(map(is_alive, pids))
    env.close()
    env.close()
    assert env.is_closed
    assert not any(map(is_alive, pids))


@pytest.mark.full
def test_garbage_collection_closes():
    env = ParallelEnv([Troubled(number) for number in range(2)], "subproc")
    pids = [info["pid"] for info in env.reset()[1]]
    del env
    gc.collect()
    assert gone(pids)
