"""What the registry knows of an agent: how to seat one, and, if it learns, how to make and train one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from arena.policy.protocol import Policy
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.policy.base import BasePolicy


@dataclass(frozen=True)
class Algorithm:
    """How an agent learns."""

    config: type
    """Frozen dataclass of its hyper-parameters, every field with a default."""
    build: "Callable[[Game, Any, bool], BasePolicy]"
    """Makes a policy for a game from a config; without an optimizer where the flag (`training`) is False."""
    data: Literal["on-policy", "off-policy"]
    paper: str


@dataclass(frozen=True)
class AgentKind:
    """One registered name of an agent."""

    summary: str
    """What it is, in a line."""
    make: Callable[[Game, str], Policy]
    """Seats an agent for a game from the part of its spec after the colon; raises `UsageError`."""
    argument: str = ""
    """What may follow the colon, `DEPTH`; empty if nothing may."""
    algorithm: Algorithm | None = None
