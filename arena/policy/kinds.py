"""Kinds of agents, as they are registered: facts and functions, imported without torch, numba and the agents."""

import importlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from arena.policy.base import BasePolicy
    from arena.policy.parameters import Parameter
    from arena.policy.protocol import Policy
    from games.engine.game import Game


@dataclass(frozen=True)
class Deferred:
    """A function that is imported when it is first called, with the arguments that come before those of the call."""

    reference: str
    """Its module and name, `agents.search.mcts:make`."""
    arguments: tuple[Any, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        module, _, name = self.reference.partition(":")
        return getattr(importlib.import_module(module), name)(*self.arguments, *arguments)


@dataclass(frozen=True)
class Algorithm:
    """Registration of a learning algorithm: its config, the constructor of its policy, and its kind of data."""

    config: type
    """Frozen dataclass of its hyper-parameters, every field with a default."""
    build: "Callable[[Any, Any, bool], BasePolicy]"
    """Makes a policy for `Spaces` from a config; without an optimizer where the flag (`training`) is False."""
    data: Literal["on-policy", "off-policy", "offline"]
    paper: str
    actions: tuple[Literal["discrete", "continuous", "games"], ...] = ("discrete",)
    """Kind of actions: numbered ones, games included; continuous ones; or moves of games alone."""
    self_play: bool = False
    """True if it learns a game against itself alone by default, and not against its past as well."""
    single: Any = None
    """A config for Gymnasium's environments, where the defaults (for many boards at once) do not suit them."""
    any_payoffs: bool = False
    """True if its agents play a game whatever its results pay: they tell the results apart."""

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


def no_variables(argument: str) -> tuple[str, ...]:
    """Return the names of no environment variables: most agents read none."""
    return ()


def no_parameters(game: "Game", argument: str) -> "tuple[Parameter, ...]":
    """Return no parameters: most agents have none in their specs."""
    return ()


@dataclass(frozen=True)
class AgentKind:
    """One registered name of an agent."""

    summary: str
    """Description in one line."""
    make: "Callable[[Game, str], Policy]"
    """Seats an agent for a game from the part of its spec after the colon; raises `UsageError`."""
    argument: str = ""
    """Name of the argument after the colon, `DEPTH`; empty if there is none."""
    algorithm: Algorithm | None = None
    variables: "Callable[[str], Collection[str]]" = no_variables
    """Returns the names of environment variables that it needs, keys and proxies, from its argument."""
    parameters: "Callable[[Game, str], Sequence[Parameter]]" = no_parameters
    """Returns the numbers that its specs may set for a game, with this argument; `arena tune` finds values for them."""
    reaches_out: bool = False
    """True if its argument is a program that is run, or a server that is asked: nobody but the user may choose it."""


def learner(name: str, summary: str, algorithm: Algorithm) -> AgentKind:
    """Return the registration of an algorithm whose agents are seated from their checkpoints."""
    return AgentKind(summary, Deferred("arena.policy.checkpoint:load_policy", (name, algorithm)), "DIR", algorithm)
