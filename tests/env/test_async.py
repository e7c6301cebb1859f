"""Asynchronous stepping: who answers when, and what a busy environment is told."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import DummyVectorEnv, ProcessOptions, ShmemVectorEnv, SubprocVectorEnv
from tests.env.troubled import Troubled

pytestmark = pytest.mark.full

PROCESSES = [SubprocVectorEnv, ShmemVectorEnv]
LONG = 2000  # milliseconds, far beyond what a step without sleep takes, on a slow machine too


@pytest.fixture
def make():
    made = []

    def make(kind, **options):
        made.append(kind([lambda number=number: Troubled(number) for number in range(4)], **options))
        made[-1].reset()
        return made[-1]

    yield make
    for env in made:
        env.close()


def env_ids(info) -> list[int]:
    return [one["env_id"] for one in info]


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_step_returns_once_enough_have_finished(make, kind):
    env = make(kind, wait_num=3)
    obs, rew, *_, info = env.step([0, LONG, 0, 0])
    assert env_ids(info) == [0, 2, 3]
    assert obs[:, 0].tolist() == [0, 2, 3]
    assert rew.tolist() == [1.0, 1.0, 1.0]
    obs, *_, info = env.step([LONG, LONG], id=[0, 3])
    assert env_ids(info) == [0, 1, 3]
    assert obs.tolist() == [[0, 2, LONG], [1, 1, LONG], [3, 2, LONG]]


@pytest.mark.parametrize("kind", PROCESSES)
def test_at_most_wait_num_answer(make, kind):
    env = make(kind, wait_num=2)
    *_, info = env.step([0, 0, 0, 0])
    *_, rest = env.step(None)
    assert sorted(env_ids(info) + env_ids(rest)) == [0, 1, 2, 3]
    with pytest.raises(UsageError, match="fetches steps under way, and there are none"):
        env.step(None)


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_busy_environment_refuses_an_action(make, kind):
    env = make(kind, wait_num=3)
    env.step([0, LONG, 0, 0])
    with pytest.raises(UsageError, match=r"environments \[1\] are busy with a step"):
        env.step([0, 0], id=[0, 1])
    with pytest.raises(UsageError, match=r"there are none in \[0\]"):
        env.step(None, id=[0])
    assert env.step(None, id=1)[0].tolist() == [[1, 1, LONG]]
    assert env_ids(env.step([0, 0, 0, 0])[4])[:2] != []


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_timeout_returns_who_is_ready_and_waits_for_one(make, kind):
    env = make(kind, timeout=0.5)
    *_, info = env.step([0, 0, LONG, LONG])
    assert env_ids(info) == [0, 1]
    *_, info = env.step(None)
    assert set(env_ids(info)) <= {2, 3}
    assert len(info) >= 1


@pytest.mark.parametrize("kind", PROCESSES)
def test_attributes_of_a_busy_environment_wait_for_its_step(make, kind):
    env = make(kind, wait_num=3)
    env.step([0, LONG, 0, 0])
    assert env.get_env_attr("steps") == [1, 1, 1, 1]
    env.set_env_attr("number", 9, id=1)
    assert env.step(None)[0].tolist() == [[1, 1, LONG]]
    assert env.step([0], id=1)[0].tolist() == [[9, 2, 0]]


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_reset_drops_the_step_under_way_and_counts_it(make, kind):
    env = make(kind, wait_num=3)
    env.step([0, LONG, 0, 0])
    assert env.reset(1)[0].tolist() == [[1, 0, 0]]
    assert env.num_dropped_steps == 1
    assert env.step([0], id=1)[0].tolist() == [[1, 1, 0]]


def test_in_this_process_every_step_has_finished(make):
    env = make(DummyVectorEnv, wait_num=2, timeout=0.1)
    assert env_ids(env.step([0, 0, 0, 0])[4]) == [0, 1, 2, 3]
    assert env_ids(env.step([0, 0], id=[3, 1])[4]) == [1, 3]


def test_synchronous_steps_may_be_fetched_in_parts(make):
    env = make(SubprocVectorEnv)
    assert not env.is_async
    assert env.step([0, 0], id=[2, 1])[0][:, 0].tolist() == [2, 1]


@pytest.mark.parametrize("wait_num", [0, 5, -1])
def test_wait_num_counts_environments(wait_num):
    with pytest.raises(UsageError, match=rf"wait_num={wait_num} is not between 1 and the number of environments, 4"):
        SubprocVectorEnv([Troubled] * 4, wait_num=wait_num)


@pytest.mark.parametrize("seconds", [0, -0.5, np.nan])
def test_seconds_are_above_zero(seconds):
    with pytest.raises(UsageError, match="timeout="):
        DummyVectorEnv([Troubled], timeout=seconds)
    with pytest.raises(UsageError, match="hang_timeout_s="):
        SubprocVectorEnv([Troubled], processes=ProcessOptions(hang_timeout_s=seconds))
