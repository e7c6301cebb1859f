"""Infos of environments: stored with the step that brought them, shown to the policy with the observation."""

import pickle

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.collector import AsyncCollector, Collector
from arena.data import Batch, CachedReplayBuffer, PrioritizedVectorReplayBuffer, ReplayBuffer, VectorReplayBuffer
from arena.env import (
    DummyVectorEnv,
    GameVectorEnv,
    GymVectorEnv,
    ParallelPettingZooEnv,
    PettingZooEnv,
    ShmemVectorEnv,
    SubprocVectorEnv,
)
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from tests.collector.informed import LENGTH, Informed, Telling
from tests.env.test_parallel import Race
from tests.match.players import Lowest

MASKS = [[1, 0], [1, 1], [1, 0], [1, 1]]


class Watcher(Policy):
    """Takes the last action that the mask in the info allows; keeps what it was told."""

    def __init__(self):
        self.told: list[Batch] = []

    def forward(self, batch, state=None):
        self.told.append(batch.info)
        return Batch(act=1 - batch.info.action_mask[:, ::-1].argmax(axis=1))


def in_async(kind):
    return lambda env_fns: kind(env_fns, wait_num=1)


def numbers(env_fns):
    return gym.vector.SyncVectorEnv(env_fns, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)


KINDS = {
    "dummy": (Collector, DummyVectorEnv),
    "subproc": (Collector, SubprocVectorEnv),
    "shmem": (Collector, ShmemVectorEnv),
    "subproc in parts": (AsyncCollector, in_async(SubprocVectorEnv)),
    "dummy in parts": (AsyncCollector, in_async(DummyVectorEnv)),
    "Gymnasium's, next step": (Collector, gym.vector.SyncVectorEnv),
    "Gymnasium's, same step": (Collector, numbers),
    "ours as Gymnasium's": (Collector, GymVectorEnv),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_info_of_a_step_is_stored_with_it_and_that_of_the_observation_shown(opened, kind):
    collector_kind, vector = KINDS[kind]
    policy = Watcher()
    collector = opened(collector_kind, policy, vector([Informed] * 2), VectorReplayBuffer(20, 2))
    collector.collect(n_episode=2)
    for ring in collector.buffer.buffers:
        rows = ring[:][:LENGTH]
        assert rows.info.at.tolist() == [1, 2, 3]
        assert rows.info.name.tolist() == ["step 1", "step 2", "step 3"]
        assert rows.info.action_mask.tolist() == MASKS[1:]
        assert rows.info.cost.tolist() == [0.0, 1.0, 1.5]
        assert rows.info.episode.length.tolist() == [0, 0, 3], "a key that comes later is blank before"
        assert rows.info.episode.won.tolist() == [False, False, True]
        assert set(rows.info.keys()) == {"at", "name", "action_mask", "cost", "episode"}
        assert rows.act.tolist() == [0, 1, 0], "the mask stood in the info of the observation"
    seen = [(at, name) for told in policy.told for at, name in zip(told.at, told.name, strict=True)]
    assert set(seen) == {(0, "step 0"), (1, "step 1"), (2, "step 2")}


@pytest.mark.full
@pytest.mark.usefixtures("ray_cluster")
def test_infos_come_through_ray(opened):
    from arena.env import ActorOptions, RayVectorEnv

    collector = opened(
        Collector, Watcher(), RayVectorEnv([Informed] * 2, actors=ActorOptions(1)), VectorReplayBuffer(20, 2)
    )
    collector.collect(n_episode=2)
    assert collector.buffer[:].info.at.tolist() == [1, 2, 3] * 2


def test_a_new_episode_is_told_nothing_of_the_last():
    policy = Watcher()
    Collector(policy, DummyVectorEnv([Informed])).collect(n_episode=2)
    assert [told.at.tolist() for told in policy.told] == [[0], [1], [2]] * 2
    assert "episode" not in policy.told[0]
    assert policy.told[3].episode.length.tolist() == [0]


def test_nothing_is_stored_or_shown_where_nothing_is_told():
    shown = []

    class Lean(RandomPolicy):
        def forward(self, batch, state=None):
            shown.append(batch.info)
            return super().forward(batch, state)

    for env in (GameVectorEnv("tic_tac_toe", 2), DummyVectorEnv([lambda: PettingZooEnv(quiet())] * 2)):
        buffer = VectorReplayBuffer(80, 4)
        Collector(Lean(seed=0), env, buffer).collect(n_episode=2)
        assert buffer[:].info == Batch()
    assert all(info == Batch() for info in shown)


def quiet():
    from games import tic_tac_toe

    return tic_tac_toe.env()


GAME = {"turns": ["a", "b", "b", "a", "c"], "rewards": {}, "deaths": {2: ["b"]}}


def test_each_agent_stores_what_it_is_told_itself():
    """First moves a, then b twice, who dies then, then a and c: whoever stores, it is its own info."""
    shown = []

    class Seen(Lowest):
        def forward(self, batch, state=None):
            shown.append((int(batch.info.whose[0]), int(batch.info.moves[0])))
            return super().forward(batch, state)

    buffer = VectorReplayBuffer(30, 3)
    Collector(Seen(), DummyVectorEnv([lambda: PettingZooEnv(Telling(**GAME))]), buffer).collect(n_episode=1)
    a, b, c = (ring[:] for ring in buffer.buffers)
    assert a.info.moves.tolist() == [3, 5]
    assert b.info.moves.tolist() == [2, 3]
    assert c.info.moves.tolist() == [5]
    for rows, name in ((a, "a"), (b, "b"), (c, "c")):
        assert rows.info.whose.tolist() == [ord(name)] * len(rows)
        assert rows.info.moves.tolist() == rows.obs_next.obs[:, 0].tolist(), "it comes with its own next observation"
    assert shown == [(ord(who), turn) for turn, who in enumerate(GAME["turns"])]


def test_agents_that_move_at_once_are_told_their_own():
    class Told(Race):
        def step(self, actions):
            *results, _ = super().step(actions)
            return *results, {agent: {"whose": agent} for agent in results[0]}

    buffer = VectorReplayBuffer(60, 3)
    Collector(Lowest(), DummyVectorEnv([lambda: ParallelPettingZooEnv(Told())]), buffer).collect(n_episode=1)
    for ring, agent in zip(buffer.buffers, Told().possible_agents, strict=True):
        assert len(ring) > 0
        assert set(ring[:].info.whose) == {agent}


def test_who_plays_stands_beside_what_is_told():
    policy = MultiAgentPolicyManager([RandomPolicy(seed=0), RandomPolicy(seed=1)], learners=[1])
    script = {"turns": ["a", "b", "a"], "rewards": {}}
    buffer = VectorReplayBuffer(20, 1)
    Collector(policy, DummyVectorEnv([lambda: PettingZooEnv(Telling(**script))]), buffer).collect(n_episode=1)
    assert buffer[:].info.policy_id.tolist() == [1]
    assert buffer[:].info.whose.tolist() == [ord("b")]


def test_an_info_may_not_say_who_plays():
    class Wrong(Telling):
        def observe(self, agent):
            seen = super().observe(agent)
            self.infos[agent] = {"policy_id": 7}
            return seen

    env = DummyVectorEnv([lambda: PettingZooEnv(Wrong(turns=["a", "b"], rewards={}))])
    with pytest.raises(UsageError, match="an environment's infos hold policy_id"):
        Collector(MultiAgentPolicyManager([RandomPolicy(seed=0), RandomPolicy(seed=1)]), env, VectorReplayBuffer(20, 2))


@pytest.mark.parametrize(
    "make",
    [
        lambda: VectorReplayBuffer(20, 2),
        lambda: PrioritizedVectorReplayBuffer(20, 2, alpha=0.5, beta=0.5),
        lambda: CachedReplayBuffer(ReplayBuffer(20), 2, 10),
    ],
)
def test_buffers_of_infos_are_saved_and_loaded(tmp_path, make):
    buffer = make()
    Collector(Watcher(), DummyVectorEnv([Informed] * 2), buffer).collect(n_episode=4)
    buffer.save_hdf5(tmp_path / "buffer.hdf5")
    for again in (pickle.loads(pickle.dumps(buffer)), type(buffer).load_hdf5(tmp_path / "buffer.hdf5")):
        assert again[:].info == buffer[:].info
        assert again[:].info.episode.length.tolist() == [0, 0, 3] * 4


def test_a_column_takes_what_comes():
    """Whole numbers, fractions, then a text and lists of other lengths; the buffer keeps them all."""
    tale = [{"x": 1, "y": [1]}, {"x": 0.5, "y": [1, 2]}, {"x": "far", "y": [3]}, {"y": None, "z": {"deep": 2}}]
    tale += [{"x": None, "z": 3}, {"x": {"a": 1}, "y": np.ones((2, 2)), "z": {"deep": 4}}]

    class Fickle(Informed):
        def _info(self):
            return tale[self.steps]

        def step(self, action):
            return *super().step(action)[:2], self.steps == len(tale) - 1, False, self._info()

    buffer = VectorReplayBuffer(10, 1)
    Collector(RandomPolicyOfOne(), DummyVectorEnv([Fickle]), buffer).collect(n_episode=1)
    info = buffer[:].info
    assert info.x.tolist() == [0.5, "far", None, None, {"a": 1}]
    assert [None if y is None else np.asarray(y).tolist() for y in info.y] == [[1, 2], [3], None, None, [[1, 1]] * 2]
    assert info.z.tolist()[2:] == [{"deep": 2}, 3, {"deep": 4}]


class RandomPolicyOfOne(Policy):
    """Always takes the first action."""

    def forward(self, batch, state=None):
        return Batch(act=np.zeros(len(batch.obs), int))


def test_a_preprocess_fn_is_told_a_batch_and_may_store_none_of_it():
    """The manual's: it changes the info in place, and returns it."""

    def with_rew(**told):
        if "rew" not in told:
            assert set(told) == {"obs", "env_id"}
            return Batch()
        info = told["info"]
        info.rew = told["rew"]
        return Batch(info=info)

    for fn, keys in ((with_rew, {"at", "name", "action_mask", "cost", "episode", "rew"}), (without, set())):
        buffer = VectorReplayBuffer(20, 2)
        Collector(RandomPolicyOfOne(), DummyVectorEnv([Informed] * 2), buffer, fn).collect(n_episode=2)
        assert set(buffer[:].info.keys()) == keys
        if keys:
            assert buffer[:].info.rew.tolist() == [1.0] * 6


def without(**told):
    return Batch(info=Batch()) if "rew" in told else None


def test_what_a_preprocess_fn_does_with_infos_of_several_agents():
    def moved(**told):
        if "rew" in told:
            told["info"].by = told["act"] * 0 + 5
        return None

    for fn in (moved, without, None):
        buffer = VectorReplayBuffer(30, 3)
        env = DummyVectorEnv([lambda: PettingZooEnv(Telling(**GAME))])
        Collector(Lowest(), env, buffer, fn).collect(n_episode=1)
        info = buffer[:].info
        if fn is without:
            assert info == Batch()
            continue
        assert info.moves.tolist() == [3, 5, 2, 3, 5]
        if fn is moved:
            assert info.by.tolist() == [5, 5, 5, 0, 5], "the one that died in the middle is told nothing of the step"
