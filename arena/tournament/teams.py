"""The table of a game that nobody wins: what teams earn, of an agent with itself and with every other.

There is no Elo in it. In a game of one seat every agent is a team by itself. In a cooperative one, an agent that plays
well with copies of itself may not play well with others, who do not share its conventions (H. Hu, A. Lerer,
A. Peysakhovich and J. Foerster, "Other-Play for Zero-Shot Coordination", ICML 2020): both are measured.

Shapes: N players, P seats. A fault costs the whole team what the offender loses.
"""

from dataclasses import dataclass

import numpy as np

from arena.base.intervals import mean_error
from arena.ratings.games import Floats
from arena.tournament.tally import Played, Tally


@dataclass(frozen=True)
class Score:
    """Mean return of teams per game."""

    games: int
    mean: float
    error: float
    """Half-width of the 95 % interval of `mean`."""

    @staticmethod
    def of(games: float, total: float, squares: float) -> "Score | None":
        """Return the score of so many games by the sum of what they earned and its squares; None without games."""
        return Score(int(games), total / games, mean_error(int(games), total, squares)) if games else None


@dataclass(frozen=True)
class TeamRow:
    """One player's line in the table."""

    rank: int
    """Rank, from 1."""
    name: str
    alone: Score | None
    """Score of teams of nobody else (self-play); None if there were none."""
    mixed: Score | None
    """Score of teams with others (cross-play); None if there were none."""
    tally: Tally

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(0 if score is None else score.games for score in (self.alone, self.mixed))


@dataclass(frozen=True)
class Teams:
    """The players of a game that nobody wins, the best with themselves first; who never played so comes last."""

    rows: tuple[TeamRow, ...]
    pairs: tuple[tuple[Score | None, ...], ...]
    """Scores of the teams of row and column, and of nobody else [N, N]; None for those that never played."""
    games: int
    distinct_games: int | None
    """Number of games that differ in players, seats, moves or chance; None if moves are unknown."""
    seats: int = 2
    """Number of seats of the game."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the table."""
        return tuple(row.name for row in self.rows)

    @property
    def meaning(self) -> str:
        """Meaning of the figures of players, in words."""
        return "what a team of it alone earns" if self.seats > 1 else "what it earns a game"

    @property
    def means(self) -> Floats:
        """Mean return per game of the teams of row and column [N, N]; NaN for those that never played."""
        return np.array([[np.nan if score is None else score.mean for score in row] for row in self.pairs])


def teams_of(played: Played) -> Teams:
    """Return the table of the games of a game that nobody wins."""
    size, seated = len(played.names), played.games.players
    weakest = played.returns.argmin(axis=1)  # all the same, but for faults
    rows = np.arange(len(seated))
    sums = np.stack([played.games.counts, played.returns[rows, weakest], played.squares[rows, weakest]])
    pairs, mixed = np.zeros((3, size, size)), np.zeros((3, size))
    least = np.where(seated < 0, size, seated).min(axis=1, initial=size)
    most = seated.max(axis=1, initial=-1)
    of_two = ((seated == least[:, None]) | (seated == most[:, None]) | (seated < 0)).all(axis=1)
    for total, amounts in zip(pairs, sums, strict=True):
        np.add.at(total, (least[of_two], most[of_two]), amounts[of_two])
    together = least != most
    for player in range(size):
        sat = together & (seated == player).any(axis=1)
        mixed[:, player] = sums[:, sat].sum(axis=1)
    table = [[Score.of(*pairs[:, min(i, j), max(i, j)].tolist()) for j in range(size)] for i in range(size)]
    others = [Score.of(*mixed[:, i].tolist()) for i in range(size)]

    def merit(i: int) -> tuple[float, float]:
        alone, mixed = table[i][i], others[i]
        return (-np.inf if alone is None else alone.mean, -np.inf if mixed is None else mixed.mean)

    order, tallies = sorted(range(size), key=merit, reverse=True), played.tallies
    return Teams(
        tuple(
            TeamRow(rank, played.names[i], table[i][i], others[i], tallies[i]) for rank, i in enumerate(order, start=1)
        ),
        tuple(tuple(table[i][j] for j in order) for i in order),
        int(played.games.counts.sum()),
        played.distinct,
        seated.shape[1],
    )
