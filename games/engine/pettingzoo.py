"""A game as a PettingZoo environment, turn by turn (AEC) or all at once (Parallel); the one file that imports it.

Both views answer what PettingZoo's own game of that name answers: dictionaries with `observation` and `action_mask`
(int8), rewards that stand from the last move on, dead agents that step with None.
"""

from typing import Any

import numpy as np
from gymnasium import logger, spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from games.engine.compiler import kernels
from games.engine.errors import IllegalActionError, UsageError
from games.engine.game import Game

RENDER_MODES = ("ansi", "human", "rgb_array")
Observation = dict[str, NDArray[Any]]


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
            "is_parallelizable": False,  # as PettingZoo means it: agents act in turns
            "render_fps": 2,
        }
        self.possible_agents = list(game.agents)
        self.observation_spaces = {agent: _observation_space(game) for agent in game.agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in game.agents}
        self._illegal_ends_game = illegal_ends_game
        self._row = np.zeros(1, np.int64)
        self._states = np.zeros(1, game.state_dtype)
        self._seats = np.zeros(1, np.int64)
        self._obs = np.zeros((1, *game.observation_shape), game.observation_dtype)
        self._mask = np.zeros((1, game.num_actions), np.bool_)
        self._rewards = np.zeros((1, game.num_players), np.float32)
        self._over = np.ones(1, np.bool_)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Space of what `agent` sees: `observation` and `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Space of the actions of `agent`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game."""
        initial = self.game.initial.reshape(1)
        kernels(self.game).reset(self._states, initial, self._row, self._seats, self._obs, self._mask)
        self._over[0] = False
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self._seats[0]]
        self._skip_agent_selection = None

    def observe(self, agent: str) -> Observation:
        """What `agent` sees; the mask of all but `agent_selection` is all zero. `KeyError` for an unknown agent."""
        self._require_reset()
        if agent not in self.observation_spaces:
            raise KeyError(agent)
        obs = np.empty(self.game.observation_shape, self.game.observation_dtype)
        mask = np.empty(self.game.num_actions, np.bool_)
        seat = self.game.agents.index(agent)
        kernels(self.game).observe_one(self._states, seat, agent == self.agent_selection, obs, mask)
        return {"observation": obs, "action_mask": mask.view(np.int8)}

    def step(self, action: int | None) -> None:
        """Play for `agent_selection`; an agent whose game is over steps with None."""
        self._require_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
        elif self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
        else:
            number = self._check(action)
            if self._mask[0, number]:
                self._play(number)
            elif self._illegal_ends_game:
                self._end_by_illegal_action()
            else:
                raise self._illegal(number)
            if self.render_mode == "human":
                self.render()

    def _check(self, action: Any) -> int:
        """Take a whole number in range, or raise `UsageError`."""
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
        actions = np.array([action])
        kernels(self.game).step(
            self._states, self._row, actions, self._seats, self._obs, self._mask, self._rewards, self._over
        )
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, self._rewards[0].tolist(), strict=True))
        self._accumulate_rewards()
        if self._over[0]:
            self.terminations = dict.fromkeys(self.agents, True)
            mover = self.possible_agents.index(agent)
            self.agent_selection = self.possible_agents[(mover + 1) % len(self.possible_agents)]
        else:
            self.agent_selection = self.possible_agents[self._seats[0]]

    def _end_by_illegal_action(self) -> None:
        EnvLogger.warn_on_illegal_move()
        agent = self.agent_selection
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = -1.0
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> NDArray[np.uint8] | str | None:
        """The board as text (ansi), printed (human), or as pixels (rgb_array)."""
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
        """Nothing to release."""

    def _require_reset(self) -> None:
        if not hasattr(self, "agents"):
            raise UsageError(f"{self.game.name}: call reset() before anything else")


def _observation_space(game: Game) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, game.observation_shape, game.observation_dtype),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )


class GameParallelEnv(ParallelEnv[str, Observation, int]):
    """A game as a Parallel environment.

    In a game of turns only the action of the agent to move counts, whom `infos[agent]["active_agent"]` names; the
    others' masks are all zero. An illegal action ends the game as in `GameAECEnv`.
    """

    def __init__(self, game: Game, render_mode: str | None = None):
        self._turns = GameAECEnv(game, render_mode)
        self.game = game
        self.render_mode = render_mode
        self.metadata = self._turns.metadata
        self.possible_agents = self._turns.possible_agents
        self.observation_spaces = self._turns.observation_spaces
        self.action_spaces = self._turns.action_spaces

    def observation_space(self, agent: str) -> spaces.Dict:
        """Space of what `agent` sees: `observation` and `action_mask`."""
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
        """Play the action of the agent to move; returns observations, rewards, terminations, truncations, infos."""
        turns = self._turns
        turns._require_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return {}, {}, {}, {}, {}
        mover = turns.agent_selection
        if mover not in actions:
            raise UsageError(f"{self.game.name}: it is the turn of {mover}, but actions names {sorted(actions)}")
        turns.step(actions[mover])
        if any(turns.terminations.values()):
            self.agents = []
        return self._views(), dict(turns.rewards), dict(turns.terminations), dict(turns.truncations), self._infos()

    def render(self) -> NDArray[np.uint8] | str | None:
        """The board as text (ansi), printed (human), or as pixels (rgb_array)."""
        return self._turns.render()

    def close(self) -> None:
        """Nothing to release."""

    def _views(self) -> dict[str, Observation]:
        return {agent: self._turns.observe(agent) for agent in self.possible_agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"active_agent": self._turns.agent_selection} for agent in self.possible_agents}
