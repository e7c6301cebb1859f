"""The state of a running server in memory: all of it can be lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection

from arena.base.errors import UsageError
from arena.server.accounts import account_of
from arena.server.database import Writer
from arena.server.refusals import passed_on
from arena.server.renewals import Renewals
from arena.store import Store

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Bounds of the histogram of durations, in seconds."""


@dataclass(frozen=True)
class ServerConfig:
    """Settings of a server, which whoever starts it chooses."""

    data: Path
    """Folder of the bundles, and of the database unless another is named."""
    hosts: tuple[str, ...] = ()
    """Names that the server answers to; any if empty."""
    approval: bool = False
    """Anybody may ask for an account, which an owner approves; else accounts are made by invitation alone."""
    share: float = 0.05
    """Share of results that another worker plays again."""
    rate: float = 50.0
    """Requests a second of one key, or of one address without a key."""
    burst: float = 200.0
    """Requests that it may make at once after a pause."""
    bundles_mb: int = 500
    """Megabytes that the bundles of one account may take."""
    takes_programs: bool = False
    """Take bundles with programs: their workers have a sandbox."""
    secure_cookies: bool = False
    """Give browsers cookies for TLS alone."""

    @property
    def bundles(self) -> Path:
        """Folder of the bundles."""
        return self.data / "bundles"


@dataclass
class RequestCounts:
    """Requests so far, by status and by duration."""

    by_status: dict[int, int] = field(default_factory=dict)
    within: list[int] = field(default_factory=lambda: [0] * len(BOUNDS_S))
    """Requests that took at most each of `BOUNDS_S`."""
    seconds: float = 0.0

    def add(self, status: int, seconds: float) -> None:
        """Count a request."""
        self.by_status[status] = self.by_status.get(status, 0) + 1
        self.seconds += seconds
        for place, bound in enumerate(BOUNDS_S):
            self.within[place] += seconds <= bound


@dataclass
class ServerState:
    """A running server."""

    store: Store
    writer: Writer
    config: ServerConfig
    renewals: Renewals
    requests: RequestCounts = field(default_factory=RequestCounts)
    draining: bool = False
    """True once no more jobs are given out."""
    live_versions: dict[int, int] = field(default_factory=dict)
    """The newest version of each live game that has changed since the start, for those who wait for a change."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that only reads."""
        with passed_on(), self.store.reading() as connection:
            yield connection

    def is_key(self, key: str) -> bool:
        """Return whether a key opens an account, as far as the database can be read."""
        try:
            with self.reading() as connection:
                account_of(connection, key)
        except UsageError:
            return False
        return True

    def close(self) -> None:
        """Write what waits, and end the writer."""
        self.writer.close()
