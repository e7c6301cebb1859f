"""Environments that fail where the run is to go on."""

import os
import signal

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv, PettingZooEnv, ProcessOptions, ShmemVectorEnv, SubprocVectorEnv, WorkerError
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.env.test_processes import pids_of
from tests.env.troubled import EXIT, KILL, RAISE, Troubled

pytestmark = pytest.mark.full

PROCESSES = [SubprocVectorEnv, ShmemVectorEnv]
ALL = [DummyVectorEnv, *PROCESSES]


@pytest.fixture
def make():
    made = []

    def make(kind, env_fns=None, **options):
        env_fns = env_fns or [lambda number=number: Troubled(number) for number in range(4)]
        made.append(kind(env_fns, on_failure="restart", **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


def assert_cut(step, row, last, reason):
    obs, rew, terminated, truncated, info = step
    assert obs[row].tolist() == last
    assert rew[row] == 0.0
    assert not terminated[row]
    assert truncated[row]
    assert reason in info[row]["restarted"]


@pytest.mark.parametrize("kind", ALL)
def test_one_that_raises_is_made_anew_and_its_episode_is_cut_off(make, kind):
    env = make(kind)
    env.reset()
    env.step([5, 5, 5, 5])
    with pytest.warns(RuntimeWarning, match=r"(?s)restarted: environment 1 raised .*no such square"):
        step = env.step([0, RAISE, 0, 0])
    assert_cut(step, 1, [1, 1, 5], "no such square")
    assert step[0][[0, 2, 3]].tolist() == [[0, 2, 0], [2, 2, 0], [3, 2, 0]]
    assert step[3].tolist() == [False, True, False, False]
    assert env.num_restarts == 1
    with pytest.raises(UsageError, match=r"environments \[1\] are done"):
        env.step([0, 0, 0, 0])
    assert env.reset(1)[0].tolist() == [[1, 0, 0]]
    assert env.step([0, 0, 0, 0])[0][:, 1].tolist() == [3, 1, 3, 3]


@pytest.mark.parametrize("kind", PROCESSES)
@pytest.mark.parametrize(("how", "said"), [(KILL, "SIGKILL"), (EXIT, "status 3")])
def test_a_process_that_dies_is_replaced_with_all_that_it_hosts(make, kind, how, said):
    env = make(kind, processes=ProcessOptions(2))
    pids = pids_of(env)
    with pytest.warns(RuntimeWarning, match=said):
        step = env.step([0, 0, how, 0])
    assert step[3].tolist() == [True, False, True, False]
    for row in (0, 2):
        assert_cut(step, row, [row, 0, 0], said)
    assert env.num_restarts == 2
    *_, info = env.reset([0, 2])
    assert info[0]["pid"] == info[1]["pid"] not in pids
    assert env.step([0] * 4)[0].tolist() == [[0, 1, 0], [1, 2, 0], [2, 1, 0], [3, 2, 0]]


@pytest.mark.parametrize("kind", PROCESSES)
def test_those_that_were_idle_in_it_are_cut_off_at_their_next_step(make, kind):
    env = make(kind, processes=ProcessOptions(1))
    env.reset()
    with pytest.warns(RuntimeWarning, match="SIGKILL"):
        env.step([KILL], id=[3])
    env.reset(3)
    with pytest.warns(RuntimeWarning, match="environment 0 is lost: its host was replaced"):
        step = env.step([0, 0], id=[0, 3])
    assert_cut(step, 0, [0, 0, 0], "replaced")
    assert step[0][1].tolist() == [3, 1, 0]
    assert env.reset([0, 1, 2])[0][:, 1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", PROCESSES)
def test_one_that_hangs_is_replaced(make, kind):
    env = make(kind, processes=ProcessOptions(hang_timeout_s=2.0))
    env.reset()
    with pytest.warns(RuntimeWarning, match="environment 1 hangs"):
        step = env.step([0, 3_600_000, 0, 0])
    assert_cut(step, 1, [1, 0, 0], "hangs")
    env.reset(1)
    assert env.step([0] * 4)[0][:, 1].tolist() == [2, 1, 2, 2]


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_reset_is_made_again(make, kind):
    env = make(kind)
    pids = pids_of(env)
    os.kill(pids[2], signal.SIGKILL)
    with pytest.warns(RuntimeWarning, match="environment 2 is lost"):
        obs, info = env.reset(seed=4)
    assert obs[:, 0].tolist() == [0, 1, 2, 3]
    assert info[2]["pid"] != pids[2]


def test_asynchronous_steps_go_on(make):
    env = make(SubprocVectorEnv, wait_num=2)
    env.reset()
    with pytest.warns(RuntimeWarning, match="environment 1 is lost"):
        told = [*env.step([0, KILL, 0, 0])[4], *env.step(None)[4]]
    assert sorted(info["env_id"] for info in told) == [0, 1, 2, 3]
    assert [info["env_id"] for info in told if "restarted" in info] == [1]


class Breaking(Scripted):
    """Dies with its process at the move of a given number."""

    def __init__(self, breaks_at: int):
        super().__init__(turns=["a", "b", "a", "c", "a"], rewards={4: {"a": 1.0, "c": -1.0}})
        self._left = breaks_at

    def step(self, action):
        self._left -= 1
        if self._left == 0:
            os._exit(3)
        super().step(action)


def test_what_several_agents_saw_last_ends_their_transitions(make):
    env = make(SubprocVectorEnv, [lambda: PettingZooEnv(Breaking(4)), lambda: PettingZooEnv(Breaking(1000))])
    collector = Collector(RandomPolicy(seed=0), env, VectorReplayBuffer(60, 6))
    with pytest.warns(RuntimeWarning, match="environment 0 is lost"):
        stats = collector.collect(n_step=8)
    assert stats.n_collected_episodes == 1
    assert env.num_restarts == 1
    rows = collector.buffer[collector.buffer.sample_indices(0)]
    cut = rows[rows.truncated]
    assert sorted(cut.obs.agent_id.tolist()) == [0, 1, 2]
    assert cut.obs_next.agent_id.tolist() == cut.obs.agent_id.tolist()
    assert not cut.terminated.any()
    assert np.array_equal(cut.obs_next.obs[cut.obs.agent_id == 1], cut.obs.obs[cut.obs.agent_id == 1])
    collector.close()


def test_an_environment_that_cannot_even_be_reset_is_an_error(make):
    env = make(DummyVectorEnv, [lambda: Unwilling()])
    with pytest.warns(RuntimeWarning, match="not today"), pytest.raises(RuntimeError, match="not today"):
        env.reset()


class Unwilling(Troubled):
    def reset(self, seed=None, options=None):
        raise RuntimeError("not today")


def test_what_a_caller_did_wrong_stays_an_error(make):
    env = make(SubprocVectorEnv, [lambda: PettingZooEnv(Breaking(1000))])
    env.reset()
    with pytest.raises(UsageError, match="illegal"):
        env.step([99])
    assert env.num_restarts == 0
    with pytest.raises(UsageError, match="on_failure='ignore' is neither 'raise' nor 'restart'"):
        DummyVectorEnv([Troubled], on_failure="ignore")


@pytest.mark.parametrize("kind", PROCESSES)
def test_without_it_a_failure_is_raised(kind):
    env = kind([Troubled])
    env.reset()
    assert env.num_restarts == 0
    with pytest.raises(WorkerError, match="environment 0 is lost"):
        env.step([KILL])
    env.close()
