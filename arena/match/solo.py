"""`SoloEnv`: a game as a Gymnasium environment for one agent, against opponents that hold the other seats."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.match.match import Match
from arena.policy.registry import make_agent, make_game
from games.engine.options import Option
from games.engine.spaces import observation_space


class SoloEnv(gym.Env[Any, np.int64]):
    """One seat of a game.

    Observations, actions and rewards are those of the game's PettingZoo view: `{"observation", "action_mask"}`. An
    illegal action ends the game with reward -1, so that checkers and agents without masks can use the environment;
    `action_masks()` serves algorithms with masks. An opponent that fails loses.

    Args:
        game: a name.
        options: the game's options, {"size": 9}; its defaults otherwise.
        opponent: agent spec of the other seats: "random", "alphabeta:2", "ppo:runs/c4".
        seat: the agent's seat from 0, or None for a random one in each game.
        render_mode: None, "ansi" or "rgb_array".

    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012  # declared so by Gymnasium

    def __init__(
        self,
        game: str,
        options: Mapping[str, Option] | None = None,
        opponent: str = "random",
        seat: int | None = 0,
        render_mode: str | None = None,
    ):
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UsageError(f"unknown render_mode {render_mode!r}; known: ansi, rgb_array")
        self.game = make_game(game, **(options or {}))
        if self.game.action_box is not None:
            raise UsageError(f"{self.game.name}: its actions are continuous; a SoloEnv has numbered ones")
        if seat is not None and not 0 <= seat < self.game.num_players:
            raise UsageError(f"seat={seat} is not between 0 and {self.game.num_players - 1}, the seats of {game}")
        self.render_mode = render_mode
        self._seat, self._alternates = seat or 0, seat is None
        self._opponents = [make_agent(opponent, self.game) for _ in range(self.game.num_players - 1)]
        self._opponent = opponent
        self._match: Match | None = None
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)

    @property
    def seat(self) -> int:
        """The agent's seat in this game."""
        return self._seat

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game; the opponents move until it is the agent's turn. Games that end before that are restarted."""
        super().reset(seed=seed)
        match = self._new_match()
        while match.over:
            match = self._new_match()
        self._match = match
        return self._observation(match), self._info()

    def _new_match(self) -> Match:
        """Return a new match at the agent's first turn, or over."""
        if self._alternates:
            self._seat = int(self.np_random.integers(self.game.num_players))
        others = iter(self._opponents)
        players = [
            ("agent", None) if seat == self._seat else (self._opponent, next(others))
            for seat in range(self.game.num_players)
        ]
        match = Match(self.game, players, int(self.np_random.integers(2**63)))
        self._until_my_turn(match)
        return match

    def step(self, action: np.int64) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action and the opponents' replies; the reward is the change of the agent's return.

        Raises `UsageError` for a value that is no action, or if no game is in progress.
        """
        match = self._match
        if match is None or match.over:
            raise UsageError(f"{self.game.name}: the game is over or not yet begun; reset it before it steps")
        if isinstance(action, bool | np.bool_) or not self.action_space.contains(action):
            raise UsageError(f"{self.game.name}: action {action!r} is not a whole number below {self.game.num_actions}")
        before = match.returns[self._seat]
        if match.legal[action]:
            match.play(int(action))
            self._until_my_turn(match)
        else:
            match.resign(self._seat)
        cut = match.over and self.game.truncates
        reward = match.returns[self._seat] - before
        return self._observation(match), reward, match.over and not cut, cut, self._info()

    def _until_my_turn(self, match: Match) -> None:
        while not match.over and match.seat != self._seat:
            match.advance()

    def _observation(self, match: Match) -> Any:
        obs = match.observation_of(self._seat)
        if self.game.unmasked_observation:
            return int(obs.item())
        return {"observation": obs, "action_mask": self.action_masks().view(np.int8)}

    def _info(self) -> dict[str, Any]:
        return {"seat": self._seat, "action_mask": self.action_masks()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool [A]; all True once the game is over."""
        assert self._match is not None
        return self._match.legal if not self._match.over else np.ones(self.game.num_actions, np.bool_)

    def close(self) -> None:
        """Close the opponents."""
        for opponent in self._opponents:
            opponent.close()

    def render(self) -> Any:
        """Return the board as text or pixels, without information hidden from the agent."""
        if self.render_mode is None or self._match is None:
            return None
        picture = self._match.picture(self._match.shown_to(self._seat))
        return picture.text() if self.render_mode == "ansi" else picture.image()
