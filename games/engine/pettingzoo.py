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
from games.engine.spaces import observation_space

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
            "is_parallelizable": game.simultaneous,
            "render_fps": 2,
        }
        self.possible_agents = list(game.agents)
        self.observation_spaces = {agent: observation_space(game) for agent in game.agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in game.agents}
        self._illegal_ends_game = illegal_ends_game
        self._row = np.zeros(1, np.int64)
        self._states = np.zeros(1, game.state_dtype)
        self._seats = np.zeros(1, np.int64)
        self._obs = np.zeros((1, *game.observation_shape), game.observation_dtype)
        self._mask = np.zeros((1, game.num_actions), np.bool_)
        self._rewards = np.zeros((1, game.num_players), np.float32)
        self._over = np.ones(1, np.bool_)
        self._ready: str | None = None  # whose turn it is: that agent's view lies in `_obs` and `_mask`
        self._chances = game.chance_scratch()
        self._streams = np.frombuffer(np.random.bytes(8), np.uint64).copy()
        self._action = np.zeros(1, np.int64)
        held = (self._seats, self._mask, self._over, self._obs, self._rewards, self._chances)
        self._step = (self._states, self._row, self._action, *held)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Space of what `agent` sees: `observation` and `action_mask`, or the bare observation."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Space of the actions of `agent`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; a seed decides what chance does in it and in those that follow."""
        if seed is not None:
            self._streams[0] = seed % 2**64
        initial = self.game.initial.reshape(1)
        held = (self._seats, self._mask, self._chances)
        kernels(self.game).reset(self._states, initial, self._streams, self._row, *held)
        kernels(self.game).observe_movers(self._states, self._row, self._seats, self._obs)
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
        """What `agent` sees; the mask of all but `agent_selection` is all zero. `KeyError` for an unknown agent."""
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
        """Copies of an observation [1, *O] and a mask [1, A] as PettingZoo's game shows them."""
        if self.game.bare:
            return np.array(obs.item())
        return {"observation": obs[0].copy(), "action_mask": mask[0].astype(np.int8)}

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or by an illegal action."""
        return any(self.terminations.values()) or any(self.truncations.values())

    def joint_masks(self) -> NDArray[np.bool_]:
        """What every agent may choose in a game of simultaneous choices, [P, A]."""
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
        kernels(self.game).step(*self._step)
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        earned: list[float] = self._rewards.tolist()[0]
        if any(earned):
            self._paid = True
            self.rewards = dict(zip(self.possible_agents, earned, strict=True))
            self._accumulate_rewards()
        elif self._paid:
            self._paid = False
            self.rewards = dict.fromkeys(self.agents, 0.0)
        if self._over.item():
            self._ready = None
            self.terminations = dict.fromkeys(self.agents, not self.game.is_cut)
            self.truncations = dict.fromkeys(self.agents, self.game.is_cut)
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
        """The board as text (ansi), printed (human), or as pixels (rgb_array)."""
        return self._turns.render()

    def close(self) -> None:
        """Nothing to release."""

    def _movers(self, actions: dict[str, int]) -> list[str]:
        """The agents whose actions count; `UsageError` before anything is played if one of them is not there."""
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
        if self.game.simultaneous and not self.game.bare and not self._turns.is_over:
            for agent, mask in zip(self.possible_agents, self._turns.joint_masks(), strict=True):
                views[agent]["action_mask"] = mask.view(np.int8)
        return views

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"active_agent": self._turns.agent_selection} for agent in self.possible_agents}
