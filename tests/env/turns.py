"""Environments in the form of Tianshou's manual: an observation names the agent to act, and all earn at every step."""

import gymnasium as gym
import numpy as np

from arena.env import MultiAgentEnv


class TicTacToe(MultiAgentEnv):
    """The tutorial's, three by three: over when one place is empty; older terms, agents 1 and 2."""

    def __init__(self):
        super().__init__()
        self.observation_space = gym.spaces.Box(-1, 1, (3, 3), np.int32)
        self.action_space = gym.spaces.Discrete(9)

    def reset(self):
        self.board, self.turn = np.zeros((3, 3), np.int32), 1
        return self.seen()

    def seen(self):
        return {"agent_id": self.turn, "obs": self.board.copy(), "mask": self.board.flatten() == 0}

    def step(self, action):
        sign = 1 if self.turn == 1 else -1
        self.board.flat[action] = sign
        lines = [*self.board.sum(0), *self.board.sum(1), np.trace(self.board), np.trace(self.board[:, ::-1])]
        rewards = np.array([1.0, -1.0]) * sign * (3 * sign in lines)
        done = bool(rewards.any()) or np.count_nonzero(self.board == 0) == 1
        self.turn = 3 - self.turn
        return self.seen(), rewards, np.array(done), {}


class TwoPly(gym.Env):
    """The first chooses 0 or 1, then the second must play 2, which brings the first 2 * choice - 1, its own the other.

    Each sees its number and the plies made. In Gymnasium's terms; agents count from 0 or 1, as it is told.
    """

    observation_space = gym.spaces.Box(0, 9, (2,), np.int64)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, first_id=1, cut=False):
        self.first_id, self.cut = first_id, cut

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.plies, self.seed_told = 0, seed
        return self.seen(0, [1, 1, 0]), {"plies": 0}

    def seen(self, seat, mask):
        return {"agent_id": seat + self.first_id, "obs": np.array([seat + 1, self.plies]), "mask": np.array(mask) == 1}

    def step(self, action):
        self.plies += 1
        if self.plies == 1:
            self.choice = action
            return self.seen(1, [0, 0, 1]), np.zeros(2), False, False, {"plies": 1}
        rewards = np.array([2.0 * self.choice - 1, 1 - 2.0 * self.choice])
        return self.seen(0, [0, 0, 0]), rewards, not self.cut, self.cut, {"plies": 2}


class Observed(MultiAgentEnv):
    """Shows everybody the end."""

    def __init__(self, env):
        super().__init__(env)

    def observe(self, agent_id):
        return np.array([agent_id, 100 + self.env.plies])
