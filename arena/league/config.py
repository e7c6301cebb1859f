"""The options of a self-play training."""

from dataclasses import dataclass, field
from typing import Literal

from arena.config import require_at_least
from arena.errors import UsageError
from arena.league.matchmaker import RULES
from arena.runs.options import RunOptions, require_even_games


@dataclass(frozen=True)
class LeagueConfig:
    """Whom the learner meets while it trains."""

    self_play: float = 0.8
    """Share of training games against itself, 0 to 1."""
    pool: float = 0.2
    """Share of training games against its own snapshots, 0 to 1; the rest is against the references."""
    matchmaker: Literal["uniform", "latest"] = "uniform"
    """Which snapshots it meets: any of them, or the newest."""
    opponents: int = 4
    """How many different snapshots it meets at the same time."""
    references: tuple[str, ...] = ()
    """Fixed agents (specs) in its training games."""

    def __post_init__(self) -> None:
        if self.self_play < 0 or self.pool < 0 or self.self_play + self.pool > 1:
            raise UsageError(
                f"self_play={self.self_play} and pool={self.pool} are shares: at least 0, together at most 1"
            )
        if self.self_play + self.pool < 1 and not self.references:
            rest = 1 - self.self_play - self.pool
            raise UsageError(f"a share of {rest:.2g} of the games has no opponent: name references, or raise self_play")
        require_at_least(self, 1, "opponents")
        if self.matchmaker not in RULES:
            raise UsageError(f"unknown matchmaker {self.matchmaker!r}; known: {', '.join(RULES)}")


@dataclass(frozen=True)
class RunConfig(RunOptions):
    """How long and where to train, and how to watch over it."""

    steps: int = 1_500_000
    """Moves to be played."""
    snapshots: int = 20
    """Checkpoints on the way, at equal distances; each joins the pool."""
    boards: int = 512
    """Games played at the same time."""
    moves: int = 32
    """Moves on each board between two updates (on-policy algorithms)."""
    evaluation: tuple[str, ...] = ("random", "one-ply")
    """Agents that every snapshot is measured against, in games of their own."""
    evaluation_games: int = 100
    """Games of each measurement, half of them in either seat."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, 1, "boards", "moves")
        require_even_games(self.evaluation_games)


@dataclass(frozen=True)
class TrainingConfig:
    """Everything about a run but the algorithm's own options."""

    run: RunConfig = field(default_factory=RunConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
