"""Agents that give hints and analyse games, where none is named: the strongest known for a game first."""

from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from arena.base.errors import CheckpointError, UsageError
from arena.policy.agent_spec import AgentSpec
from arena.policy.registry import AGENTS, agent_kind, make_agent
from arena.policy.snapshots import find_snapshot, names_snapshot
from arena.policy.zoo.card import ZooCard
from arena.policy.zoo.entries import card_of, fits
from arena.tui.services.context import LazyStore

if TYPE_CHECKING:
    from games.engine.game import Game

CHAMPION = "champion"
"""The best agent for a game that the zoo knows."""
EXACT = (CHAMPION, "perfect")
"""Agents that are asked first, and do not always say what a position is worth."""
SEARCHES = ("mcts", "ismcts", "alphabeta")
"""Agents that search for a time that is given."""
BEST_BY_ALPHABETA = ("chess",)
"""Games whose strongest search is alphabeta, with an evaluation of their own."""
SEARCH_S = 2
"""Seconds that they take for a hint."""
MOST = 2
"""Number of agents that are tried of those on the ladder, and of those of the runs."""


def usual_advisers(game: "Game", store: str, runs: Path) -> Iterator[str]:
    """Yield specs of agents that may give hints, the best first, each once; some of them may not play the game.

    First come its champion and agents that solve it, then the first ones on the ladder of the store, trained or
    searching, then a search of open or of hidden positions. Searches have a time, whatever they had on the ladder. Last
    are agents of the runs in a folder that nobody has rated, the newest first.
    """
    yield from dict.fromkeys(_usual(game, store, runs))


def best_adviser(game: "Game", store: str, runs: Path) -> str:
    """Return the first of the usual advisers that plays a game; empty if none does."""
    return next((spec for spec in usual_advisers(game, store, runs) if _plays(spec, game)), "")


def exact_agents(game: "Game") -> tuple[str, ...]:
    """Return the agents that solve a game, or parts of it."""
    return tuple(name for name in EXACT if name != CHAMPION and name in AGENTS.names() and _plays(name, game))


def zoo_card(game: "Game") -> ZooCard | None:
    """Return the card of a game with its levels and its champion; None where the zoo has none."""
    with suppress(UsageError):
        card = card_of(game)
        return card if fits(card, game) else None
    return None


def _plays(spec: str, game: "Game") -> bool:
    with suppress(UsageError):
        make_agent(spec, game).close()
        return True
    return False


def _usual(game: "Game", store: str, runs: Path) -> Iterator[str]:
    yield from (name for name in EXACT if name in AGENTS.names())
    yield from islice(_on_the_ladder(game, store), MOST)
    yield from map(_timed, ("alphabeta",) if game.name in BEST_BY_ALPHABETA else ("mcts", "ismcts"))
    yield from islice(_of_runs(game, runs), MOST)


def _timed(search: str) -> str:
    return f"{search}:{SEARCH_S}s"


def _on_the_ladder(game: "Game", url: str) -> list[str]:
    """Return the agents on a game's ladder of most games, trained or searching, the strongest first."""
    from arena.tournament.entrants import known_specs
    from arena.tournament.ladder import find_ladders
    from arena.tournament.standings import Standings

    with suppress(UsageError), closing(LazyStore(url)) as lazy:
        if (store := lazy.get()) is not None:
            specs = known_specs(store, game.label)
            tables = [ladder.table for ladder in find_ladders(store, game)[:1]]
            rated = [row for table in tables if isinstance(table, Standings) for row in table.rows]
            names = [row.name for row in sorted(rated, key=lambda row: -row.elo)]
            return list(_able(specs.get(name, name) for name in names))
    return []


def _able(specs: Iterable[str]) -> Iterator[str]:
    """Yield trained agents whose folders are there, and searches with a time. Programs are not run unasked."""
    for text in specs:
        spec = AgentSpec.parse(text)
        if spec.name in SEARCHES:
            yield _timed(spec.name)
        elif _is_trained(spec):
            yield text


def _is_trained(spec: AgentSpec) -> bool:
    """Return whether a spec is that of a learning algorithm, or a search by its network, whose folder is there."""
    if spec.name not in AGENTS.names() or not agent_kind(spec.name).argument.startswith("DIR"):
        return False
    return any(map(_holds_snapshot, (spec.argument, spec.argument.rpartition(":")[0])))


def _holds_snapshot(folder: str) -> bool:
    with suppress(CheckpointError):
        return bool(folder) and names_snapshot(Path(folder)) and find_snapshot(Path(folder)).is_dir()
    return False


def _of_runs(game: "Game", folder: Path) -> Iterator[str]:
    """Yield the agents that were trained in the runs of a folder, active runs first, then the newest."""
    from arena.training.follow import find_runs

    return (run.agent for run in find_runs(folder) if run.game == game.label and run.status.snapshots)
