"""Games, agents and solvers by name.

All come from entry points (groups `arena.games`, `arena.agents` and `arena.solvers`), so that other packages can add
their own; each is imported on first use.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from arena.base.errors import UsageError
from arena.policy.agent_spec import AgentSpec
from arena.policy.kinds import Deferred
from games.engine.registry import GAMES, HOSTS, Registry, make_game
from games.engine.source_files import is_source_file, stored_name

if TYPE_CHECKING:
    from arena.policy.protocol import Policy
    from arena.policy.registration import AgentKind, Algorithm
    from games.engine.game import Game

__all__ = ["AGENTS", "GAMES", "HOSTS", "SOLVERS", "agent_kind", "learning_algorithm", "make_agent", "make_game"]

AGENTS = Registry("arena.agents", "agent")
SOLVERS = Registry("arena.solvers", "solver")


def agent_kind(name: str) -> "AgentKind":
    """Return the registration of the agent `name`."""
    kind: AgentKind = AGENTS.load(name)
    if kind.algorithm is not None and is_source_file(name):
        # its checkpoints name the file, not what the file would be called in a package
        make = Deferred("arena.policy.checkpoint:load_policy", (stored_name(name), kind.algorithm))
        return replace(kind, make=make)
    return kind


def learning_algorithm(name: str) -> "Algorithm":
    """Return the algorithm of a registered name; `UsageError` for agents that do not learn."""
    algorithm = agent_kind(name).algorithm
    if algorithm is None:
        raise UsageError(f"{name!r} plays but does not learn; 'arena agents' lists the algorithms that do")
    return algorithm


def make_agent(spec: str, game: "Game") -> "Policy":
    """Build the agent that a spec names, for `game`: `random`, `alphabeta:4`, `ppo:runs/c4`.

    Raises `UnknownNameError` for an unknown agent, `UsageError` (`CheckpointError` for files) for an argument that
    does not fit, and for whatever a file of the user's or another package raises.
    """
    agent = AgentSpec.parse(spec)
    kind = agent_kind(agent.name)
    with AGENTS.running(agent.name, f"agent {agent.name!r} cannot be made"):
        return kind.make(game, agent.argument)
