"""Results of a ladder as tables: wins, draws and losses of each bot, and what each scored against each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.store import StoredResults


@dataclass(frozen=True, eq=False)
class ResultTable:
    """Results of N bots."""

    names: tuple[str, ...]
    counts: NDArray[np.int64]
    """Wins, draws and losses of each [N, 3]."""
    scores: NDArray[np.float64]
    """Points of row against column [N, N]: 1 for a place above it, 0.5 for the same."""
    games: NDArray[np.int64]
    """Games of row with column [N, N]."""

    def row(self, name: str) -> tuple[int, int, int]:
        """Return wins, draws and losses of a bot, none for one that has not played."""
        if name not in self.names:
            return 0, 0, 0
        won, drawn, lost = self.counts[self.names.index(name)].tolist()
        return won, drawn, lost

    def share(self, name: str, other: str) -> float | None:
        """Return the mean score of a bot against another, 0 to 1; None if they have not met."""
        if name == other or name not in self.names or other not in self.names:
            return None
        place = self.names.index(name), self.names.index(other)
        return float(self.scores[place] / self.games[place]) if self.games[place] else None


def result_table(results: StoredResults) -> ResultTable:
    """Return the tables of the results of a ladder."""
    size, seats = len(results.names), results.players.shape[1]
    counts = np.zeros((size, 3), np.int64)
    scores, games = np.zeros((size, size)), np.zeros((size, size), np.int64)
    shared = (results.places == 1).sum(1) > 1
    for seat in range(seats):
        own, place = results.players[:, seat], results.places[:, seat]
        np.add.at(counts, (own, np.where(place > 1, 2, shared.astype(np.int64))), results.games)
        for other in range(seats):
            if other != seat:
                pair = own, results.players[:, other]
                points = 0.5 + np.sign(results.places[:, other] - place) / 2
                np.add.at(scores, pair, points * results.games)
                np.add.at(games, pair, results.games)
    return ResultTable(results.names, counts, scores, games)
