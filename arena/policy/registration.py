"""Registration of agents: their construction and, for learners, their training."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np
from gymnasium import spaces

from arena.base.errors import UsageError
from arena.policy.protocol import Policy
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.policy.base import BasePolicy
    from arena.policy.network import MakeNetwork


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


@dataclass(frozen=True)
class Algorithm:
    """Registration of a learning algorithm: its config, the constructor of its policy, and its kind of data."""

    config: type
    """Frozen dataclass of its hyper-parameters, every field with a default."""
    build: "Callable[[Spaces, Any, bool], BasePolicy]"
    """Makes a policy from a config; without an optimizer where the flag (`training`) is False."""
    data: Literal["on-policy", "off-policy", "offline"]
    paper: str
    actions: tuple[Literal["discrete", "continuous", "games"], ...] = ("discrete",)
    """Kind of actions: numbered ones, games included; continuous ones; or moves of games alone."""
    self_play: bool = False
    """True if it learns a game against itself alone by default, and not against its past as well."""
    single: Any = None
    """A config for Gymnasium's environments, where the defaults (for many boards at once) do not suit them."""

    def usual_config(self, single: bool) -> Any:
        """Return the default config for a game or for a single-agent environment."""
        return self.single if single and self.single is not None else self.config()

    def steps_between_updates(self, config: Any, environments: int, rollout: int) -> int:
        """Return the number of steps in each of these environments between two updates with this config.

        On-policy, those of a `rollout`; off-policy, as few as leave something to be done after them.
        """
        if self.data == "on-policy":
            return rollout
        updates = config.update_per_step * environments
        return 1 if round(updates) else ceil(1 / updates)


@dataclass(frozen=True)
class AgentKind:
    """One registered name of an agent."""

    summary: str
    """Description in one line."""
    make: Callable[[Game, str], Policy]
    """Seats an agent for a game from the part of its spec after the colon; raises `UsageError`."""
    argument: str = ""
    """Name of the argument after the colon, `DEPTH`; empty if there is none."""
    algorithm: Algorithm | None = None
