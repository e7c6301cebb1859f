"""Players, matches and ratings in a SQL database: every game with its seed and moves, so that it can be replayed."""

from arena.store.matches import MatchFilter, StoredMatch
from arena.store.players import LadderRow, Rating
from arena.store.runs import Run
from arena.store.store import Store

__all__ = ["LadderRow", "MatchFilter", "Rating", "Run", "Store", "StoredMatch"]
