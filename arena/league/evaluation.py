"""Measuring an agent against a fixed one, in games of their own: exploration off, seats balanced."""

from arena.match.batch import Pairing, play_matches
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from games.engine.game import Game


def score_against(game: Game, policy: BasePolicy, opponent: Policy, games: int, seed: int) -> float:
    """Share of points of `policy` against `opponent` over `games`, seats in turn; a draw is half."""
    was_training = policy.training
    policy.eval()
    try:
        seatings = [tuple(int(seat != i % game.num_players) for seat in range(game.num_players)) for i in range(games)]
        pairings = [Pairing(seating) for seating in seatings]
        with torch_threads(1):
            records = play_matches(game, [("agent", policy), ("opponent", opponent)], pairings, seed)
    finally:
        policy.train(was_training)
    points = 0.0
    for pairing, record in zip(pairings, records, strict=True):
        own = record.verdict.returns[pairing.seating.index(0)]
        best = max(r for seat, r in enumerate(record.verdict.returns) if pairing.seating[seat] == 1)
        points += 1.0 if own > best else 0.5 if own == best else 0.0
    return points / games
