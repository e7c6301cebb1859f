"""Ratings that move with every game, in the order of play: for ladders and for games of any number of players.

`Glicko2Ratings` keeps to Elo's scale, and its intervals hold what they say. `OpenSkillRatings` are those of the library
openskill: Weng and Lin's Bayesian approximation to Plackett and Luce ("A Bayesian Approximation Method for Online
Ranking", JMLR 12, 2011), on the library's own scale, where newcomers have mu 25 and sigma 25 / 3. The odds that it
gives to a difference of mu depend on the size of the table, and so does what sigma says: where strengths are those of
its games of two, mu and 1.96 sigma held the truth in 98 % of cases after games of two, in 73 % after games of four.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.ratings.glicko2 import Glicko2Rating, rate_period
from arena.ratings.ladder import PERIOD


@dataclass(frozen=True)
class OnlineRating:
    """A player's rating after some games."""

    rating: float
    deviation: float
    """Standard deviation of `rating`."""
    games: int


class OnlineRatings(Protocol):
    """Ratings by name; players enter with their first game."""

    def add(self, players: Sequence[str], returns: Sequence[float]) -> None:
        """Count a game by players and returns, both by seat; only the order of returns counts."""

    def table(self) -> dict[str, OnlineRating]:
        """Return all ratings by name, the best first."""


class Glicko2Ratings:
    """Glicko-2 after every game; a game of P players is P - 1 comparisons for each of them.

    Comparisons of one game depend on each other. If its ranking is drawn as Plackett and Luce have it, and all are
    equal, the variance of a player's sum is (P + 1) / 3 that of independent ones: they count that much less.
    """

    def __init__(self) -> None:
        self._players: dict[str, Glicko2Rating] = {}
        self._games: dict[str, int] = {}

    def add(self, players: Sequence[str], returns: Sequence[float]) -> None:
        """Count a game."""
        before = [self._players.get(name, Glicko2Rating()) for name in players]
        for name, rating in zip(players, after_game(before, returns), strict=True):
            self._players[name] = rating
            self._games[name] = self._games.get(name, 0) + 1

    def table(self) -> dict[str, OnlineRating]:
        """Return all ratings by name, the best first."""
        ratings = {name: OnlineRating(r.rating, r.deviation, self._games[name]) for name, r in self._players.items()}
        return _sorted(ratings)


def after_game(players: Sequence[Glicko2Rating], returns: Sequence[float]) -> list[Glicko2Rating]:
    """Return the ratings of a table, by seat, after a game in which the seats earned `returns`."""
    return [_rated(players, returns, seat) for seat in range(len(players))]


def _rated(players: Sequence[Glicko2Rating], returns: Sequence[float], seat: int) -> Glicko2Rating:
    """Return the rating of the player at `seat` after a game."""
    others = [other for other in range(len(players)) if other != seat]
    scores = [0.5 + (returns[seat] > returns[other]) / 2 - (returns[seat] < returns[other]) / 2 for other in others]
    opponents = [players[other] for other in others]
    return rate_period(players[seat], opponents, scores, elapsed=1 / PERIOD, weight=3 / (len(players) + 1))


class OpenSkillRatings:
    """The Plackett-Luce model of openskill with its own settings."""

    def __init__(self) -> None:
        try:
            from openskill.models import PlackettLuce, PlackettLuceRating
        except ImportError:
            raise UsageError(f"OpenSkill is not installed: {install_command('openskill')}") from None
        self._model = PlackettLuce()
        self._players: dict[str, PlackettLuceRating] = {}
        self._games: dict[str, int] = {}

    def add(self, players: Sequence[str], returns: Sequence[float]) -> None:
        """Count a game."""
        before = [[self._players.get(name) or self._model.rating()] for name in players]
        places = [float(sum(other > own_return for other in returns)) for own_return in returns]
        for name, (rating,) in zip(players, self._model.rate(before, ranks=places), strict=True):
            self._players[name] = rating
            self._games[name] = self._games.get(name, 0) + 1

    def table(self) -> dict[str, OnlineRating]:
        """Return all ratings by name, the best first."""
        return _sorted({name: OnlineRating(r.mu, r.sigma, self._games[name]) for name, r in self._players.items()})


def _sorted(ratings: dict[str, OnlineRating]) -> dict[str, OnlineRating]:
    return dict(sorted(ratings.items(), key=lambda item: -item[1].rating))
