"""Where self-play games are played, and with whom a league is shared."""

import re
from dataclasses import dataclass
from pathlib import Path

from arena.config import require_at_least
from arena.errors import UsageError


@dataclass(frozen=True)
class ScaleConfig:
    """Who plays the training games, and who else trains in the same league."""

    workers: str = "1"
    """Who plays training games: this process (1), so many processes, a Ray cluster (ray, ray://HOST:PORT)."""
    shares: int = 0
    """Into how many parts the boards are dealt for workers; 0: one for each, with Ray one for each core. It decides the
    games, whoever plays them."""
    ahead: bool = False
    """Workers play on while the learner learns, with weights one update old (off-policy algorithms)."""
    store: str | None = None
    """Database of a league that several trainers share, by URL or path; with share."""
    share: Path | None = None
    """Folder of its snapshots, which all of them see; with store."""
    share_as: str = ""
    """Name of this trainer there; by default those of its machine and of its run."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"-?\d+|ray(://.+)?", self.workers):
            raise UsageError(f"workers={self.workers!r} is neither a number nor ray, nor ray://HOST:PORT")
        if self.workers.lstrip("-").isdecimal() and int(self.workers) < 1:
            raise UsageError(f"workers={self.workers} is not at least 1")
        require_at_least(self, 0, "shares")
        if (self.store is None) != (self.share is None):
            raise UsageError("a shared league needs both store (a database) and share (a folder of snapshots)")
        if self.share_as and self.share is None:
            raise UsageError(
                f"share_as={self.share_as!r} names a trainer in a league that is shared: give store and share"
            )
        if not re.fullmatch(r"[\w.-]*", self.share_as):
            raise UsageError(f"share_as={self.share_as!r} is not made of letters, digits, '.', '_' and '-'")
        if self.ahead and not self.elsewhere:
            raise UsageError("ahead=True is for workers: give workers, 2 or more, or a cluster")

    @property
    def elsewhere(self) -> bool:
        """Whether games are played in shares, which others may play."""
        return self.workers != "1" or self.shares > 0
