"""`Collector` itself: resets, types of observations, random actions, who learns, failures, and its end."""

import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiBinary

from arena.base.errors import UsageError
from arena.collector import AsyncCollector, Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv, PettingZooEnv, SubprocVectorEnv, WorkerError
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from tests.collector.games import Scripted
from tests.env.troubled import KILL, RAISE, Troubled
from tests.match.players import Lowest
from tests.policy.policies import Diary, LearnerInTraining
from tests.trainer.walk import LENGTH, Improver, Walk


class Told(Policy):
    """Does in each environment what it is told, and keeps what it saw."""

    def __init__(self, *acts):
        self.acts, self.seen = np.array(acts), []

    def forward(self, batch, state=None):
        self.seen.append(Batch(obs=batch.obs, copy=True).obs)  # rows change with the next step
        return Batch(act=self.acts[batch.env_id])


class Sliding(Walk):
    """Begins in whole numbers, and goes on in fractions."""

    def reset(self, seed=None, options=None):
        return super().reset()[0].astype(np.int64), {}

    def step(self, action):
        obs, *rest = super().step(action)
        return obs + 0.5, *rest


class Nested(Sliding):
    """Shows the same twice, in a dictionary."""

    def reset(self, seed=None, options=None):
        obs, info = super().reset()
        return {"at": obs, "deep": {"at": obs.astype(np.uint8)}}, info

    def step(self, action):
        obs, *rest = super().step(action)
        return {"at": obs, "deep": {"at": obs}}, *rest


def test_observations_that_become_fractions_are_stored_whole():
    policy = Told(1, 1)
    collector = Collector(policy, DummyVectorEnv([Sliding] * 2), VectorReplayBuffer(20, 2))
    collector.collect(n_episode=4)
    stored = collector.buffer[:]
    assert stored.obs[:8, 0].tolist() == [0.0, 1.5, 2.5, 3.5] * 2
    assert stored.obs_next[:8, 0].tolist() == [1.5, 2.5, 3.5, 4.5] * 2
    assert [seen[0, 0] for seen in policy.seen[:5]] == [0.0, 1.5, 2.5, 3.5, 0.0], "and shown whole"


def test_so_are_those_inside_dictionaries():
    collector = Collector(Told(1), DummyVectorEnv([Nested]), VectorReplayBuffer(20, 1))
    collector.collect(n_episode=2)
    stored = collector.buffer[:]
    assert stored.obs.at[:, 0].tolist() == stored.obs.deep.at[:, 0].tolist() == [0.0, 1.5, 2.5, 3.5] * 2


def test_a_shorter_kind_of_fractions_stays():
    class Precise(Walk):
        def reset(self, seed=None, options=None):
            return super().reset()[0].astype(np.float32), {}

    policy = Told(1)
    Collector(policy, DummyVectorEnv([Precise])).collect(n_episode=1)
    assert {seen.dtype for seen in policy.seen} == {np.dtype(np.float32)}


def test_random_actions_of_continuous_spaces_are_those_the_policy_would_have_chosen():
    class Swing(Walk):
        action_space = Box(np.array([-2.0, 0.0]), np.array([2.0, 10.0]), dtype=np.float64)

        def reset(self, seed=None, options=None):
            return np.zeros(2), {}

        def step(self, action):
            assert self.action_space.contains(action)
            return np.array([*action]), 0.0, False, False, {}

    for bound in ("clip", "tanh"):
        policy = Diary(action_space=Swing.action_space)
        policy.action_scaling, policy.action_bound_method = True, bound
        collector = Collector(policy, DummyVectorEnv([Swing] * 2), VectorReplayBuffer(200, 2))
        collector.collect(n_step=100, random=True)
        stored = collector.buffer[:]
        np.testing.assert_allclose(policy.map_action(stored.act), stored.obs_next, atol=1e-5)
        inside = np.tanh(stored.act) if bound == "tanh" else stored.act
        assert (np.abs(inside) <= 1).all()
        assert inside.min() < -0.5 < 0.5 < inside.max()


@pytest.mark.full
def test_random_actions_are_the_same_in_processes_and_not_the_same_again_and_again():
    told = []
    for kind in (DummyVectorEnv, SubprocVectorEnv):
        env = kind([lambda: gym.make("CartPole-v1")] * 2)
        env.seed(7)
        collector = Collector(Improver(), env, VectorReplayBuffer(100, 2))
        for _ in range(3):
            collector.collect(n_step=20, random=True)
        told.append(collector.buffer[:])
        collector.close()
    assert told[0] == told[1]
    assert len(told[0]) == 60
    assert told[0].act[:10].tolist() != told[0].act[10:20].tolist()
    assert set(told[0].act[:30].tolist()) == {0, 1}


@pytest.mark.parametrize(
    "space",
    [Discrete(5), Discrete(5, start=2), Discrete(5, dtype=np.int32), Box(-1, 1, (2,)), MultiBinary(3)],
    ids=lambda space: type(space).__name__ + str(space.dtype),
)
def test_random_actions_are_what_each_space_gives(space):
    class Open(Walk):
        def step(self, action):
            return super().step(0)

    def made():
        env = Open()
        env.action_space = copy.deepcopy(space)
        return env

    env = DummyVectorEnv([made] * 2)
    env.seed([3, 4])
    collector = Collector(Improver(), env, VectorReplayBuffer(200, 2))
    collector.collect(n_step=60, random=True)
    told = collector.buffer[:].act
    for seed, mine in zip((3, 4), np.split(told, 2), strict=True):
        space.seed(seed)
        expected = np.array([space.sample() for _ in range(30)])
        np.testing.assert_array_equal(mine, expected)
        assert mine.dtype == expected.dtype


def test_a_seat_that_comes_to_learn_needs_a_new_collector():
    manager = MultiAgentPolicyManager([LearnerInTraining(), Lowest()])
    collector = Collector(manager, GameVectorEnv("tic_tac_toe", 2), VectorReplayBuffer(40, 2))
    collector.collect(n_episode=2)
    manager.replace_policy(LearnerInTraining(), 2)
    with pytest.raises(UsageError, match=r"seats \[1\] have learners since this collector was made.* new collector"):
        collector.collect(n_episode=2)
    manager.replace_policy(Lowest(), 2)
    assert collector.collect(n_episode=2).n_collected_episodes == 2
    manager.replace_policy(Lowest(), 1)
    before = len(collector.buffer)
    collector.collect(n_episode=2)
    assert len(collector.buffer) == before, "nobody learns any more"


def test_options_of_a_reset_are_for_a_reset():
    seen = []

    class Optional(Walk):
        def reset(self, seed=None, options=None):
            seen.append((seed, options))
            return super().reset()

    collector = Collector(Improver(), DummyVectorEnv([Optional] * 2))
    seen.clear()
    with pytest.raises(UsageError, match="gym_reset_kwargs are for a reset: give them with reset_before_collect=True"):
        collector.collect(n_step=2, gym_reset_kwargs={"seed": 1})
    with pytest.raises(UsageError, match="gym_reset_kwargs may hold seed and options here, not sed"):
        collector.reset(gym_reset_kwargs={"sed": 1})
    assert seen == []
    collector.reset_env({"seed": 5})
    collector.collect(n_episode=2, reset_before_collect=True, gym_reset_kwargs={"seed": 8})
    assert seen[:4] == [(5, None), (6, None), (8, None), (9, None)]
    assert seen[4:] == [(None, None)] * 2, "later episodes begin as they like"


@pytest.mark.full
@pytest.mark.parametrize("kind", [DummyVectorEnv, SubprocVectorEnv])
def test_after_a_failure_it_goes_on_from_a_reset(kind):
    policy = Told(0, RAISE, 0)
    collector = Collector(policy, kind([Troubled] * 3), VectorReplayBuffer(60, 3))
    with pytest.raises(WorkerError if kind is SubprocVectorEnv else KeyError, match="no such square"):
        collector.collect(n_step=3)
    policy.acts[:] = 0
    with pytest.raises(UsageError, match=r"an environment has failed: reset_env\(\)"):
        collector.collect(n_step=3)
    assert collector.collect(n_step=6, reset_before_collect=True).n_collected_steps == 6
    assert collector.buffer[:].obs_next[:, 1].tolist() == [1, 2] * 3
    collector.close()


@pytest.mark.parametrize("wrong", [{"sed": 1}, {"seed": [1, 2, 3]}])
@pytest.mark.parametrize(("kind", "options"), [(Collector, {}), (AsyncCollector, {"wait_num": 1})])
def test_a_reset_that_is_refused_changes_nothing(kind, options, wrong):
    collector = kind(Improver(), DummyVectorEnv([Walk] * 2, **options), VectorReplayBuffer(20, 2))
    collector.collect(n_step=6)
    with pytest.raises(UsageError):
        collector.reset(gym_reset_kwargs=wrong)
    assert (collector.collect_step, len(collector.buffer)) == (6, 6)
    assert collector.collect(n_step=2).lens.tolist() == [LENGTH] * 2, "episodes go on"


def test_resets_of_each_part():
    collector = Collector(Improver(), DummyVectorEnv([Walk] * 2), VectorReplayBuffer(20, 2))
    collector.collect(n_step=6)
    collector.reset(reset_buffer=False, reset_stats=False)
    assert (collector.collect_step, collector.collect_episode, len(collector.buffer)) == (6, 0, 6)
    assert collector.collect_time > 0
    assert collector.collect(n_episode=2).lens.tolist() == [LENGTH] * 2, "episodes began anew"
    collector.reset_stat()
    assert (collector.collect_step, collector.collect_episode, collector.collect_time) == (0, 0, 0.0)
    assert len(collector.buffer) == 6 + 2 * LENGTH
    collector.reset()
    assert len(collector.buffer) == 0


def test_it_is_closed_once():
    closed = []

    class Closing(Walk):
        def close(self):
            closed.append(self)

    collector = Collector(Improver(), Closing())
    assert not collector.is_closed
    collector.close()
    collector.close()
    assert (collector.is_closed, len(closed)) == (True, 1)
    for action in (lambda: collector.collect(n_step=1), collector.reset_env, collector.reset):
        with pytest.raises(UsageError, match="the collector is closed"):
            action()


@pytest.mark.parametrize("numbers", [{"n_step": 2.5}, {"n_episode": "3"}])
def test_amounts_are_whole_numbers(numbers):
    with pytest.raises(UsageError, match="a whole number above 0"):
        Collector(Improver(), Walk()).collect(**numbers)


def test_a_render_shows_text_and_sleeps(capsys):
    class Drawn(Walk):
        def render(self):
            return f"at {self.steps}"

    Collector(Improver(), Drawn()).collect(n_step=2, render=0.0)
    assert capsys.readouterr().out == "at 1\nat 2\n"


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*environment 1.*")
@pytest.mark.parametrize("trouble", [RAISE, KILL])
@pytest.mark.parametrize(("kind", "options"), [(Collector, {}), (AsyncCollector, {"wait_num": 2})])
def test_an_environment_that_is_replaced_is_told_and_ends_its_episode(kind, options, trouble):
    env = SubprocVectorEnv([Troubled] * 3, on_failure="restart", **options)
    policy = Told(0, 0, 0)
    collector = kind(policy, env, VectorReplayBuffer(90, 3))
    assert collector.collect(n_step=6).n_restarts == 0
    policy.acts[1] = trouble
    while not (stats := collector.collect(n_step=1)).n_restarts:
        pass
    policy.acts[1] = 0
    assert stats.n_restarts == 1
    assert collector.collect(n_step=9).n_restarts == 0
    places = collector.buffer.sample_indices(0)
    ring = collector.buffer[places[places // 30 == 1]]
    cut = np.flatnonzero(ring.truncated)
    assert len(cut) == 1
    assert not ring.terminated.any()
    last = cut.item()
    assert (ring.act[last], ring.rew[last]) == (trouble, 0.0)
    assert ring.obs_next[last].tolist() == ring.obs[last].tolist(), "what it showed last"
    assert ring.obs[last + 1 :, 1].tolist() == list(range(len(ring) - last - 1)), "and a new episode"
    collector.close()


@pytest.mark.filterwarnings("ignore:.*environment 0.*")
def test_every_agent_of_an_environment_that_is_replaced_comes_to_an_end():
    class Failing(Scripted):
        def step(self, action):
            if self._moves == 3:
                raise ValueError("no such move")
            super().step(action)

    script = {"turns": ["a", "b", "a", "b", "a"], "rewards": {0: {"b": 0.25}}}
    env = DummyVectorEnv([lambda: PettingZooEnv(Failing(**script))], on_failure="restart")
    collector = Collector(Lowest(), env, VectorReplayBuffer(20, 2))
    stats = collector.collect(n_step=4)
    assert (stats.n_restarts, stats.returns.tolist()) == (1, [[0.0, 0.25]])
    stored = collector.buffer[:]
    assert stored.obs.agent_id.tolist() == [0, 0, 1, 1]
    assert stored.truncated.tolist() == [False, True, False, True]
    assert stored.obs_next.obs.tolist() == [[2, 0], [2, 0], [3, 1], [3, 1]], "in the end, what each saw when last asked"
