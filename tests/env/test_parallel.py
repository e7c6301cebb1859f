"""`ParallelPettingZooEnv`: all choose, then all act; ends, masks and agents that have nothing to choose."""

import warnings

import gymnasium as gym
import numpy as np
import pytest
from pettingzoo import ParallelEnv

from arena.base.errors import IllegalActionError
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv, ParallelPettingZooEnv
from arena.policy.random import RandomPolicy
from games import tic_tac_toe
from tests.match.players import Lowest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's, about its own import path
    from pettingzoo.classic import rps_v2


class Race(ParallelEnv):
    """Three run: each step takes as far as the action says. Who reaches 4 is out, and gets what the others have to go.

    After 5 steps the race is cut.
    """

    metadata = {"name": "race"}  # noqa: RUF012  # as PettingZoo has it

    def __init__(self):
        self.possible_agents = ["a", "b", "c"]

    def observation_space(self, agent):
        return gym.spaces.Box(0, 9, (3,), np.int64)

    def action_space(self, agent):
        return gym.spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        self.agents, self.at, self.steps = list(self.possible_agents), dict.fromkeys("abc", 0), 0
        return self.seen(), {agent: {"seed": seed} for agent in self.agents}

    def seen(self):
        return {agent: np.array(list(self.at.values())) for agent in self.agents}

    def step(self, actions):
        assert set(actions) == set(self.agents)
        self.steps += 1
        for agent, action in actions.items():
            self.at[agent] += action
        seen = self.seen()
        there = {agent: self.at[agent] >= 4 for agent in self.agents}
        rewards = {agent: float(sum(4 - at for at in self.at.values() if at < 4)) * there[agent] for agent in there}
        cut = {agent: self.steps == 5 and not there[agent] for agent in there}
        infos = {agent: {} for agent in there}
        self.agents = [agent for agent in there if not (there[agent] or cut[agent])]
        return seen, rewards, there, cut, infos


def race(actions: list[int]) -> list[tuple]:
    """Who was asked, and what came of its action."""
    env = ParallelPettingZooEnv(Race())
    obs, info = env.reset(seed=5)
    assert info == {"seed": 5}
    told = []
    for action in actions:
        asked = obs["agent_id"]
        obs, rew, terminated, truncated, _ = env.step(action)
        told.append((asked, obs["obs"].tolist(), rew.tolist(), terminated.tolist(), truncated.tolist()))
    assert not env.env.agents
    return told


def test_nobody_sees_what_others_chose_and_the_dead_are_not_asked():
    no, zero = [False] * 3, [0.0] * 3
    b_out, a_out = [False, True, False], [True, True, False]
    assert race([1, 2, 0, 2, 2, 0, 0, 1, 1, 1, 0]) == [
        (0, [0, 0, 0], zero, no, no),
        (1, [0, 0, 0], zero, no, no),
        (2, [1, 2, 0], zero, no, no),
        (0, [1, 2, 0], zero, no, no),
        (1, [1, 2, 0], zero, no, no),
        (2, [3, 4, 0], [0.0, 5.0, 0.0], b_out, no),
        (0, [3, 4, 0], zero, b_out, no),
        (2, [3, 4, 1], zero, b_out, no),
        (0, [3, 4, 1], zero, b_out, no),
        (2, [4, 4, 2], [2.0, 0.0, 0.0], a_out, no),
        (2, [4, 4, 2], zero, a_out, [False, False, True]),
    ]


def test_what_is_cut_is_truncated():
    told = race([0, 0, 0] * 5)
    assert told[-1][3:] == ([False] * 3, [True] * 3)


def test_rock_paper_scissors_through_its_parallel_api():
    env = ParallelPettingZooEnv(rps_v2.parallel_env(max_cycles=3))
    obs, _ = env.reset()
    earned, asked, seen = np.zeros((6, 2)), [], []
    for i, action in enumerate([0, 1, 1, 2, 2, 2]):
        asked.append(obs["agent_id"])
        seen.append(int(obs["obs"]))
        obs, earned[i], terminated, truncated, _ = env.step(action)
    assert asked == [0, 1] * 3
    assert seen == [3, 3, 1, 0, 2, 1], "each sees what the other chose last"
    assert earned.tolist() == [[0, 0], [-1, 1], [0, 0], [-1, 1], [0, 0], [0, 0]]
    assert (terminated | truncated).all()


@pytest.mark.parametrize("action", [3, -1, 0.5, None])
def test_an_illegal_action_changes_nothing(action):
    env = ParallelPettingZooEnv(rps_v2.parallel_env())
    env.reset()
    env.step(0)
    with pytest.raises(IllegalActionError, match=r"of player_1 is illegal; legal are \[0, 1, 2\]"):
        env.step(action)
    _, rew, *_ = env.step(1)
    assert rew.tolist() == [-1.0, 1.0]


def test_who_has_nothing_to_choose_is_not_asked():
    """A game of turns shown all at once: only the agent to move has a mask, and the game is what it is in turns."""
    stored = []
    for env in (
        DummyVectorEnv([lambda: ParallelPettingZooEnv(tic_tac_toe.parallel_env())]),
        GameVectorEnv("tic_tac_toe", 1),
    ):
        buffer = VectorReplayBuffer(20, 2)
        Collector(Lowest(), env, buffer).collect(n_episode=1)
        stored.append(buffer[:])
    for key in ("obs", "act", "rew", "terminated", "truncated", "obs_next"):
        assert stored[0][key] == stored[1][key] if key.startswith("obs") else (stored[0][key] == stored[1][key]).all()


def test_a_collection_of_rock_paper_scissors_is_fair_and_complete():
    env = DummyVectorEnv([lambda: ParallelPettingZooEnv(rps_v2.parallel_env(max_cycles=4))] * 3)
    buffer = VectorReplayBuffer(600, 6)
    stats = Collector(RandomPolicy(seed=1), env, buffer).collect(n_episode=9)
    assert stats.lens.tolist() == [8] * 9
    assert stats.returns.sum() == 0
    assert len(buffer) == 9 * 8
    assert buffer[:].done.sum() == 9 * 2
