"""Measuring a policy in games or episodes of their own, with exploration off."""

from collections.abc import Mapping

from arena.collector.collector import Collector
from arena.env.base import DummyVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from arena.runs.tasks import GymTask
from games.engine.game import Game

TOGETHER = 10  # environments that are stepped at the same time


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


def scores_against(
    game: Game, policy: BasePolicy, opponents: Mapping[str, Policy], games: int, seed: int
) -> dict[str, float]:
    """`score_against` each of several opponents, by name."""
    return {name: score_against(game, policy, opponent, games, seed) for name, opponent in opponents.items()}


def mean_return(task: GymTask, policy: BasePolicy, episodes: int, seed: int) -> float:
    """Mean return of `policy` over episodes of a Gymnasium environment."""
    was_training = policy.training
    policy.eval()
    collector = Collector(policy, DummyVectorEnv([task.make] * min(episodes, TOGETHER)))
    try:
        with torch_threads(1):
            stats = collector.collect(
                n_episode=episodes, reset_before_collect=True, gym_reset_kwargs={"seed": seed % 2**31}
            )
    finally:
        policy.train(was_training)
        collector.close()
    return float(stats.returns.mean())
