"""Environments in Ray actors."""

import os
import signal
import subprocess
import sys
from functools import partial

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import ActorOptions, DummyVectorEnv, PettingZooEnv, RayVectorEnv, WorkerError
from arena.env.workers.ray import RayEnvWorker
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.env.test_backends_agree import NESTED, equal, history
from tests.env.test_processes import gone, pids_of
from tests.env.troubled import KILL, RAISE, WRONG_SHAPE, Anything, Troubled

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("ray_cluster")]
LONG = 3000  # milliseconds


@pytest.fixture
def make():
    made = []

    def make(count=3, **options):
        made.append(RayVectorEnv([lambda number=number: Troubled(number) for number in range(count)], **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.mark.parametrize(
    ("actors", "env_fn"),
    [
        (ActorOptions(2), partial(gym.make, "CartPole-v1")),
        (ActorOptions(1, in_processes=True), partial(Anything, NESTED)),
    ],
)
def test_the_same_seeds_and_actions_give_the_same(actors, env_fn):
    expected = history(DummyVectorEnv, env_fn, 3, 1, 30)
    assert all(map(equal, history(RayVectorEnv, env_fn, 3, 1, 30, actors=actors), expected))


def test_asynchronous_steps(make):
    env = make(3, wait_num=2)
    env.reset()
    *_, info = env.step([LONG, 0, 0])
    assert [one["env_id"] for one in info] == [1, 2]
    with pytest.raises(UsageError, match=r"environments \[0\] are busy"):
        env.step([0, 0], id=[0, 1])
    assert [one["env_id"] for one in env.step(None)[4]] == [0]


def test_one_that_raises_is_told_with_its_traceback(make):
    env = make(actors=ActorOptions(2))
    env.reset()
    with pytest.raises(WorkerError, match=r"(?s)^environment 1 raised in its Ray actor \w+:.*KeyError.*no such square"):
        env.step([0, RAISE, 0])
    assert env.step(None)[0][:, 0].tolist() == [0, 2]
    with pytest.raises(UsageError, match=r"environment 2 returned an observation of shape \(2,\)"):
        env.step([0, WRONG_SHAPE], id=[0, 2])


def test_an_actor_that_dies_is_named_or_replaced(make):
    env = make(2)
    env.reset()
    with pytest.raises(WorkerError, match=r"^environment 1 is lost: its Ray actor \w+ died"):
        env.step([0, KILL])
    env = make(on_failure="restart", actors=ActorOptions(2))
    pids = pids_of(env)
    os.kill(pids[1], signal.SIGKILL)
    with pytest.warns(RuntimeWarning, match="environment 1 is lost"):
        *_, truncated, info = env.step([0, 0, 0])
    assert truncated.tolist() == [False, True, False]
    assert "died" in info[1]["restarted"]
    assert env.reset(1)[1][0]["pid"] not in pids


def test_one_that_sleeps_forever_is_named_and_killed(make):
    env = make(actors=ActorOptions(hang_timeout_s=5.0))
    pids = pids_of(env)
    with pytest.raises(WorkerError, match=r"^environment 1 hangs: its Ray actor \w+ has not answered for 5 s"):
        env.step([0, 3_600_000, 0])
    assert env.reset([0, 2])[0].tolist() == [[0, 0, 0], [2, 0, 0]]
    env.close()
    env.close()
    assert gone(pids)


def test_several_agents_are_collected():
    def collected(kind) -> VectorReplayBuffer:
        script = {"turns": ["a", "b", "a"], "rewards": {1: {"a": 2.0}}}
        collector = Collector(
            RandomPolicy(seed=0), kind([lambda: PettingZooEnv(Scripted(**script))] * 2), VectorReplayBuffer(40, 4)
        )
        collector.collect(n_episode=4)
        collector.close()
        return collector.buffer

    ours, expected = collected(partial(RayVectorEnv, actors=ActorOptions(1))), collected(DummyVectorEnv)
    every = np.arange(40)
    assert all(
        equal(ours[every].get(key), expected[every].get(key)) for key in ("obs", "act", "rew", "obs_next", "done")
    )


def test_a_worker_alone_has_an_actor_of_its_own():
    worker = RayEnvWorker(lambda: Troubled(3))
    assert worker.reset()[0].tolist() == [3, 0, 0]
    assert worker.step(5)[0].tolist() == [3, 1, 5]
    worker.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_gpus": 1}, "the Ray cluster has 0 GPU, not the 3 asked for"),
        ({"num_cpus": 1}, "the Ray cluster has 2 CPU, not the 3 asked for"),
        ({"num_workers": 4}, "num_workers=4 is not between 1 and the number of environments, 3"),
        ({"hang_timeout_s": 0}, "hang_timeout_s=0 is not a number of seconds above 0"),
    ],
)
def test_options_that_would_never_do(make, options, message):
    with pytest.raises(UsageError, match=message):
        make(actors=ActorOptions(**options))


def test_without_ray_installed_one_line_says_so():
    code = """
import sys
sys.modules["ray"] = None  # as if it were not there
from arena.env import RayVectorEnv
from arena.base.errors import UsageError
try:
    RayVectorEnv([dict])
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"Ray is not installed: {install_command('ray')}\n"
