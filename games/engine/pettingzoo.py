"""A game as a PettingZoo environment, turn by turn (AEC) or all at once (Parallel); the one file that imports it.

Both views behave as PettingZoo's own game of that name: dictionaries with `observation` and `action_mask`
(int8), rewards of the last move, dead agents that step with None.
"""

import operator
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from games.engine.batch import new_games
from games.engine.compiler import kernels
from games.engine.errors import IllegalActionError, UsageError
from games.engine.game import Game
from games.engine.jit import Unchecked
from games.engine.spaces import observation_space

RENDER_MODES = ("ansi", "human", "rgb_array")
Observation = dict[str, NDArray[Any]]


@cache
def unchecked_step(game: Game) -> Unchecked:
    """Return the kernel that plays a move, for the arrays of a `GameAECEnv`."""
    return Unchecked(kernels(game).step)


class GameAECEnv(AECEnv[str, Observation, int]):
    """A game as an AEC environment.

    With `illegal_ends_game` an illegal action ends the game as PettingZoo's `TerminateIllegalWrapper` does (its player
    gets -1, nobody wins); without, `IllegalActionError` is raised and nothing happens.
    """

    def __init__(self, game: Game, render_mode: str | None = None, illegal_ends_game: bool = True):
        if render_mode not in (None, *RENDER_MODES):
            raise UsageError(f"unknown render_mode {render_mode!r}; known: {', '.join(RENDER_MODES)}")
        self.game = game
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": game.pettingzoo_name or game.name,
            "is_parallelizable": game.simultaneous,
            "render_fps": 2,
        }
        self.possible_agents = list(game.agents)
        self.observation_spaces = {agent: observation_space(game) for agent in game.agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in game.agents}
        self._illegal_ends_game = illegal_ends_game
        self._row = np.zeros(1, np.int64)
        self._games = new_games(game, 1)
        self._states, self._seats, self._mask, self._over = self._games[:4]
        self._obs = np.zeros((1, *game.observation_shape), game.observation_dtype)
        self._rewards = np.zeros((1, game.num_players), np.float32)
        self._ready: str | None = None  # whose turn it is: that agent's view lies in `_obs` and `_mask`
        self._chances = game.chance_scratch()
        self._was_reset = False
        self._games.streams[:] = np.frombuffer(np.random.bytes(8), np.uint64)
        self._action = np.zeros(1, np.int64)
        self._step = (self._games, self._row, self._action, self._obs, self._rewards, self._chances)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Space of what `agent` sees: `observation` and `action_mask`, or the bare observation."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Space of the actions of `agent`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; a seed (any whole number) decides what chance does in it and in those that follow."""
        if seed is not None:
            self._games.streams[0] = _whole_seed(self.game.name, seed) % 2**64
        kernels(self.game).reset(self._games, self._row, self._chances)
        kernels(self.game).observe_movers(self._states, self._row, self._seats, self._obs)
        self._was_reset = True
        self._paid = False  # whether any of `rewards` is not 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ready = self.agents[self._seats[0]]
        self.agent_selection = self._ready
        self._skip_agent_selection = None

    def observe(self, agent: str) -> Observation:
        """Return what `agent` sees; the mask is all zero unless it is to move. `KeyError` for an unknown agent."""
        if self._ready is not None and agent == self._ready == self.agent_selection:
            return self._shown(self._obs, self._mask)
        self._require_reset()
        if agent not in self.observation_spaces:
            raise KeyError(agent)
        obs = np.empty((1, *self.game.observation_shape), self.game.observation_dtype)
        mask = np.empty((1, self.game.num_actions), np.bool_)
        seat = self.game.agents.index(agent)
        kernels(self.game).observe_one(self._states, seat, agent == self.agent_selection, obs[0], mask[0])
        return self._shown(obs, mask)

    def _shown(self, obs: NDArray[Any], mask: NDArray[np.bool_]) -> Any:
        """Return copies of an observation [1, *O] and a mask [1, A] as PettingZoo's game shows them."""
        if self.game.unmasked_observation:
            return np.array(obs.item())
        return {"observation": obs[0].copy(), "action_mask": mask[0].astype(np.int8)}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last move, termination, truncation and info of `agent_selection`."""
        self._require_reset()
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """Iterate over the agents to step, dead ones included, `max_iter` times at most."""
        self._require_reset()
        return super().agent_iter(max_iter)

    @property
    def is_over(self) -> bool:
        """True if the game has ended, by its rules or by an illegal action."""
        return any(self.terminations.values()) or any(self.truncations.values())

    def joint_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of every agent in a game of simultaneous choices, [P, A]."""
        masks = np.empty((1, self.game.num_players, self.game.num_actions), np.bool_)
        kernels(self.game).joint_masks(self._states, self._row, masks)
        return masks[0]

    def step(self, action: int | None) -> None:
        """Play for `agent_selection`; an agent whose game is over steps with None."""
        if self._ready is None:  # not begun, or over
            self._require_reset()
            if self.agents:
                self._was_dead_step(action)
            else:
                EnvLogger.warn_step_after_terminated_truncated()
            return
        number = self._check(action)
        if self._mask.item(number):
            self._play(number)
        elif self._illegal_ends_game:
            self._end_by_illegal_action()
        else:
            raise self._illegal(number)
        if self.render_mode == "human":
            self.render()

    def _check(self, action: Any) -> int:
        """Take a whole number in range, or raise `UsageError`."""
        if type(action) is int and 0 <= action < self.game.num_actions:  # without the array's microsecond
            return action
        array = np.asarray(action)
        if array.shape != () or array.dtype.kind not in "iu" or not 0 <= array < self.game.num_actions:
            last = self.game.num_actions - 1
            raise UsageError(f"{self.game.name}: action {action!r} is not a whole number from 0 to {last}")
        return int(array)

    def _illegal(self, action: int) -> IllegalActionError:
        text = self.game.action_text(self._states[0], action)
        return IllegalActionError(
            f"{self.game.name}: action {action} ({text}) of {self.agent_selection} is illegal in this position"
        )

    def _play(self, action: int) -> None:
        self._action[0] = action
        unchecked_step(self.game).call(*self._step)
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        rewards: list[float] = self._rewards.tolist()[0]
        if any(rewards):
            self._paid = True
            self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
            self._accumulate_rewards()
        elif self._paid:
            self._paid = False
            self.rewards = dict.fromkeys(self.agents, 0.0)
        if self._over.item():
            self._ready = None
            self.terminations = dict.fromkeys(self.agents, not self.game.truncates)
            self.truncations = dict.fromkeys(self.agents, self.game.truncates)
            mover = self.possible_agents.index(agent)
            self.agent_selection = self.possible_agents[(mover + 1) % len(self.possible_agents)]
        else:
            self.agent_selection = self._ready = self.possible_agents[self._seats.item()]

    def _end_by_illegal_action(self) -> None:
        EnvLogger.warn_on_illegal_move()
        self._ready = None
        agent = self.agent_selection
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = -1.0
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> NDArray[np.uint8] | str | None:
        """Return the board as text (ansi) or as pixels (rgb_array), or print it (human)."""
        self._require_reset()
        if self.render_mode is None:
            logger.warn("You are calling render method without specifying any render mode.")
            return None
        picture = self.game.picture(self._states[0])
        if self.render_mode == "rgb_array":
            return picture.image()
        if self.render_mode == "ansi":
            return picture.text()
        print(picture.text())
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _require_reset(self) -> None:
        if not self._was_reset:
            raise UsageError(f"{self.game.name}: call reset() before anything else")


def _whole_seed(game: str, seed: Any) -> int:
    """Return the seed as Python's whole number: those of numpy overflow."""
    try:
        return operator.index(seed)
    except TypeError:
        raise UsageError(f"{game}: seed={seed!r} is not a whole number") from None


class GameParallelEnv(ParallelEnv[str, Observation, int]):
    """A game as a Parallel environment.

    In a game of turns only the action of the agent to move counts, whom `infos[agent]["active_agent"]` names; the
    others' masks are all zero. Where all choose at once, all actions count but those of agents without a choice. An
    illegal action ends the game as in `GameAECEnv`.
    """

    def __init__(self, game: Game, render_mode: str | None = None):
        self._turns = GameAECEnv(game, render_mode)
        self.game = game
        self.render_mode = render_mode
        self.metadata = self._turns.metadata
        self.possible_agents = self._turns.possible_agents
        self.observation_spaces = self._turns.observation_spaces
        self.action_spaces = self._turns.action_spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Space of what `agent` sees: `observation` and `action_mask`, or the bare observation."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Space of the actions of `agent`."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a new game; returns observations and infos."""
        self._turns.reset(seed, options)
        self.agents = list(self.possible_agents)
        return self._views(), self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play the actions that count; returns observations, rewards, terminations, truncations, infos."""
        turns = self._turns
        turns._require_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return {}, {}, {}, {}, {}
        movers = self._movers(actions)
        while not turns.is_over and turns.agent_selection in movers:
            mover = turns.agent_selection
            movers.remove(mover)
            turns.step(actions[mover])
        if turns.is_over:
            self.agents = []
        return self._views(), dict(turns.rewards), dict(turns.terminations), dict(turns.truncations), self._infos()

    def render(self) -> NDArray[np.uint8] | str | None:
        """Return the board as text (ansi) or as pixels (rgb_array), or print it (human)."""
        return self._turns.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _movers(self, actions: dict[str, int]) -> list[str]:
        """Return the agents whose actions count; `UsageError`, before anything is played, if one is missing."""
        if not isinstance(actions, Mapping):
            raise UsageError(f"{self.game.name}: step takes a mapping from agents to actions, not {actions!r}")
        movers = [self._turns.agent_selection]
        if self.game.simultaneous:
            masks = zip(self.possible_agents, self._turns.joint_masks(), strict=True)
            movers = [agent for agent, mask in masks if mask.any()]
        for mover in movers:
            if mover not in actions:
                raise UsageError(f"{self.game.name}: it is the turn of {mover}, but actions names {sorted(actions)}")
            self._turns._check(actions[mover])
        return movers

    def _views(self) -> dict[str, Observation]:
        views = {agent: self._turns.observe(agent) for agent in self.possible_agents}
        if self.game.simultaneous and not self.game.unmasked_observation and not self._turns.is_over:
            for agent, mask in zip(self.possible_agents, self._turns.joint_masks(), strict=True):
                views[agent]["action_mask"] = mask.view(np.int8)
        return views

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"active_agent": self._turns.agent_selection} for agent in self.possible_agents}
