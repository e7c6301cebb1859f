"""Payoffs between players: counts of wins, draws and losses, in total and with older games fading."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from arena.base.typed import Count, Range, as_type

Weight = Annotated[float, Range(0, 2**53)]
UNKNOWN = 0.5
"""Score between two players without games."""


@dataclass
class Counts:
    """Results of one player's games against another."""

    wins: Count = 0
    draws: Count = 0
    losses: Count = 0
    recent: tuple[Weight, Weight, Weight] = (0.0, 0.0, 0.0)
    """Wins, draws and losses with older games fading: each game lowers the weight of those before it."""

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; a draw counts half; 0.5 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else UNKNOWN

    @property
    def recent_score(self) -> float:
        """Points per game over the fading counts `recent`."""
        total = sum(self.recent)
        return (self.recent[0] + self.recent[1] / 2) / total if total else UNKNOWN

    def add(self, wins: int, draws: int, losses: int, decay: float = 1.0) -> None:
        """Add games; in `recent` each game multiplies the weight of those before it by `decay`.

        Games that are added together get equal weights; n of them weigh 1 + decay + ... + decay^(n - 1) in total.
        """
        games = wins + draws + losses
        if not games:
            return
        weight = games if decay == 1.0 else (1 - decay**games) / (1 - decay)
        new = (wins, draws, losses)
        older, one, two, three = decay**games, *(float(weight * count / games) for count in new)
        self.recent = self.recent[0] * older + one, self.recent[1] * older + two, self.recent[2] * older + three
        self.wins, self.draws, self.losses = self.wins + wins, self.draws + draws, self.losses + losses

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses, "recent": list(self.recent)}


PayoffTable = dict[str, dict[str, Counts]]
"""Counts by the names of player and opponent."""


@dataclass
class Payoff:
    """Table of results: `table[player][opponent]` counts the player's games against the opponent."""

    decay: float = 1.0
    """Weight that older games keep in `recent` after one more game of the same two, above 0, up to 1."""
    table: PayoffTable = field(default_factory=dict)

    def add(self, player: str, opponent: str, wins: int, draws: int, losses: int) -> None:
        """Add games of two players."""
        self.table.setdefault(player, {}).setdefault(opponent, Counts()).add(wins, draws, losses, self.decay)

    def of(self, player: str, opponent: str) -> Counts:
        """Return the player's results against the opponent; zeros if they have not met."""
        return self.table.get(player, {}).get(opponent) or Counts()

    def recent_scores(self, player: str, opponents: Iterable[str]) -> NDArray[np.float64]:
        """Return the player's recent scores [N] against the opponents; 0.5 if they have not met."""
        return np.array([self.of(player, opponent).recent_score for opponent in opponents])

    def points(self, names: list[str]) -> NDArray[np.float64]:
        """Return the points [N, N] of the row's player against the column's: a win 1, a draw 0.5.

        Games count for both players, whichever of the two they are recorded for.
        """
        points = np.zeros((len(names), len(names)))
        place = {name: number for number, name in enumerate(names)}
        for player, opponents in self.table.items():
            for opponent, counts in opponents.items():
                if player in place and opponent in place:
                    i, j = place[player], place[opponent]
                    points[i, j] += counts.wins + counts.draws / 2
                    points[j, i] += counts.losses + counts.draws / 2
        return points

    def forget_recent(self, player: str) -> None:
        """Drop a player's recent results, after its weights were reset."""
        for counts in self.table.get(player, {}).values():
            counts.recent = (0.0, 0.0, 0.0)

    def to_json(self) -> dict[str, dict[str, Any]]:
        """Return the table as JSON values."""
        return {
            player: {opponent: counts.to_json() for opponent, counts in opponents.items()}
            for player, opponents in self.table.items()
        }

    @classmethod
    def from_json(cls, data: Any, decay: float = 1.0) -> "Payoff":
        """Return a table from what `to_json` returned; raise `FieldError` if it is malformed."""
        return cls(decay, as_type(data, PayoffTable, "payoffs"))
