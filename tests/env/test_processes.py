"""Environments in processes: every way to start them, what goes through the pipe, and how they end."""

import gc
import os
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import IllegalActionError, UsageError
from arena.env import PettingZooEnv, ProcessOptions, ShmemVectorEnv, SubprocVectorEnv
from arena.env.workers.subproc import SubprocEnvWorker
from tests.collector.games import Scripted
from tests.env.troubled import Anything, Troubled

pytestmark = pytest.mark.full

KINDS = [SubprocVectorEnv, ShmemVectorEnv]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be noticed does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter if it goes while it is read
        return False


def gone(pids, within_s: float = 60.0) -> bool:
    ends = time.monotonic() + within_s
    while time.monotonic() < ends and any(map(is_alive, pids)):
        time.sleep(0.02)
    return not any(map(is_alive, pids))


def pids_of(env) -> list[int]:
    return [info["pid"] for info in env.reset()[1]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_closures_work_however_processes_start(kind, context):
    class Local(Troubled):
        pass

    env = kind([lambda number=number: Local(number) for number in (4, 5)], processes=ProcessOptions(context=context))
    obs, info = env.reset()
    assert obs.tolist() == [[4, 0, 0], [5, 0, 0]]
    assert len({os.getpid(), *(one["pid"] for one in info)}) == 3
    obs, rew, terminated, truncated, info = env.step([1, 2])
    assert obs.tolist() == [[4, 1, 1], [5, 1, 2]]
    assert (rew.tolist(), terminated.tolist(), truncated.tolist()) == ([1.0, 1.0], [False] * 2, [False] * 2)
    assert "env_id" not in info[0]
    env.close()


def test_a_way_to_start_that_does_not_exist():
    with pytest.raises(UsageError, match=r"context 'thread' is no way to start a process here; known: .*spawn"):
        SubprocVectorEnv([Troubled], processes=ProcessOptions(context="thread"))


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_seeds_and_rendering_go_through_the_pipe(kind):
    env = kind([lambda: gym.make("CartPole-v1", render_mode=None)] * 2)
    assert [spec.id for spec in env.get_env_attr("spec")] == ["CartPole-v1"] * 2
    env.set_env_attr("gravity", 1.5, id=1)
    assert env.get_env_attr("gravity") == [9.8, 1.5]
    env.set_env_attr("wish", lambda: 7)
    with pytest.raises(AttributeError, match="levity"):
        env.get_env_attr("levity")
    assert env.seed([3, 3]) == [3, 3]
    obs, _ = env.reset()
    assert obs[0].tolist() == obs[1].tolist()
    assert obs[0].tolist() == gym.make("CartPole-v1").reset(seed=3)[0].tolist()
    env.close()


def test_results_of_shared_memory_are_copies():
    env = ShmemVectorEnv([Troubled])
    first, _ = env.reset()
    env.step([3])
    assert first.tolist() == [[0, 0, 0]]
    env.close()


def test_large_observations_and_actions_pass():
    class Echo(Anything):
        def step(self, action):
            return action, 0.0, False, False, {}

    env = SubprocVectorEnv([lambda: Echo(gym.spaces.Box(0, 1, (512, 512)))] * 2)
    env.reset(seed=0)
    action = np.random.default_rng(0).random((2, 512, 512))
    assert (env.step(action)[0] == action).all()
    env.close()


@pytest.mark.parametrize("kind", KINDS)
def test_objects_are_observations_too(kind):
    class Words(Anything):
        def reset(self, seed=None, options=None):
            return {"move"}, {}

    env = kind([lambda: Words(gym.spaces.Discrete(2))] * 2)
    obs, _ = env.reset()
    assert (obs.dtype, obs.tolist()) == (object, [{"move"}, {"move"}])
    env.close()


def test_an_illegal_action_is_refused_before_any_environment_steps():
    script = {"turns": ["a", "b", "a"], "rewards": {}}
    env = ShmemVectorEnv([lambda: PettingZooEnv(Scripted(**script))] * 2)
    env.reset()
    with pytest.raises(IllegalActionError, match="action 4 of a is illegal; legal are"):
        env.step([0, 4])
    assert env.step([0, 1])[0].obs.tolist() == [[1, 1], [1, 1]]
    assert env.final_obs().obs.shape == (2, 2, 2)
    env.close()


@pytest.mark.parametrize("kind", KINDS)
def test_closing_ends_the_processes(kind):
    env = kind([Troubled] * 3)
    pids = pids_of(env)
    assert all(map(is_alive, pids))
    env.close()
    env.close()
    assert env.is_closed
    assert not any(map(is_alive, pids))
    with pytest.raises(UsageError, match="the vector environment is closed"):
        env.reset()


@pytest.mark.parametrize("kind", KINDS)
def test_garbage_collection_closes(kind):
    env = kind([Troubled] * 2)
    pids = pids_of(env)
    del env
    gc.collect()
    assert gone(pids)


def test_a_closed_worker_says_so_and_environments_close_themselves(tmp_path):
    class Leaving(Troubled):
        def close(self):
            (tmp_path / "closed").touch()

    worker = SubprocEnvWorker(Leaving)
    worker.reset()
    worker.close()
    worker.close()
    assert (tmp_path / "closed").exists()
    with pytest.raises(UsageError, match="closed"):
        worker.reset()


def test_an_environment_that_cannot_be_made_leaves_nothing(tmp_path):
    def broken():
        (tmp_path / str(os.getpid())).touch()
        raise OSError("no display")

    def sound():
        (tmp_path / str(os.getpid())).touch()
        return Troubled()

    with pytest.raises(RuntimeError, match=r"(?s)environment 1 raised in its process.*in broken.*no display"):
        SubprocVectorEnv([sound, broken, sound])
    assert gone(int(path.name) for path in tmp_path.iterdir())
