"""Elo ratings of the members of a league, from their evaluation games."""

import numpy as np

from arena.ratings.anchors import anchors_among
from arena.ratings.elo import rate
from arena.ratings.games import GameResults
from arena.training.league.payoff import Payoff

RETURNS = ((1.0, 0.0), (0.0, 0.0), (0.0, 1.0))
"""Returns of both players of a game that the first one won, drew, lost."""


def rate_members(evaluation: Payoff, names: list[str], anchor: str | None) -> dict[str, tuple[float, float]]:
    """Return the Elo and the half-width of its 95 % interval, by name, of all of `names` that have played.

    The Elo of `random` is 0 where it has played, else that of `anchor`; if that is None or has not played, that of the
    first.
    """
    with_games = set(evaluation.table).union(*evaluation.table.values())
    known = [name for name in names if name in with_games]
    if not known:
        return {}
    number = {name: place for place, name in enumerate(known)}
    players, returns, counts = [], [], []
    for player, opponents in evaluation.table.items():
        for opponent, results in opponents.items():
            for pair, count in zip(RETURNS, (results.wins, results.draws, results.losses), strict=True):
                if count and player in number and opponent in number:
                    players.append((number[player], number[opponent]))
                    returns.append(pair)
                    counts.append(count)
    games = GameResults(np.array(players), np.array(returns), np.array(counts, float), len(known))
    first_choice = [number[name] for name in (*anchors_among(known), anchor) if name in number]
    rated = rate(games, [*first_choice, 0], seats=False)
    return {name: (float(elo), float(error)) for name, elo, error in zip(known, rated.elo, rated.error, strict=True)}
