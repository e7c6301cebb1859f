"""Configuration of a tournament."""

from dataclasses import dataclass, field
from typing import Literal

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.match.adjudication import Adjudication
from arena.match.limits import Limits
from arena.ratings.sprt import Sprt
from arena.tournament.openings import check_openings

Format = Literal["round-robin", "gauntlet", "swiss", "knockout", "sprt"]

GAMES = {"round-robin": 40, "gauntlet": 40, "swiss": 4, "knockout": 4, "sprt": 20_000}
"""Default number of games per meeting, by format."""


@dataclass(frozen=True)
class TournamentConfig:
    """Configuration of a tournament; the same configuration and agents give the same games."""

    format: Format = "round-robin"
    """Pairings: every pair, all against the first (gauntlet), equal scores (swiss), winners of meetings, seeded in
    order of entry (knockout), or two until decided (sprt)."""
    games: int | None = None
    """Games per meeting, equally many from each side: by default 40, 4 in a swiss or a knockout, at most 20,000
    in an sprt. A tied meeting of a knockout goes on by up to 8 pairs of games; then the first entered goes through."""
    rounds: int | None = None
    """Rounds of a swiss; by default one more than needed to find a winner."""
    openings: str = "random:4"
    """How games begin: random:N plays N random legal moves (none in games of chance), file:PATH reads a book: lines
    of moves, games in .pgn or .sgf, for chess positions in .epd or a polyglot .bin; after a comma plies=N,
    order=random (sequential by default) and start=N. Each is played once from every side."""
    seed: int = 0
    """Seed of the openings and of the agents, 0 or more."""
    anchor: str | None = None
    """Name of the agent whose rating is set to 0, or mean: by default random where it plays, else the mean of all."""
    new_only: bool = False
    """Play only games that the store lacks: pairs that have met often enough under this clock, in any tournament, do
    not meet again. Ratings are then fitted to all games in the store between these agents."""
    threads: int = 1
    """Threads of torch; more than one is faster for large networks only."""
    sprt: Sprt = field(default_factory=Sprt)
    limits: Limits = field(default_factory=Limits)
    adjudication: Adjudication = field(default_factory=Adjudication)

    def __post_init__(self) -> None:
        if self.format not in GAMES:
            raise UsageError(f"format={self.format!r} is none of {', '.join(GAMES)}")
        if self.sprt != Sprt() and self.format != "sprt":
            raise UsageError(f"elo0, elo1, alpha, beta and elo_model are those of an sprt, not of a {self.format}")
        if self.rounds is not None and self.format != "swiss":
            raise UsageError(f"rounds={self.rounds} are those of a swiss, not of a {self.format}")
        if self.rounds is not None:
            require_at_least(1, **numbers_in(self, "rounds"))
        if self.new_only and self.format not in ("round-robin", "gauntlet"):
            raise UsageError(f"new_only fills up the meetings of a round-robin or a gauntlet, not of a {self.format}")
        require_at_least(0, **numbers_in(self, "seed"))
        require_at_least(1, **numbers_in(self, "threads"))
        check_openings(self.openings)

    @property
    def test(self) -> Sprt | None:
        """The sequential test; None in other formats than `sprt`."""
        return self.sprt if self.format == "sprt" else None

    @property
    def num_games(self) -> int:
        """Games per meeting."""
        return GAMES[self.format] if self.games is None else self.games
