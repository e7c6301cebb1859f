"""Measuring a policy in games or episodes of their own, with exploration off."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from arena.collector.collector import Collector
from arena.env.base import DummyVectorEnv
from arena.errors import UsageError
from arena.match.batch import Pairing, play_matches, random_openings
from arena.match.verdict import MatchRecord
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from arena.ratings.games import outcomes
from arena.registry import make_agent
from arena.runs.options import EVALUATION
from arena.runs.tasks import GymTask
from arena.seeding import spawn_seeds
from games.engine.game import Game

TOGETHER = 10  # environments that are stepped at the same time


def able(game: Game, specs: tuple[str, ...]) -> tuple[str, ...]:
    """The specs of the agents to be measured against: of those that nobody asked for the ones that can play `game`."""
    return specs if specs != EVALUATION else tuple(spec for spec in specs if _can_play(spec, game))


def _can_play(spec: str, game: Game) -> bool:
    try:
        make_agent(spec, game).close()
    except UsageError:
        return False
    return True


def records_against(
    game: Game, player: tuple[str, Policy], opponent: tuple[str, Policy], openings: Sequence[tuple[int, ...]], seed: int
) -> list[MatchRecord]:
    """Games of a player (name, policy) against an opponent: each opening in turn from seat 0, seat 1, and so on."""
    seats = range(game.num_players)
    begins = list(zip(spawn_seeds(seed, count=len(openings)), openings, strict=True))
    pairings = [Pairing(tuple(int(s != own) for s in seats), deal, line) for deal, line in begins for own in seats]
    with testing(player[1], opponent[1]), torch_threads(1):
        return play_matches(game, [player, opponent], pairings, seed)


def outcomes_against(
    game: Game, policy: Policy, opponent: Policy, openings: Sequence[tuple[int, ...]], seed: int
) -> NDArray[np.int64]:
    """How games of `policy` against `opponent` end: 0 won, 1 drawn, 2 lost (see `outcomes`), [openings, P].

    Each opening is played from every seat, with the same chances dealt, the opponent at all others.
    """
    seats = range(game.num_players)
    records = records_against(game, ("agent", policy), ("opponent", opponent), openings, seed)
    earned = np.array([record.verdict.returns for record in records]).reshape(len(openings), len(seats), len(seats))
    ends = [outcomes(earned[:, own, own], np.delete(earned[:, own], own, axis=1)) for own in seats]
    return np.stack(ends, axis=1)


def counts_against(
    game: Game, policy: Policy, opponent: Policy, games: int, seed: int, plies: int = 0
) -> tuple[int, int, int]:
    """Games that `policy` won, drew and lost against `opponent`, of at least `games`, as many from every seat.

    They begin with `plies` random moves: two agents that do not draw would else play the same games over and over.
    """
    rounds = -(-games // game.num_players)
    openings = random_openings(game, plies, rounds, seed) if plies else [()] * rounds
    won, drawn, lost = np.bincount(outcomes_against(game, policy, opponent, openings, seed).ravel(), minlength=3)
    return int(won), int(drawn), int(lost)


def score_of(counts: tuple[int, int, int]) -> float:
    """Points a game, 0 to 1, of games won, drawn (half a point) and lost."""
    return (counts[0] + counts[1] / 2) / sum(counts)


def score_against(game: Game, policy: Policy, opponent: Policy, games: int, seed: int) -> float:
    """Share of points of `policy` against `opponent` over at least `games`, as many from every seat."""
    return score_of(counts_against(game, policy, opponent, games, seed))


def scores_against(
    game: Game, policy: Policy, opponents: Mapping[str, Policy], games: int, seed: int
) -> dict[str, float]:
    """`score_against` each of several opponents, by name."""
    return {name: score_against(game, policy, opponent, games, seed) for name, opponent in opponents.items()}


@contextmanager
def testing(*policies: Policy) -> Iterator[None]:
    """Policies that learn, in testing state for a while: with exploration off."""
    learners = [policy for policy in policies if isinstance(policy, BasePolicy)]
    before = [policy.training for policy in learners]
    for policy in learners:
        policy.eval()
    try:
        yield
    finally:
        for policy, was_training in zip(learners, before, strict=True):
            policy.train(was_training)


def mean_return(task: GymTask, policy: BasePolicy, episodes: int, seed: int) -> float:
    """Mean return of `policy` over episodes of a Gymnasium environment."""
    collector = Collector(policy, DummyVectorEnv([task.make] * min(episodes, TOGETHER)))
    try:
        with testing(policy), torch_threads(1):
            stats = collector.collect(
                n_episode=episodes, reset_before_collect=True, gym_reset_kwargs={"seed": seed % 2**31}
            )
    finally:
        collector.close()
    return float(stats.returns.mean())
