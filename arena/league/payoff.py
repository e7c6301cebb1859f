"""How players fare against each other: counts of wins, draws and losses, whole and with the past fading."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNKNOWN = 0.5
"""Score of two who have never met."""


@dataclass
class Counts:
    """What one player has from its games against another."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    recent: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The same three, in which every later game has made the earlier ones count less."""

    @property
    def games(self) -> int:
        """Games in all."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game, 0 to 1, a draw is half; 0.5 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else UNKNOWN

    @property
    def recent_score(self) -> float:
        """`score` of the counts that fade."""
        total = sum(self.recent)
        return (self.recent[0] + self.recent[1] / 2) / total if total else UNKNOWN

    def add(self, wins: int, draws: int, losses: int, decay: float = 1.0) -> None:
        """Count games; each makes those before it count `decay` times as much (in `recent`).

        Games that are counted together fade alike: n of them weigh 1 + decay + ... + decay^(n - 1) in all.
        """
        games = wins + draws + losses
        if not games:
            return
        weight = games if decay == 1.0 else (1 - decay**games) / (1 - decay)
        new = (wins, draws, losses)
        older, one, two, three = decay**games, *(float(weight * count / games) for count in new)
        self.recent = self.recent[0] * older + one, self.recent[1] * older + two, self.recent[2] * older + three
        self.wins, self.draws, self.losses = self.wins + wins, self.draws + draws, self.losses + losses

    def as_json(self) -> dict[str, Any]:
        """For a file."""
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses, "recent": list(self.recent)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Counts":
        """From a file; `KeyError`, `TypeError` or `ValueError` if it is not what `as_json` gives."""
        one, two, three = (float(count) for count in data["recent"])
        return cls(int(data["wins"]), int(data["draws"]), int(data["losses"]), (one, two, three))


@dataclass
class Payoff:
    """Counts by names: `table[player][opponent]` is what the player has against the opponent."""

    decay: float = 1.0
    """How much of the past is left in `recent` after one game of the same two, above 0, up to 1."""
    table: dict[str, dict[str, Counts]] = field(default_factory=dict)

    def add(self, player: str, opponent: str, wins: int, draws: int, losses: int) -> None:
        """Count games of the two."""
        self.table.setdefault(player, {}).setdefault(opponent, Counts()).add(wins, draws, losses, self.decay)

    def of(self, player: str, opponent: str) -> Counts:
        """What the player has against the opponent; zeros if they have not met."""
        return self.table.get(player, {}).get(opponent) or Counts()

    def recent_scores(self, player: str, opponents: Iterable[str]) -> NDArray[np.float64]:
        """Recent scores [N] of the player against each; 0.5 where they have not met."""
        return np.array([self.of(player, opponent).recent_score for opponent in opponents])

    def points(self, names: list[str]) -> NDArray[np.float64]:
        """What the row's player scored against the column's [N, N], whoever's games they are: a win 1, a draw 0.5."""
        found = np.zeros((len(names), len(names)))
        place = {name: number for number, name in enumerate(names)}
        for player, opponents in self.table.items():
            for opponent, counts in opponents.items():
                if player in place and opponent in place:
                    i, j = place[player], place[opponent]
                    found[i, j] += counts.wins + counts.draws / 2
                    found[j, i] += counts.losses + counts.draws / 2
        return found

    def begin_anew(self, player: str) -> None:
        """Drop what is recent of a player, which is no longer who it was."""
        for counts in self.table.get(player, {}).values():
            counts.recent = (0.0, 0.0, 0.0)

    def as_json(self) -> dict[str, dict[str, Any]]:
        """For a file."""
        return {
            player: {opponent: counts.as_json() for opponent, counts in opponents.items()}
            for player, opponents in self.table.items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Mapping[str, Any]], decay: float = 1.0) -> "Payoff":
        """From a file."""
        table = {
            player: {opponent: Counts.from_json(counts) for opponent, counts in opponents.items()}
            for player, opponents in data.items()
        }
        return cls(decay, table)
