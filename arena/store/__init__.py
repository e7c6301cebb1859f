"""Players, matches and ratings in a SQL database; every match has its seed and moves and can be replayed."""

from arena.store.database import DEFAULT_URL, is_store
from arena.store.exchange import circumstances_of, export_lines, import_lines, read_lines
from arena.store.leagues import ResultCount, Snapshot
from arena.store.matches import MatchFilter, StoredMatch
from arena.store.results import Selection, StoredResults
from arena.store.runs import StoredRun
from arena.store.store import Store

__all__ = [
    "DEFAULT_URL",
    "MatchFilter",
    "ResultCount",
    "Selection",
    "Snapshot",
    "Store",
    "StoredMatch",
    "StoredResults",
    "StoredRun",
    "circumstances_of",
    "export_lines",
    "import_lines",
    "is_store",
    "read_lines",
]
