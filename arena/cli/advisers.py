"""Agents that give hints, where none is named: the strongest known for a game first."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from arena.base.errors import CheckpointError, UsageError
from arena.policy.agent_spec import AgentSpec
from arena.policy.registry import AGENTS
from arena.policy.snapshots import find_snapshot, names_snapshot
from games.engine.game import Game

SEARCH_S = 2
"""Seconds that the agents that search take for a hint."""
EXACT = ("champion", "perfect")
"""Agents that are the best where they play a game at all."""
MOST_TRAINED = 2
"""Number of trained agents that are tried."""


def usual_advisers(game: Game, store: str, runs: Path) -> Iterator[str]:
    """Yield specs of agents that may give hints, the best first; some of them may not play the game.

    First come agents that solve it, then trained agents by their place on the ladder of the store, then those of the
    runs in a folder, the newest first, and last a search of hidden or of open positions.
    """
    yield from (name for name in EXACT if name in AGENTS.names())
    trained = dict.fromkeys([*_on_the_ladder(game, store), *_of_runs(game, runs)])
    yield from list(trained)[:MOST_TRAINED]
    yield from (f"{name}:{SEARCH_S}s" for name in ("mcts", "ismcts"))


def _on_the_ladder(game: Game, url: str) -> list[str]:
    """Return the trained agents on a game's ladder of most games, the strongest first."""
    from arena.tui.services.context import LazyStore

    with suppress(UsageError), closing(LazyStore(url)) as lazy:
        store = lazy.get()
        if store is not None:
            from arena.tournament.ladder import find_ladders
            from arena.tournament.standings import Standings

            tables = [ladder.table for ladder in find_ladders(store, game)[:1]]
            rated = [row for table in tables if isinstance(table, Standings) for row in table.rows]
            return [row.name for row in sorted(rated, key=lambda row: -row.elo) if _is_trained(row.name)]
    return []


def _is_trained(name: str) -> bool:
    """Return whether the name of a player is the spec of an agent whose folder is there."""
    spec = AgentSpec.parse(name)
    with suppress(CheckpointError):
        return bool(spec.argument) and names_snapshot(spec.folder) and find_snapshot(spec.folder).is_dir()
    return False


def _of_runs(game: Game, folder: Path) -> list[str]:
    """Return the agents that were trained in the runs of a folder, active runs first, then the newest."""
    from arena.runs.follow import find_runs

    return [run.agent for run in find_runs(folder) if run.game == game.label and run.status.snapshots]
