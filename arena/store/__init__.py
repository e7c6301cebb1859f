"""Players, matches and ratings in a SQL database: every game with its seed and moves, so that it can be replayed."""

from arena.store.database import DEFAULT_URL
from arena.store.exchange import export_lines, import_lines, read_lines
from arena.store.leagues import Count, Snapshot
from arena.store.matches import MatchFilter, StoredMatch
from arena.store.players import LadderRow, Rating
from arena.store.runs import Run
from arena.store.store import Store

__all__ = [
    "DEFAULT_URL",
    "Count",
    "LadderRow",
    "MatchFilter",
    "Rating",
    "Run",
    "Snapshot",
    "Store",
    "StoredMatch",
    "export_lines",
    "import_lines",
    "read_lines",
]
