"""Intents: typed requests of a screen that the application open another one.

Each belongs to a command, and can be written as its command line.
"""

from collections.abc import Awaitable, Callable
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
    clock: str | None = None
    """Time control: 5m, 10+0.1."""
    hands: int | None = None
    """Hands or games of the session; None for as many as the person likes."""

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        clock = ["--clock", self.clock] if self.clock else []
        session = ["--hands", str(self.hands)] if self.hands is not None else []
        seated = [self.command, self.game, *self.agents, "--seat", str(self.seat)]
        return [*seated, *clock, *session, "--store", self.store]


@dataclass(frozen=True)
class WatchIntent:
    """Watch agents play each other."""

    command: ClassVar[str] = "watch"
    game: str
    agents: tuple[str, ...]
    games: int = 10
    speed: float | None = None
    """Moves a second; None for what suits: one move a second, an environment's frames as it renders them."""
    clock: str | None = None
    """Time control: 5m, 10+0.1."""
    openings: str | None = None
    """Openings, random:4; none if not given."""

    @property
    def words(self) -> list[str]:
        """Words of the command line."""
        clock = ["--clock", self.clock] if self.clock else []
        openings = ["--openings", self.openings] if self.openings else []
        speed = [] if self.speed is None else ["--speed", f"{self.speed:g}"]
        return [self.command, self.game, *self.agents, "--games", str(self.games), *speed, *clock, *openings]


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
    answer: Callable[[str], Awaitable[None]] | None = None
    """Called before the screen is shown, with "" or the reason why it cannot be; with None the reason is news."""
