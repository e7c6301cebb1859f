"""How the learner fares against each opponent: counts of wins, draws and losses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Payoff:
    """Wins, draws and losses of the learner against each opponent, by its label."""

    counts: dict[int, list[int]] = field(default_factory=dict)

    def record(self, players: NDArray[np.int64], returns: NDArray[np.float64], learner: int) -> None:
        """Count finished games by labels of `players` [E, P] and `returns` [E, P]; those among itself do not count."""
        rows, seats = np.nonzero((players == learner) & ((players != learner).sum(axis=1, keepdims=True) > 0))
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            others = players[row] != learner
            margin = returns[row, seat] - returns[row, others].max()
            outcome = 0 if margin > 0 else 1 if margin == 0 else 2
            for label in np.unique(players[row, others]).tolist():
                self.counts.setdefault(label, [0, 0, 0])[outcome] += 1

    def score(self, labels: set[int]) -> float | None:
        """Share of points (a draw is half) against all of `labels` together; None before the first game."""
        wins, draws, losses = np.sum([self.counts.get(label, [0, 0, 0]) for label in labels] or [[0, 0, 0]], axis=0)
        games = wins + draws + losses
        return float((wins + draws / 2) / games) if games else None

    def as_json(self) -> dict[str, list[int]]:
        """For a file."""
        return {str(label): counts for label, counts in self.counts.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Payoff":
        """From a file."""
        return cls({int(label): list(counts) for label, counts in data.items()})
