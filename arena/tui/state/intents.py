"""What a screen asks the application to open: typed intents.

Each belongs to a command, and can be written as its command line.
"""

from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message


@dataclass(frozen=True)
class PlayIntent:
    """Play against agents."""

    command: ClassVar[str] = "play"
    game: str
    agents: tuple[str, ...]
    store: str
    seat: int = 1

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        return [self.command, self.game, *self.agents, "--seat", str(self.seat), "--store", self.store]


@dataclass(frozen=True)
class WatchIntent:
    """Watch agents play each other."""

    command: ClassVar[str] = "watch"
    game: str
    agents: tuple[str, ...]
    games: int = 10
    speed: float = 1.0
    """Moves a second."""

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        return [self.command, self.game, *self.agents, "--games", str(self.games), "--speed", f"{self.speed:g}"]


@dataclass(frozen=True)
class ReplayIntent:
    """Step through a stored match."""

    command: ClassVar[str] = "replay"
    match: int
    store: str

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        return [self.command, str(self.match), "--store", self.store]


@dataclass(frozen=True)
class MatchesIntent:
    """Browse the matches of a store, of one game if it is named."""

    command: ClassVar[str] = "matches"
    store: str
    game: str | None = None

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        return [self.command, "--ui", *(["--game", self.game] if self.game else []), "--store", self.store]


@dataclass(frozen=True)
class RunIntent:
    """Follow the training in a folder, and control it."""

    command: ClassVar[str] = "runs"
    folder: str

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        return [self.command, self.folder, "--control"]


@dataclass(frozen=True)
class LeagueIntent:
    """See the league of the training in a folder."""

    command: ClassVar[str] = "league"
    folder: str

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        return [self.command, self.folder, "--ui"]


Intent = PlayIntent | WatchIntent | ReplayIntent | MatchesIntent | RunIntent | LeagueIntent


@dataclass
class OpenScreen(Message):
    """A screen asks for another on top of it."""

    intent: Intent
