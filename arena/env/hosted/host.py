"""`Host`: where games of somebody else's come from, an entry of the entry-point group `arena.hosts`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from games.engine.game import Game


@dataclass(frozen=True)
class HostedName:
    """One game that a host offers here."""

    name: str
    """What follows the colon, `oware`."""
    summary: str
    """What it is, in a few words; or why it cannot be played here."""


@dataclass(frozen=True)
class Host:
    """A host of games."""

    describe: Callable[[str, Mapping[str, Any]], Game]
    """Describes the game of a name and options; raises `UsageError` if there is none."""
    names: Callable[[], Iterator[HostedName]]
    """Yields the games that are installed, sorted by name; raises `UsageError` if the host is not installed."""
