"""Registration of agents: what they are built for and, in `arena.policy.kinds`, how they are registered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from gymnasium import spaces

from arena.base.errors import UsageError
from arena.policy.kinds import AgentKind, Algorithm
from games.engine.game import Game
from games.engine.seats import SeatGroup

if TYPE_CHECKING:
    from arena.policy.network import MakeNetwork

__all__ = ["AgentKind", "Algorithm", "SpacedTask", "Spaces", "Task"]


class Task(Protocol):
    """Description of the task that a policy was trained for; a `Game` is one."""

    @property
    def name(self) -> str:
        """Name of the task."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the task."""


@dataclass(frozen=True)
class Spaces:
    """Observation and action spaces of a policy, which determine the shape of its network."""

    observation: spaces.Space[Any]
    """Space of bare observations, without `agent_id` and `mask`."""
    action: spaces.Space[Any]
    game: Game | None = None
    """Game of these spaces, for agents that search; None for other environments."""
    network: "MakeNetwork | None" = None
    """Makes the body of networks from the two spaces; None for the usual ones."""

    @classmethod
    def of_game(cls, game: Game) -> Self:
        """Return the spaces of each seat in a game."""
        observation_space = spaces.Box(
            game.observation_low, game.observation_high, game.observation_shape, game.observation_dtype
        )
        box = game.action_box
        action = spaces.Discrete(game.num_actions) if box is None else spaces.Box(box.low, box.high)
        return cls(observation_space, action, game)

    @classmethod
    def of_group(cls, game: Game, group: SeatGroup | None) -> Self:
        """Return the spaces of the seats of a group, in shapes of their own; without one, those of all seats."""
        if group is None:
            return cls.of_game(game)
        bounds = (
            np.broadcast_to(group.observation_low, group.observation_shape),
            np.broadcast_to(group.observation_high, group.observation_shape),
        )
        box = group.action_box
        action = spaces.Discrete(group.num_actions) if box is None else spaces.Box(box.low, box.high)
        return cls(spaces.Box(*bounds, group.observation_shape, group.observation_dtype), action, game)

    @classmethod
    def of_task(cls, task: "Game | SpacedTask") -> "Spaces":
        """Return the spaces of the acting seat in a task."""
        return cls.of_game(task) if isinstance(task, Game) else task.spaces

    @property
    def hides_something(self) -> bool:
        """Return whether these are the spaces of a game in which deterministic players can be exploited."""
        return self.game is not None and not self.game.perfect_information

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of what a network takes: an array's own, (n,) for n numbered observations.

        Raises `UsageError` where observations are neither.
        """
        if isinstance(self.observation, spaces.Discrete):
            return (int(self.observation.n),)
        if isinstance(self.observation, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
            return tuple(self.observation.shape)
        raise UsageError(f"observations of {self.observation} are not arrays or numbers; a wrapper can flatten them")

    @property
    def num_actions(self) -> int:
        """Number of actions; raises `UsageError` unless they are numbered from 0."""
        if not isinstance(self.action, spaces.Discrete) or self.action.start != 0:
            raise UsageError(f"actions of {self.action} are not numbered from 0, as this agent requires")
        return int(self.action.n)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Shape of a continuous action; `UsageError` unless they have finite bounds."""
        if not isinstance(self.action, spaces.Box) or not np.isfinite([self.action.low, self.action.high]).all():
            raise UsageError(f"actions of {self.action} are not arrays within finite bounds, as this agent requires")
        return tuple(self.action.shape)


class SpacedTask(Task, Protocol):
    """A task with spaces of its own."""

    @property
    def spaces(self) -> Spaces:
        """Spaces of the acting seat."""
