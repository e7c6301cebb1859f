"""What `ParallelEnv` refuses, and what it says when an environment fails."""

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import ParallelEnv, WorkerError
from tests.env.troubled import RAISE, Troubled

pytestmark = pytest.mark.full


class Sleepless(Troubled):
    action_space = gym.spaces.Discrete(1)

    def __init__(self, number: int = 0, length: int = 9):
        super().__init__(number, length)


@pytest.fixture(params=["dummy", "subproc"])
def make(request):
    made = []

    def make(envs, asynchronous="idle"):
        made.append(ParallelEnv(envs, request.param, asynchronous))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.fixture
def env(make):
    return make([Sleepless(number) for number in range(3)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"para_mode": "threads"}, "para_mode='threads' is none of 'dummy', 'subproc', 'ray', 'ray-subproc'"),
        ({"asynchronous": "wait"}, "asynchronous='wait' is none of None, 'idle', 'restart', 'continue'"),
        ({"num_cpus": 0}, "num_cpus=0 is not a whole number of processes, 1 or more"),
        ({"num_gpus": -1, "para_mode": "ray"}, "num_gpus=-1 are GPUs for Ray's actors"),
        ({"num_gpus": 1}, "num_gpus=1 are GPUs for Ray's actors; para_mode 'dummy' gives them none"),
    ],
)
def test_options_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        ParallelEnv([Troubled()], **options)


def test_environments_are_objects_and_each_another_one():
    with pytest.raises(UsageError, match="at least one environment"):
        ParallelEnv([])
    with pytest.raises(UsageError, match=r"takes environments, not functions that make them; envs\[1\] is"):
        ParallelEnv([Troubled(), lambda: Troubled()])
    with pytest.raises(UsageError, match=r"takes environments; envs\[0\] is 'CartPole-v1'"):
        ParallelEnv(["CartPole-v1"])
    with pytest.raises(UsageError, match="holds an environment twice"):
        ParallelEnv([Troubled()] * 2)


@pytest.mark.parametrize(("id", "count"), [(None, 2), (None, 4), ([0, 1], 1), (2, 0)])
def test_actions_are_one_an_environment(env, id, count):
    env.reset()
    wanted = 3 if id is None else np.size(id)
    with pytest.raises(UsageError, match=f"step takes {wanted} actions, one per environment, not {count}"):
        env.step([0] * count, id)
    assert env.step([0, 0, 0])[1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("id", "message"),
    [
        (3, "not among the environments 0 to 2"),
        ([0, -1], "not among the environments 0 to 2"),
        ([1, 1], "names an environment twice"),
        ([], "id is empty"),
        ("first", "not made of whole numbers"),
    ],
)
def test_ids_are_refused_that_mean_nothing(env, id, message):
    env.reset()
    calls = [
        lambda: env.reset(id),
        lambda: env.step(np.zeros(np.size(id), int), id),
        lambda: env.get_env_attr("number", id),
        lambda: env.customized_method("_obs", id=id),
    ]
    for call in calls:
        with pytest.raises(UsageError, match=message):
            call()
    assert env.step([0, 0, 0])[1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"action": 1}], "data holds 1 dictionaries of arguments for 3 environments"),
        ({"action": 1}, "data is a list of dictionaries of named arguments, one per environment"),
        ([1, 2, 3], "data is a list of dictionaries of named arguments, one per environment"),
        ([{"size": 1}] * 3, r"method '_obs' of environment 0: .*'size'; it is _obs\(action=0\)"),
    ],
)
def test_data_is_a_dictionary_an_environment(env, data, message):
    with pytest.raises(UsageError, match=message):
        env.customized_method("_obs", data)
    assert [obs.tolist() for obs in env.customized_method("_obs")] == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]


def test_methods_that_are_not_there(env):
    with pytest.raises(UsageError, match="environment 1 has no method 'solve'"):
        env.customized_method("solve", id=1)
    with pytest.raises(UsageError, match="environment 2 has no method 'number'"):
        env.customized_method("number", id=2)


def test_before_the_first_reset_nothing_steps(env):
    assert (env.has_done(), env.all_done()) == (False, False)
    with pytest.raises(UsageError, match=r"environments \[0, 1, 2\] are done or not yet reset"):
        env.step([0, 0, 0])


def test_other_words(env):
    env.reset()
    with pytest.raises(UsageError, match="align='rows' is none of 'batch', 'item'"):
        env.step([0, 0, 0], align="rows")
    with pytest.raises(UsageError, match="2 seeds for 3 environments"):
        env.seed([1, 2])
    with pytest.raises(UsageError, match=r"step\(None\) fetches steps under way, and there are none"):
        env.step(None)


def test_restarting_environments_wait_for_a_reset_after_a_rollout(make):
    env = make([Sleepless(0, 2), Sleepless(1, 3)], "restart")
    env.rollout()
    with pytest.raises(UsageError, match=r"environments \[1\] are done; reset them before they step"):
        env.step([0], id=[1])
    env.reset(1)
    assert env.step([0], id=[1])[1].tolist() == [1.0]


def test_closed_is_closed(env):
    env.rollout()
    env.close()
    calls = [env.reset, env.rollout, lambda: env.step([0, 0, 0]), lambda: env.seed(1)]
    calls += [lambda: env.get_env_attr("number"), lambda: env.set_env_attr("number", 1)]
    calls += [lambda: env.customized_method("_obs")]
    for call in calls:
        with pytest.raises(UsageError, match="closed"):
            call()


@pytest.mark.parametrize("asynchronous", [None, "idle", "restart", "continue"])
def test_one_that_raises_loses_nothing_of_the_others(make, asynchronous):
    env = make([Troubled(number) for number in range(3)], asynchronous)
    env.reset()
    with pytest.raises((KeyError, WorkerError), match="no such square"):
        env.step([0, RAISE, 0])
    obs, rew, *_ = env.step(None)
    assert (obs[:, 0].tolist(), rew.tolist()) == ([0, 2], [1.0, 1.0])
    with pytest.raises(UsageError, match=r"environments \[1\] are done or not yet reset"):
        env.step([0, 0, 0])
    env.reset(1)
    assert env.step([0, 0, 0])[1].tolist() == [2.0, 1.0, 2.0]


def test_a_rollout_that_fails_can_be_begun_again(make):
    class Fragile(Sleepless):
        is_broken = True

        def step(self, action):
            if self.is_broken and self.steps == 1:
                raise OSError("no more sand")
            return super().step(action)

    env = make([Fragile(0, 2), Fragile(1, 2)])
    with pytest.raises((OSError, WorkerError), match="no more sand"):
        env.rollout()
    env.set_env_attr("is_broken", False)
    assert [steps.rew.tolist() for steps in env.rollout()] == [[1.0, 2.0]] * 2


def test_older_interfaces_are_named(make):
    class Four(Troubled):
        def step(self, action):
            return self._obs(), 0.0, False, {}

    class NoInfo(Troubled):
        def reset(self, seed=None, options=None):
            return self._obs()

    env = make([Troubled(), Four(1)])
    env.reset()
    with pytest.raises(WorkerError, match="environment 1 returned 4 values from step, Gymnasium's has 5 values"):
        env.step([0, 0])
    with pytest.raises(WorkerError, match="environment 0 returned a ndarray from reset, Gymnasium's has 2 values"):
        make([NoInfo()]).reset()
