"""Replay buffers from and as Minari datasets, each on disk."""

import builtins
import re

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.collector import Collector
from arena.data import Batch, PrioritizedReplayBuffer, ReplayBuffer, VectorReplayBuffer
from arena.data.minari import buffer_from_minari, buffer_to_minari
from arena.env import DummyVectorEnv
from arena.policy.random import RandomPolicy

minari = pytest.importorskip("minari")


@pytest.fixture(autouse=True)
def datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


class Walk(gym.Env):
    """A walk whose observations nest a dictionary, a tuple of two shapes, a tuple of one and a text."""

    observation_space = spaces.Dict(
        {
            "at": spaces.Box(-9, 9, (2,), np.float32),
            "deep": spaces.Dict({"step": spaces.Discrete(20)}),
            "mixed": spaces.Tuple([spaces.Discrete(20), spaces.Box(0, 20, (3,), np.float64)]),
            "pair": spaces.Tuple([spaces.Discrete(20), spaces.Discrete(20)]),
            "said": spaces.Text(9),
        }
    )
    action_space = spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self, length: int = 4, truncate: bool = False):
        self.length, self.truncate = length, truncate

    def _obs(self):
        t = self.t
        mixed = (t, np.full(3, t / 2))
        return {"at": self.at.copy(), "deep": {"step": t}, "mixed": mixed, "pair": (t, 19 - t), "said": f"step {t}"}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t, self.at = 0, np.zeros(2, np.float32)
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        self.at += np.asarray(action)
        over = self.t == self.length
        return self._obs(), float(self.t), over and not self.truncate, over and self.truncate, {}


def collected(env_fns: list, steps: int) -> VectorReplayBuffer:
    buffer = VectorReplayBuffer(steps * len(env_fns), len(env_fns))
    Collector(RandomPolicy(seed=0), DummyVectorEnv(env_fns), buffer).collect(n_step=steps * len(env_fns), random=True)
    return buffer


def assert_alike(loaded: ReplayBuffer, buffer: ReplayBuffer) -> None:
    """All transitions are the same, but that no episode is left open."""
    ours, theirs = buffer[:], loaded[:]
    ours.truncated |= np.isin(buffer.sample_indices(0), buffer.unfinished_index())
    ours.done = ours.terminated | ours.truncated
    for key in ("rew", "act", "terminated", "truncated", "done"):
        assert np.array_equal(ours[key], theirs[key]), key
    assert plain(ours.obs) == plain(theirs.obs)
    assert plain(ours.obs_next) == plain(theirs.obs_next)


def plain(value):
    """Nested values as dictionaries, lists, numbers and text."""
    if isinstance(value, Batch):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | tuple | list):
        return [plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def test_cart_pole_there_and_back():
    buffer = collected([lambda: gym.make("CartPole-v1")] * 2, 60)
    env = gym.make("CartPole-v1")
    dataset = buffer_to_minari(buffer, "cartpole/random-v0", env, algorithm_name="random", description="a test")
    assert dataset.total_episodes == buffer.done.sum() + len(buffer.unfinished_index())
    loaded = buffer_from_minari("cartpole/random-v0")
    assert_alike(loaded, buffer)
    assert (loaded.obs.dtype, loaded.act.dtype) == (np.float32, np.int64)
    assert np.array_equal(loaded[:].obs, buffer[:].obs)
    assert dataset.recover_environment().spec.id == "CartPole-v1"
    assert dataset.storage.metadata["algorithm_name"] == "random"


@pytest.mark.parametrize("truncate", [False, True])
def test_nested_observations_there_and_back(truncate):
    buffer = collected([lambda: Walk(4, truncate), lambda: Walk(3, truncate)], 10)
    dataset = buffer_to_minari(buffer, "walk-v0", Walk())
    loaded = buffer_from_minari(dataset)
    assert_alike(loaded, buffer)
    assert loaded.obs.deep.step.dtype == np.int64
    assert loaded.obs.pair.shape == (20, 2)
    assert loaded.obs.mixed[1][0] == 1
    assert loaded.obs.mixed[1][1].tolist() == [0.5] * 3
    ends = np.flatnonzero(loaded.done)
    assert [loaded[int(end)].obs_next.said for end in ends] == [f"step {n}" for n in (4, 4, 2, 3, 3, 3, 1)]
    cut = [truncate, truncate, True, truncate, truncate, truncate, True]
    assert loaded.truncated[ends].tolist() == cut
    assert loaded.next(ends).tolist() == ends.tolist()


@pytest.mark.filterwarnings("ignore:.* is set to None", "ignore:env_spec is None")
def test_what_others_wrote():
    """A dataset made with Minari alone: infos of the reset too, and an episode that ends without a flag."""
    episodes = []
    for k, length in enumerate((3, 1, 2)):
        infos = {"ply": np.arange(length + 1) + 10 * k, "deep": {"said": [f"{k}.{t}" for t in range(length + 1)]}}
        flags = dict(terminations=[False] * (length - 1) + [k == 1], truncations=[False] * (length - 1) + [k == 0])
        obs = np.arange(length + 1) + 5 * k
        episodes.append(
            minari.data_collector.EpisodeBuffer(
                observations=obs, actions=obs[1:], rewards=[0.5] * length, infos=infos, **flags
            )
        )
    space = spaces.Discrete(20)
    minari.create_dataset_from_buffers("other-v3", episodes, observation_space=space, action_space=space)
    buffer = buffer_from_minari("other-v3")
    assert buffer.obs.tolist() == [0, 1, 2, 5, 10, 11]
    assert buffer.obs_next.tolist() == [1, 2, 3, 6, 11, 12]
    assert buffer.act.tolist() == [1, 2, 3, 6, 11, 12]
    assert buffer.terminated.tolist() == [False, False, False, True, False, False]
    assert buffer.truncated.tolist() == [False, False, True, False, False, True]
    assert buffer.info.ply.tolist() == [1, 2, 3, 11, 21, 22]
    assert buffer.info.deep.said.tolist() == ["0.1", "0.2", "0.3", "1.1", "2.1", "2.2"]
    assert buffer.prev(np.arange(6)).tolist() == [0, 0, 1, 3, 4, 4]
    part = minari.load_dataset("other-v3").filter_episodes(lambda episode: len(episode) > 1)
    assert buffer_from_minari(part).obs.tolist() == [0, 1, 2, 10, 11]
    kept = PrioritizedReplayBuffer(4, 0.6, 0.4)
    kept.update(buffer)
    assert kept[:].obs.tolist() == [2, 5, 10, 11]


class Pair(Walk):
    """A walk whose observation is a tuple of two shapes."""

    observation_space = Walk.observation_space["mixed"]

    def _obs(self):
        return super()._obs()["mixed"]


def test_tuples_there_and_back():
    buffer = collected([Pair], 6)
    loaded = buffer_from_minari(buffer_to_minari(buffer, "pair-v0", Pair()))
    assert_alike(loaded, buffer)
    assert [(at, list(half)) for at, half in loaded.obs_next[3:5]] == [(4, [2.0] * 3), (1, [0.5] * 3)]


def rows(buffer: ReplayBuffer, numbers: range, **changed) -> None:
    for i in numbers:
        info = {"ply": i, "said": f"move {i}"}
        given = dict(obs=i, act=i, rew=i, terminated=i % 4 == 3, truncated=False, obs_next=i + 1, info=info)
        buffer.add(Batch(given | changed))


SPACE = spaces.Discrete(20)


def test_a_ring_that_wrapped_and_its_infos():
    buffer = ReplayBuffer(7)
    rows(buffer, range(10))
    dataset = buffer_to_minari(buffer, "ring-v0", observation_space=SPACE, action_space=SPACE)
    observations = [episode.observations.tolist() for episode in dataset.iterate_episodes()]
    assert observations == [[3, 4], [4, 5, 6, 7, 8], [8, 9, 10]]
    loaded = buffer_from_minari(dataset)
    assert_alike(loaded, buffer)
    assert loaded.info == buffer[:].info


@pytest.mark.parametrize("last_only", [False, True])
def test_stacked_observations_are_written_as_the_environment_gave_them(last_only):
    buffer = ReplayBuffer(9, stack_num=2, save_only_last_obs=last_only, sample_avail=True)
    for i in range(6):
        obs = np.array([max(i - 1, 0), i]) if last_only else np.array(i)
        after = np.array([i, i + 1]) if last_only else np.array(i + 1)
        buffer.add(Batch(obs=obs, act=0, rew=0, done=i == 5, obs_next=after))
    space = spaces.MultiDiscrete([20, 20]) if last_only else SPACE
    dataset = buffer_to_minari(buffer, "stacks-v0", observation_space=space, action_space=SPACE)
    seen = next(dataset.iterate_episodes()).observations.tolist()
    assert seen == ([[max(i - 1, 0), i] for i in range(7)] if last_only else list(range(7)))


def refused(case: str) -> tuple:
    """A buffer and arguments to write it with, of which something does not fit."""
    buffer, given = (
        ReplayBuffer(5, ignore_obs_next=case == "no next"),
        dict(observation_space=SPACE, action_space=SPACE),
    )
    objects = np.empty((), object)
    objects[()] = [1]
    changed = {"objects": {"info": {"thing": objects}}, "fractions": {"act": 0.5}}
    rows(buffer, range(0 if case == "empty" else 3), **changed.get(case, {}))
    spaces_of = {
        "no space": dict(action_space=None),
        "other shape": dict(observation_space=spaces.Box(0, 1, (3,))),
        "other keys": dict(observation_space=spaces.Dict(a=SPACE)),
        "own space": dict(observation_space=spaces.Sequence(SPACE)),
    }
    return buffer, given | spaces_of.get(case, {})


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("empty", "the buffer is empty"),
        ("no next", "stores no obs_next"),
        ("objects", r"info\.thing holds objects"),
        ("fractions", r"act has shape \(\) and type float64, its space is Discrete\(20\)"),
        ("no space", "needs an observation_space and an action_space"),
        ("other shape", r"obs has shape \(\) and type int64, its space is Box"),
        ("other keys", "obs has no 'a'"),
        ("own space", "obs is not of the space Sequence"),
    ],
)
def test_what_cannot_be_written_leaves_no_dataset(case, message, datasets):
    buffer, given = refused(case)
    with pytest.raises(UsageError, match=message):
        buffer_to_minari(buffer, "refused-v0", **given)
    assert not datasets.exists() or not list(datasets.iterdir())


def test_ids_that_are_wrong():
    buffer = ReplayBuffer(5)
    rows(buffer, range(3))
    with pytest.raises(UsageError, match=r"dataset_id='no version' is not of the form"):
        buffer_to_minari(buffer, "no version", observation_space=SPACE, action_space=SPACE)
    with pytest.raises(UsageError, match="there is no dataset 'none-v0' here"):
        buffer_from_minari("none-v0")
    buffer_to_minari(buffer, "twice-v0", observation_space=SPACE, action_space=SPACE)
    with pytest.raises(UsageError, match="there is a dataset 'twice-v0' already"):
        buffer_to_minari(buffer, "twice-v0", observation_space=SPACE, action_space=SPACE)
    assert len(buffer_from_minari("twice-v0")) == 3


def test_without_the_package_one_line_says_so(monkeypatch):
    real = builtins.__import__

    def no_minari(name, *rest):
        if name.partition(".")[0] == "minari":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", no_minari)
    with pytest.raises(UsageError, match=re.escape(install_command("minari"))):
        buffer_from_minari("cartpole-v0")
