"""Players, matches and ratings in a SQL database; every match has its seed and moves and can be replayed."""

from arena.store.database import DEFAULT_URL
from arena.store.exchange import export_lines, import_lines, read_lines
from arena.store.leagues import ResultCount, Snapshot
from arena.store.matches import MatchFilter, StoredMatch
from arena.store.players import LadderRow, StoredRating
from arena.store.runs import StoredRun
from arena.store.store import Store

__all__ = [
    "DEFAULT_URL",
    "LadderRow",
    "MatchFilter",
    "ResultCount",
    "Snapshot",
    "Store",
    "StoredMatch",
    "StoredRating",
    "StoredRun",
    "export_lines",
    "import_lines",
    "read_lines",
]
