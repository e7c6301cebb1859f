"""Evaluation of a policy in separate games or episodes, with exploration off."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.collector.of_task import collector_of
from arena.match.batch import Pairing, outcomes, play_matches, random_openings
from arena.match.verdict import MatchRecord
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from arena.policy.torch_modes import torch_threads
from arena.runs.options import EVALUATION
from arena.runs.tasks import GymTask
from games.engine.actions import Action
from games.engine.game import Game

TOGETHER = 10  # environments that are stepped at the same time

GameCounts = tuple[int, int, int]
"""Games won, drawn and lost."""


class Evaluator(Protocol):
    """Scores the snapshots of a training."""

    def scores(self, policy: BasePolicy) -> dict[str, float]:
        """Return the scores of a policy by name; see `Progress.evaluation`."""


@dataclass(frozen=True)
class GameEvaluator:
    """Scores a policy in games against fixed agents."""

    game: Game
    opponents: Mapping[str, Policy]
    """The agents, by spec."""
    games: int
    """Number of games against each of them; see `counts_against`."""
    seed: int

    def counts(self, policy: BasePolicy) -> dict[str, GameCounts]:
        """Return the games that a policy won, drew and lost against each agent."""
        return {
            spec: counts_against(self.game, policy, opponent, self.games, self.seed)
            for spec, opponent in self.opponents.items()
        }

    def scores(self, policy: BasePolicy) -> dict[str, float]:
        """Return the scores of a policy against each agent, 0 to 1."""
        return {spec: score_of(counts) for spec, counts in self.counts(policy).items()}


@dataclass(frozen=True)
class ReturnEvaluator:
    """Scores a policy by its mean return in episodes of a Gymnasium environment."""

    task: GymTask
    episodes: int
    seed: int

    def scores(self, policy: BasePolicy) -> dict[str, float]:
        """Return the mean `return` of a policy."""
        return {"return": mean_return(self.task, policy, self.episodes, self.seed)}


def usable_opponents(game: Game, specs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the specs of the agents to evaluate against; of the default ones only those that can play `game`."""
    return specs if specs != EVALUATION else tuple(spec for spec in specs if _can_play(spec, game))


def _can_play(spec: str, game: Game) -> bool:
    try:
        make_agent(spec, game).close()
    except UsageError:
        return False
    return True


def records_against(
    game: Game,
    player: tuple[str, Policy],
    opponent: tuple[str, Policy],
    openings: Sequence[tuple[Action, ...]],
    seed: int,
) -> list[MatchRecord]:
    """Return the games of a player (name, policy) against an opponent.

    Each opening is played from seat 0, then seat 1, and so on; the opponent takes all other seats.
    """
    seats = range(game.num_players)
    starts = list(zip(spawn_seeds(seed, count=len(openings)), openings, strict=True))
    pairings = [Pairing(tuple(int(s != seat) for s in seats), deal, line) for deal, line in starts for seat in seats]
    with testing(player[1], opponent[1]), torch_threads(1):
        return play_matches(game, [player, opponent], pairings, seed)


def outcomes_against(
    game: Game, policy: Policy, opponent: Policy, openings: Sequence[tuple[Action, ...]], seed: int
) -> NDArray[np.int64]:
    """Return the outcomes of games of `policy` against `opponent`: 0 won, 1 drawn, 2 lost, [openings, P].

    Each opening is played from every seat with the same chance events; the opponent takes all other seats.
    """
    seats = range(game.num_players)
    records = records_against(game, ("agent", policy), ("opponent", opponent), openings, seed)
    returns = np.array([record.verdict.returns for record in records])
    returns = returns.reshape(len(openings), len(seats), len(seats))  # [openings, seat of `policy`, P]
    results = [outcomes(returns[:, seat, seat], np.delete(returns[:, seat], seat, axis=1)) for seat in seats]
    return np.stack(results, axis=1)


def counts_against(game: Game, policy: Policy, opponent: Policy, games: int, seed: int, plies: int = 0) -> GameCounts:
    """Return the games that `policy` won, drew and lost against `opponent`.

    At least `games` are played, equally many from every seat. They begin with `plies` random moves; without those, two
    deterministic agents would repeat the same games.
    """
    rounds = -(-games // game.num_players)
    openings = random_openings(game, plies, rounds, seed) if plies else [()] * rounds
    won, drawn, lost = np.bincount(outcomes_against(game, policy, opponent, openings, seed).ravel(), minlength=3)
    return int(won), int(drawn), int(lost)


def score_of(counts: GameCounts) -> float:
    """Return the points per game, 0 to 1, of games won, drawn (half a point) and lost."""
    return (counts[0] + counts[1] / 2) / sum(counts)


def score_against(game: Game, policy: Policy, opponent: Policy, games: int, seed: int) -> float:
    """Return the score of `policy` against `opponent`, 0 to 1, over at least `games` games; see `counts_against`."""
    return score_of(counts_against(game, policy, opponent, games, seed))


@contextmanager
def testing(*policies: Policy) -> Iterator[None]:
    """Put learning policies into evaluation mode, with exploration off, and restore their mode at the end."""
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
    """Return the mean return of `policy` over episodes of a Gymnasium environment."""
    collector = collector_of(task.make, min(episodes, TOGETHER), policy)
    try:
        with testing(policy), torch_threads(1):
            stats = collector.collect(
                n_episode=episodes, reset_before_collect=True, gym_reset_kwargs={"seed": seed % 2**31}
            )
    finally:
        collector.close()
    return float(stats.returns.mean())
