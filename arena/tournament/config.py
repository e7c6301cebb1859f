"""How a tournament is played."""

from dataclasses import dataclass, field
from typing import Literal

from arena.config import require_at_least
from arena.errors import UsageError
from arena.match.limits import Limits
from arena.ratings.sprt import Sprt
from arena.tournament.openings import check_openings

Format = Literal["round-robin", "gauntlet", "swiss", "sprt"]

GAMES = {"round-robin": 40, "gauntlet": 40, "swiss": 4, "sprt": 20_000}
"""Games of those who meet, if nobody says otherwise."""


@dataclass(frozen=True)
class TournamentConfig:
    """How a tournament is played; the same configuration and agents give the same games."""

    format: Format = "round-robin"
    """Who meets: all, all the first one (gauntlet), those of equal score (swiss), or two until it is clear (sprt)."""
    games: int | None = None
    """Games of those who meet, as many from each side: 40, 4 in each round of a swiss, at most 20,000 in an sprt."""
    rounds: int | None = None
    """Rounds of a swiss; by default one more than it takes to find a winner."""
    openings: str = "random:4"
    """How games begin: random:N plays N random legal moves, in games of chance none; file:PATH has lines of moves.
    Each is played once from every side."""
    seed: int = 0
    """Fixes the openings and what the agents draw; 0 or more."""
    anchor: str | None = None
    """The agent whose rating is 0; without one, the mean of all is."""
    threads: int = 1
    """Threads that torch may use; more than one is slower but for large networks."""
    sprt: Sprt = field(default_factory=Sprt)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.format not in GAMES:
            raise UsageError(f"format={self.format!r} is none of {', '.join(GAMES)}")
        if self.sprt != Sprt() and self.format != "sprt":
            raise UsageError(f"elo0, elo1, alpha, beta and elo_model are those of an sprt, not of a {self.format}")
        if self.rounds is not None and self.format != "swiss":
            raise UsageError(f"rounds={self.rounds} are those of a swiss, not of a {self.format}")
        if self.rounds is not None:
            require_at_least(self, 1, "rounds")
        require_at_least(self, 0, "seed")
        require_at_least(self, 1, "threads")
        check_openings(self.openings)

    @property
    def num_games(self) -> int:
        """Games of those who meet."""
        return GAMES[self.format] if self.games is None else self.games
