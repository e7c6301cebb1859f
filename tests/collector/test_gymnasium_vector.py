"""`Collector` in Gymnasium's own vector environments: what is stored is true, whenever they begin their episodes."""

from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.collector import AsyncCollector, Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv, GymVectorEnv, WorkerError
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
KEYS = ("obs", "act", "rew", "terminated", "truncated", "obs_next")


class Leaning(Policy):
    """Does what an observation says."""

    def forward(self, batch, state=None):
        return Batch(act=(batch.obs.sum(axis=1) > 0).astype(np.int64))


class Told(Policy):
    """Does the same always."""

    def __init__(self, act):
        self.act = act

    def forward(self, batch, state=None):
        return Batch(act=np.full(len(batch.env_id), self.act))


def length_of(number: int, episode: int) -> int:
    """How long an episode of `Diary` is: from one step to four."""
    return 1 + (number + 3 * episode * episode) % 4


class Diary(gym.Env):
    """Shows its number, which episode this is, and how many steps were made in it; every other episode is cut."""

    observation_space = Box(0, 10_000, (3,), np.int64)
    action_space = Discrete(2)

    def __init__(self, number: int = 0):
        self.number, self.episode, self.total = number, -1, 0

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.episode, self.steps = self.episode + 1, 0
        return self._obs(), {"began": True}

    def step(self, action):
        assert self.steps < length_of(self.number, self.episode), "the episode is over"
        if action == 9:
            raise KeyError("no such square")
        self.steps, self.total = self.steps + 1, self.total + 1
        over, cut = self.steps == length_of(self.number, self.episode), self.episode % 2 == 1
        return self._obs(), float(self.steps), over and not cut, over and cut, {"told": self.steps}

    def _obs(self):
        return np.array([self.number, self.episode, self.steps])


def diaries(count: int) -> list:
    return [partial(Diary, number) for number in range(count)]


def assert_true(buffer, count: int) -> None:
    """Every transition is one that happened, and every episode that is stored is stored from its beginning."""
    for number in range(count):
        rows = buffer.buffers[number][:] if len(buffer.buffers[number]) else []
        steps = 0
        for row in rows:
            _, episode, at = row.obs.tolist()
            assert row.obs[0] == number
            assert at == steps, "an episode goes on, or begins"
            assert row.obs_next.tolist() == [number, episode, at + 1]
            assert row.rew == at + 1
            over = at + 1 == length_of(number, episode)
            assert (row.terminated, row.truncated) == (over and episode % 2 == 0, over and episode % 2 == 1)
            steps = 0 if over else at + 1


collections = st.lists(st.tuples(st.sampled_from(["n_step", "n_episode"]), st.integers(1, 12)), min_size=1, max_size=6)


@pytest.mark.full
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("kind", [SyncVectorEnv, GymVectorEnv])
@settings(max_examples=15, deadline=None)
@given(count=st.integers(1, 4), collections=collections)
def test_every_transition_is_true_and_every_step_accounted_for(kind, mode, count, collections):
    members = []

    def member(number):
        members.append(Diary(number))
        return members[-1]

    env = kind([partial(member, number) for number in range(count)], autoreset_mode=mode)
    collector = Collector(Told(1), env, VectorReplayBuffer(4000, count))
    made = dropped = 0
    for what, amount in collections:
        before = len(collector.buffer)
        if what == "n_episode" and amount < count:
            collector.reset_buffer()
            collector.reset_env()
            before = 0
        stats = collector.collect(**{what: amount})
        assert len(collector.buffer) - before == stats.n_collected_steps >= (what == "n_step") * amount
        assert stats.n_collected_steps <= collector.most_steps(amount) or what == "n_episode"
        made, dropped = made + stats.n_collected_steps, dropped + stats.n_dropped_steps
        if what == "n_episode":
            assert stats.n_collected_episodes == amount
            assert stats.returns.tolist() == [steps * (steps + 1) / 2 for steps in stats.lens]
        assert_true(collector.buffer, count)
    assert made + dropped == sum(member.total for member in members)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_episodes_are_assigned_beforehand(mode):
    collector = Collector(Told(0), SyncVectorEnv(diaries(3), autoreset_mode=mode), VectorReplayBuffer(300, 3))
    stats = collector.collect(n_episode=7)
    ends = [part[:].done.sum() if len(part) else 0 for part in collector.buffer.buffers]
    assert ends == [3, 2, 2]
    assert sorted(stats.lens) == sorted(length_of(n, e) for n, share in enumerate(ends) for e in range(share))


def cart_pole():
    return gym.make("CartPole-v1", max_episode_steps=12)


def pendulum():
    return gym.make("Pendulum-v1", max_episode_steps=5)


class Lean(Policy):
    """Pushes against what it sees."""

    def forward(self, batch, state=None):
        return Batch(act=-batch.obs[:, :1])


class Pair(Diary):
    """Shows the same in a dictionary."""

    observation_space = Dict(at=Diary.observation_space, deep=Dict(half=Box(0, 9999, (1,))))

    def _obs(self):
        obs = super()._obs()
        return {"at": obs, "deep": {"half": (obs[2:] / 2).astype(np.float32)}}


def stored(policy, env, count: int) -> Batch:
    collector = Collector(policy, env, VectorReplayBuffer(count * 60, count))
    collector.collect(n_episode=count * 3, reset_before_collect=True, gym_reset_kwargs={"seed": 5})
    collector.close()
    return Batch({key: getattr(collector.buffer[:], key) for key in KEYS})


@pytest.mark.full
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("kind", [SyncVectorEnv, partial(SyncVectorEnv, copy=False), AsyncVectorEnv, GymVectorEnv])
@pytest.mark.parametrize(
    ("env_fn", "policy"), [(cart_pole, Leaning()), (pendulum, Lean()), (partial(Pair, 2), Told(1))]
)
def test_what_is_stored_is_what_our_own_would_store(env_fn, policy, kind, mode):
    theirs = stored(policy, kind([env_fn] * 3, autoreset_mode=mode), 3)
    ours = stored(policy, DummyVectorEnv([env_fn] * 3), 3)
    assert len(theirs) > 9
    assert theirs == ours


def test_the_last_observation_is_the_true_one():
    alone = pendulum()
    seen = [alone.reset(seed=5)[0]]
    seen += [alone.step(-seen[-1][:1])[0] for _ in range(1)]
    while len(seen) < 6:
        seen.append(alone.step(-seen[-1][:1])[0])
    for mode in AutoresetMode:
        rows = stored(Lean(), SyncVectorEnv([pendulum], autoreset_mode=mode), 1)
        assert rows.truncated.tolist() == [False, False, False, False, True] * 3
        assert rows.obs_next[4].tolist() == seen[5].tolist()


def test_an_environment_vectorised_by_itself():
    env = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="vector_entry_point", max_episode_steps=20)
    collector = Collector(Leaning(), env, VectorReplayBuffer(4000, 4))
    stats = collector.collect(n_episode=10)
    collector.collect(n_step=50)
    rows = collector.buffer[:]
    alone = gym.make("CartPole-v1").unwrapped
    for row in rows:
        alone.reset()
        alone.state = row.obs.astype(np.float64)
        obs, rew, terminated, _, _ = alone.step(int(row.act))
        np.testing.assert_allclose(row.obs_next, obs, atol=1e-6)
        assert (row.rew, row.terminated) == (rew, terminated)
    assert stats.n_collected_episodes == 10
    assert stats.returns.tolist() == stats.lens.tolist()
    begun = np.abs(rows.obs).max(axis=1) <= 0.05
    assert begun[[0, *(np.flatnonzero(rows.done)[:-1] + 1)]].all()


def test_wrapped_environments():
    env = vector.RecordEpisodeStatistics(SyncVectorEnv([pendulum] * 3))
    env = vector.RescaleAction(vector.NormalizeObservation(env), np.float32([-1]), np.float32([1]))
    told = []

    def note(**step):
        if "episode" in step.get("info", ()):
            told.extend(step["info"].episode[step["done"]])

    collector = Collector(Lean(), vector.DictInfoToList(env), VectorReplayBuffer(600, 3), preprocess_fn=note)
    stats = collector.collect(n_episode=9)
    assert [float(episode["r"]) for episode in told] == pytest.approx(stats.returns.tolist())
    assert collector.buffer[:].obs.dtype == np.float32


@pytest.mark.parametrize("mode", AutoresetMode)
def test_what_is_told_to_preprocess_fn_belongs_to_its_row(mode):
    firsts = []

    def note(**step):
        if "obs" in step:
            firsts.extend(map(tuple, step["obs"].tolist()))
            return
        assert [info["told"] for info in step["info"]] == step["obs_next"][:, 2].tolist() == step["rew"].tolist()
        assert not any("final_info" in info for info in step["info"])
        assert step["obs_next"][:, 0].tolist() == step["env_id"].tolist()

    env = SyncVectorEnv(diaries(3), autoreset_mode=mode)
    Collector(Told(0), env, VectorReplayBuffer(300, 3), preprocess_fn=note).collect(n_step=60)
    assert {steps for _, _, steps in firsts} == {0}
    assert len(firsts) == len(set(firsts)) > 20


def test_steps_are_counted_that_are_no_reset():
    collector = Collector(Told(0), SyncVectorEnv([Diary]), VectorReplayBuffer(90, 1))
    stats = collector.collect(n_step=15)
    assert (stats.n_collected_steps, stats.n_dropped_steps, len(collector.buffer)) == (15, 0, 15)
    assert stats.n_collected_episodes > 4


@pytest.mark.parametrize("mode", AutoresetMode)
def test_what_others_do_meanwhile_is_dropped_and_counted(mode):
    collector = Collector(Told(0), SyncVectorEnv(diaries(4), autoreset_mode=mode), VectorReplayBuffer(400, 4))
    stats = collector.collect(n_episode=1)
    assert (stats.n_collected_steps, stats.lens.tolist(), stats.n_dropped_steps) == (1, [1], 3)
    stats = collector.collect(n_step=40)
    assert stats.n_dropped_steps > 0 or mode is DISABLED
    assert_true(collector.buffer, 4)


def test_episodes_under_way_are_not_left_to_go_on_unasked():
    collector = Collector(Told(0), SyncVectorEnv([partial(Diary, 3)] * 2), VectorReplayBuffer(400, 2))
    collector.collect(n_step=2)
    with pytest.raises(UsageError, match=r"environments \[1\] are in the middle of episodes, .* n_episode=2 or more"):
        collector.collect(n_episode=1)
    assert collector.collect(n_episode=2).lens.tolist() == [4, 4]


def test_random_actions():
    collector = Collector(Told(0), SyncVectorEnv([pendulum] * 2), VectorReplayBuffer(100, 2))
    collector.collect(n_step=40, random=True)
    acts = collector.buffer[:].act
    assert acts.shape[1:] == (1,)
    assert len(np.unique(acts)) > 30


@pytest.mark.full
@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_batch_of_games_seen_as_gymnasium_sees_it(mode):
    env = GymVectorEnv(GameVectorEnv("tic_tac_toe", 3), autoreset_mode=mode)
    collector = Collector(RandomPolicy(seed=0), env, VectorReplayBuffer(300, 3))
    stats = collector.collect(n_episode=4)
    assert set(stats.lens) <= set(range(5, 10))
    rows = collector.buffer[:]
    assert rows.obs.mask[np.arange(len(rows)), rows.act].all()
    assert (rows.obs_next.obs.sum(axis=(1, 2, 3)) == rows.obs.obs.sum(axis=(1, 2, 3)) + 1).all()


def test_an_environment_that_raises():
    collector = Collector(Told(9), SyncVectorEnv([partial(Diary, 3)] * 2), VectorReplayBuffer(400, 2))
    with pytest.raises(WorkerError, match="raised in a step: KeyError"):
        collector.collect(n_step=2)
    with pytest.raises(UsageError, match="an environment has failed"):
        collector.collect(n_step=2)
    collector.policy = Told(0)
    assert collector.collect(n_episode=2, reset_before_collect=True).n_collected_episodes == 2


def test_it_has_to_say_when_episodes_begin():
    env = SyncVectorEnv([Diary])
    del env.metadata["autoreset_mode"]
    with pytest.raises(
        UsageError, match=r"does not say when it begins episodes: give env.metadata an 'autoreset_mode'"
    ):
        Collector(Told(0), env)


def test_it_is_none_for_the_async_collector():
    with pytest.raises(UsageError, match="AsyncCollector needs a vector environment with wait_num"):
        AsyncCollector(Told(0), SyncVectorEnv([Diary]))
