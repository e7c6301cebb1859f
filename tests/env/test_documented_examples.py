"""The worked examples of the vector environments' manuals, with the results that they document.

Gymnasium's five-value step stands where the manuals have the older one's four, and infos come with every reset.
"""

import copy
import time

import gymnasium as gym
import numpy as np
import pytest

from arena.data import Batch, ReplayBuffer
from arena.env import DummyVectorEnv, GymVectorEnv, ParallelEnv, PettingZooEnv, ShmemVectorEnv, SubprocVectorEnv
from arena.env.workers.dummy import DummyEnvWorker
from arena.env.workers.subproc import SubprocEnvWorker
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted

pytestmark = pytest.mark.full

KINDS = [DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv]


class MyTestEnv(gym.Env):
    """A walk along `size` squares: action 1 goes on, 0 goes back; a step may take a while."""

    action_space = gym.spaces.Discrete(2)

    def __init__(self, size: int, sleep: float = 0.0):
        self.observation_space = gym.spaces.Box(0, size, (1,), np.int64)
        self.size, self.sleep, self.square = size, sleep, 0

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.square = 0
        return np.array([0]), {}

    def step(self, action):
        time.sleep(self.sleep)
        self.square = max(self.square + (1 if action else -1), 0)
        over = self.square == self.size
        return np.array([self.square]), float(over), over, False, {}


@pytest.mark.parametrize("kind", KINDS)
def test_usage_of_a_vector_environment(kind):
    env_num = 8
    envs = kind([lambda: gym.make("CartPole-v1", render_mode="rgb_array") for _ in range(env_num)])
    assert len(envs) == env_num
    envs.seed(2)
    counted, _ = envs.reset()
    envs.seed([2, 3, 4, 5, 6, 7, 8, 9])
    listed, _ = envs.reset()
    assert counted.tolist() == listed.tolist()
    assert counted.shape == (8, 4)
    three, _ = envs.reset([0, 5, 7])
    assert three.shape == (3, 4)
    before = np.concatenate([three[:1], listed[1:5], three[1:2], listed[6:7], three[2:]])
    obs, rew, terminated, truncated, info = envs.step([1] * 8)
    assert (obs[:, 1] > before[:, 1]).all()  # all were pushed to the right, those not reset from where they stood
    assert [type(one) for one in (obs, rew, terminated, truncated, info)] == [np.ndarray] * 5
    assert (rew.tolist(), (terminated | truncated).tolist(), info.tolist()) == ([1.0] * 8, [False] * 8, [{}] * 8)
    assert [picture.shape for picture in envs.render()] == [(400, 600, 3)] * 8
    envs.close()


@pytest.mark.parametrize("kind", KINDS)
def test_parallel_sampling(kind):
    env_fns = [lambda x=i: MyTestEnv(size=x) for i in [2, 3, 4, 5]]
    venv = kind(env_fns)
    assert venv.reset()[0].tolist() == [[0]] * 4
    assert venv.step(np.ones(4, int))[0].tolist() == [[1]] * 4
    *_, terminated, _, _ = venv.step(np.ones(4, int))
    assert terminated.tolist() == [True, False, False, False]
    assert venv.reset(0)[0].tolist() == [[0]]  # whoever steps is responsible for resetting
    obs, rew, terminated, _, _ = venv.step([1, 1, 1, 1])
    assert (obs.tolist(), rew.tolist()) == ([[1], [3], [3], [3]], [0.0, 1.0, 0.0, 0.0])
    assert terminated.tolist() == [False, True, False, False]
    venv.close()


@pytest.mark.parametrize("kind", KINDS[1:])
def test_asynchronous_parallel_sampling(kind):
    env_fns = [lambda x=i: MyTestEnv(size=100, sleep=x / 1000) for i in [2, 3, 4, 5]]
    venv = kind(env_fns, wait_num=3, timeout=60)
    venv.reset()
    ready_id, steps = np.arange(4), np.zeros(4, int)
    for _ in range(10):
        obs, *_, info = venv.step([1] * len(ready_id), ready_id)
        ready_id = np.array([one["env_id"] for one in info])
        assert len(ready_id) == 3
        steps[ready_id] += 1
        assert obs[:, 0].tolist() == steps[ready_id].tolist()
    obs, *_ = venv.step(None)  # the one that is under way still
    assert len(obs) == 1
    assert steps.sum() == 30
    venv.close()


@pytest.mark.parametrize("kind", KINDS)
def test_environments_seeded_apart_draw_apart(kind):
    class Dice(MyTestEnv):
        def step(self, action):
            return self.np_random.integers(0, 1000, 1), 0.0, False, False, {}

    venv = kind([lambda: Dice(9)] * 8)
    throws = []
    for _ in range(2):
        venv.seed(7)
        venv.reset()
        throws.append(venv.step([0] * 8)[0][:, 0].tolist())
    assert throws[0] == throws[1]
    assert len(set(throws[0])) > 4
    venv.close()


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_by_id(kind):
    venv = kind([lambda x=i: MyTestEnv(size=x) for i in [2, 3, 4, 5]])
    assert venv.get_env_attr("size", 1) == [3]
    assert venv.get_env_attr("size", [3, 0]) == [5, 2]
    assert venv.get_env_attr("size") == [2, 3, 4, 5]
    venv.set_env_attr("size", 9, 2)
    venv.set_env_attr("size", 7, [0, 1])
    assert venv.get_env_attr("size") == [7, 7, 9, 5]
    venv.close()


@pytest.mark.parametrize("kind", [DummyEnvWorker, SubprocEnvWorker])
def test_a_worker_steps_at_once_or_in_two_halves(kind):
    worker, other = (kind(lambda: MyTestEnv(3)) for _ in range(2))
    worker.seed(1)
    for one in (worker, other):
        assert one.reset()[0].tolist() == [0]
    assert worker.step(1)[0].tolist() == [1]
    for one in (worker, other):
        one.send_action(1)
    ready = kind.wait([worker, other], wait_num=2)
    assert set(ready) == {worker, other}
    assert [one.get_result()[0].tolist() for one in (worker, other)] == [[2], [1]]
    worker.set_env_attr("size", 8)
    assert (worker.get_env_attr("size"), other.get_env_attr("size")) == (8, 3)
    for one in (worker, other):
        one.close()
        assert one.is_closed


@pytest.mark.parametrize("kind", KINDS)
def test_pendulums_as_gymnasium_shows_them(kind):
    envs = GymVectorEnv(kind([lambda: gym.make("Pendulum-v1", g=9.81), lambda: gym.make("Pendulum-v1", g=1.62)]))
    assert envs.num_envs == 2
    obs, infos = envs.reset(seed=42)
    assert (obs.dtype, infos) == (np.float32, {})
    expected = [[-0.14995256, 0.9886932, -0.12224312], [0.5760367, 0.8174238, -0.91244936]]
    assert obs == pytest.approx(np.array(expected), abs=1e-6)
    _ = envs.action_space.seed(42)
    actions = envs.action_space.sample()
    obs, rewards, terminates, truncates, infos = envs.step(actions)
    expected = [[-0.1878752, 0.98219293, 0.7695615], [0.6102389, 0.79221743, -0.8498053]]
    assert obs == pytest.approx(np.array(expected), abs=1e-6)
    assert rewards == pytest.approx(np.array([-2.96562607, -0.99902063]), abs=1e-6)
    assert (terminates.tolist(), truncates.tolist(), infos) == ([False, False], [False, False], {})
    envs.close()


class Reach(gym.Env):
    """Shows what FetchReach-v1 shows: a dictionary of three arrays."""

    goal = np.array([1.42154265, 0.62505137, 0.62929863])
    gripper = np.array([1.34183265, 0.74910039, 0.53472272])

    def reset(self, seed=None, options=None):
        observation = np.concatenate([self.gripper, np.zeros(7)])
        return {"observation": observation, "achieved_goal": self.gripper, "desired_goal": self.goal}, {}


def test_observations_that_are_dictionaries():
    b = ReplayBuffer(size=3)
    b.add(Batch(obs=Reach().reset()[0], act=0, rew=0, done=0))
    assert (b.act.tolist(), b.done.tolist(), b.rew.tolist()) == ([0] * 3, [False] * 3, [0] * 3)
    assert b.obs.achieved_goal.tolist() == [Reach.gripper.tolist(), [0.0] * 3, [0.0] * 3]
    assert b.obs.observation.shape == (3, 10)
    assert "achieved_goal: array([[1.34183265, 0.74910039, 0.53472272]," in str(b)
    batch, indices = b.sample(2)
    assert indices.tolist() == [0, 0]
    assert set(batch.keys()) >= {"act", "done", "info", "obs", "obs_next", "policy", "rew"}
    assert set(batch.obs[-1].keys()) == {"observation", "achieved_goal", "desired_goal"}
    for found in (batch.obs.desired_goal[-1], batch.obs[-1].desired_goal, batch[-1].obs.desired_goal):
        assert found.tolist() == Reach.goal.tolist()


class Graph:
    def __init__(self):
        self.edges: list[tuple[int, int]] = []


class GraphEnv(gym.Env):
    """Shows its graph, or a deep copy of it; an action adds an edge from node 0."""

    action_space = gym.spaces.Discrete(9)
    observation_space = gym.spaces.Discrete(1)

    def __init__(self, is_copying: bool):
        self.show = copy.deepcopy if is_copying else lambda graph: graph

    def reset(self, seed=None, options=None):
        self.graph = Graph()
        return self.show(self.graph), {}

    def step(self, action):
        self.graph.edges.append((0, action))
        return self.show(self.graph), 0.0, False, False, {}


@pytest.mark.parametrize(("is_copying", "kept"), [(False, [2, 2]), (True, [0, 1])])
def test_observations_that_are_objects(is_copying, kept):
    b, env = ReplayBuffer(size=3), GraphEnv(is_copying)
    obs, _ = env.reset()
    for action in (4, 5):
        obs_next, *_ = env.step(action)
        b.add(Batch(obs=obs, act=action, rew=0, done=0, obs_next=obs_next))
        obs = obs_next
    assert (b.obs.dtype, b.obs[2]) == (object, None)
    assert [len(graph.edges) for graph in b.obs[:2]] == kept  # the buffer stores references
    assert b.obs_next[1] is obs


@pytest.mark.parametrize("kind", KINDS)
def test_objects_come_through_vector_environments(kind):
    venv = kind([lambda: GraphEnv(is_copying=True)] * 2)
    venv.reset()
    obs, *_ = venv.step([3, 4])
    assert (obs.dtype, obs.shape) == (object, (2,))
    assert [graph.edges for graph in obs] == [[(0, 3)], [(0, 4)]]
    venv.close()


@pytest.mark.parametrize(
    "turns",
    [["white", "black"] * 3, ["white", "white", "black", "white", "black", "black"]],
    ids=["cyclic", "conditional"],
)
def test_a_state_of_many_agents_is_state_agent_and_mask(turns):
    env = PettingZooEnv(Scripted(turns=turns, rewards={5: {"black": 1.0, "white": -1.0}}))
    policy = RandomPolicy(seed=0)
    state, _ = env.reset()
    asked, earned = [], np.zeros(2)
    for _ in turns:
        asked.append(env.possible_agents[state["agent_id"]])
        action = policy.forward(Batch(obs=Batch.stack([Batch(state)]))).act[0]
        assert state["mask"][action]
        state, rewards, terminated, *_ = env.step(action)
        earned += rewards
    assert asked == turns
    assert terminated.all()
    assert earned.tolist() == [1.0 if agent == "black" else -1.0 for agent in env.possible_agents]


@pytest.mark.parametrize("para_mode", ["dummy", "subproc"])
def test_a_customized_method_on_8_of_16_environments(para_mode):
    class Customized(MyTestEnv):
        def func(self, x):
            return self.size * x

    env = ParallelEnv([Customized(size) for size in range(16)], para_mode, num_cpus=2)
    data = [{"x": x} for x in range(10, 18)]
    id = [0, 1, 2, 3, 8, 9, 10, 15]
    results = env.customized_method("func", data, id)
    assert results == [number * one["x"] for number, one in zip(id, data, strict=True)]
    env.close()
