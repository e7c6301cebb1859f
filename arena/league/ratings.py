"""Elo of the members of a league, from games of their own."""

import numpy as np

from arena.league.payoff import Payoff
from arena.ratings.elo import rate
from arena.ratings.games import Games

RETURNS = ((1.0, 0.0), (0.0, 0.0), (0.0, 1.0))
"""Of a game that was won, drawn, lost."""


def rate_members(evaluation: Payoff, names: list[str], anchor: str | None) -> dict[str, tuple[float, float]]:
    """Elo and half-width of its 95 % interval, by name, of all of `names` that have played.

    The anchor's Elo is 0 (the first of them, where it is None or has not played).
    """
    met = set(evaluation.table).union(*evaluation.table.values())
    known = [name for name in names if name in met]
    if not known:
        return {}
    number = {name: place for place, name in enumerate(known)}
    players, returns, counts = [], [], []
    for player, opponents in evaluation.table.items():
        for opponent, found in opponents.items():
            for earned, count in zip(RETURNS, (found.wins, found.draws, found.losses), strict=True):
                if count and player in number and opponent in number:
                    players.append((number[player], number[opponent]))
                    returns.append(earned)
                    counts.append(count)
    games = Games(np.array(players), np.array(returns), np.array(counts, float), len(known))
    rated = rate(games, anchor=number.get(anchor or known[0], 0), seats=False)
    return {name: (float(elo), float(error)) for name, elo, error in zip(known, rated.elo, rated.error, strict=True)}
