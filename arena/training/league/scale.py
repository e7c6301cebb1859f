"""Options of scale: workers that play self-play games, and leagues shared by several trainers."""

import re
from dataclasses import dataclass
from pathlib import Path

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.base.passwords import without_password


@dataclass(frozen=True)
class ScaleConfig:
    """Workers that play the training games, and other trainers in the same league."""

    workers: str = "1"
    """Processes that play the training games: 1 for this process alone, a number of processes, or a Ray cluster (ray,
    ray://HOST:PORT)."""
    shares: int = 0
    """Number of parts that the boards are divided into for workers; 0 for one per worker, with Ray one per core. The
    games depend on it, but not on the number of workers."""
    ahead: bool = False
    """Let workers play on while the learner learns, with weights that are one update old (off-policy algorithms)."""
    store: str | None = None
    """Database (URL or path) of a league that several trainers share; needs share."""
    share: Path | None = None
    """Folder for the snapshots of a shared league, which all its trainers can reach; needs store."""
    share_as: str = ""
    """Name of this trainer in a shared league; by default made of the names of the machine and the run."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"-?\d+|ray(://.+)?", self.workers):
            raise UsageError(f"workers={self.workers!r} is not a number, ray or ray://HOST:PORT")
        if self.workers.lstrip("-").isdecimal() and int(self.workers) < 1:
            raise UsageError(f"workers={self.workers} is not at least 1")
        require_at_least(0, **numbers_in(self, "shares"))
        if (self.store is None) != (self.share is None):
            raise UsageError("a shared league needs both store (a database) and share (a folder of snapshots)")
        if self.share_as and self.share is None:
            raise UsageError(f"share_as={self.share_as!r} is for a shared league: give store and share, too")
        if not re.fullmatch(r"[\w.-]*", self.share_as):
            raise UsageError(f"share_as={self.share_as!r} may only have letters, digits, '.', '_' and '-'")
        if self.ahead and not self.plays_in_shares:
            raise UsageError("ahead=True is for workers: give workers, 2 or more, or a cluster")

    def resources(self) -> dict[str, str | None]:
        """Return what a run keeps in `run.json` of these options besides shares, without the password of a store."""
        store = None if self.store is None else without_password(self.store)
        share = None if self.share is None else str(self.share)
        return {"workers": self.workers, "store": store, "share": share, "share_as": self.share_as}

    @property
    def plays_in_shares(self) -> bool:
        """True if games are played in shares, as workers play them."""
        return self.workers != "1" or self.shares > 0
