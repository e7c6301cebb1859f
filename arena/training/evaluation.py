"""Evaluation of a policy in separate games or episodes, with exploration off."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Protocol

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
from arena.training.options import EVALUATION
from arena.training.scores import OTHER, Measure, return_scores
from arena.training.tasks import GymTask
from games.engine.actions import Action
from games.engine.game import Game

TOGETHER = 10  # environments that are stepped at the same time

GameCounts = tuple[int, int, int]
"""Games won, drawn and lost."""


@dataclass(frozen=True)
class Evaluation:
    """Result of the evaluation of a snapshot."""

    counts: Mapping[str, GameCounts] = field(default_factory=dict)
    """Games won, drawn and lost by opponent, where there are any to win."""
    returns: Mapping[str, float] = field(default_factory=dict)
    """What the snapshot earns, and others, by name; see `arena.training.scores`."""

    @property
    def scores(self) -> dict[str, float]:
        """The scores by name: points a game by opponent, 0 to 1, or returns."""
        return {spec: score_of(counts) for spec, counts in self.counts.items()} | dict(self.returns)


class Evaluator(Protocol):
    """Measures the snapshots of a training."""

    @property
    def measure(self) -> Measure:
        """Measure of snapshots."""

    def evaluate(self, policy: BasePolicy) -> Evaluation:
        """Return the result of a policy."""


@dataclass(frozen=True)
class GameEvaluator:
    """Measures a policy in games against fixed agents."""

    measure: ClassVar[Measure] = "score"

    game: Game
    opponents: Mapping[str, Policy]
    """The agents, by spec."""
    games: int
    """Number of games against each of them; see `counts_against`."""
    seed: int

    def evaluate(self, policy: BasePolicy) -> Evaluation:
        """Return the games that a policy won, drew and lost against each agent."""
        return Evaluation(
            {
                spec: counts_against(self.game, policy, opponent, self.games, self.seed)
                for spec, opponent in self.opponents.items()
            }
        )


@dataclass(frozen=True)
class TeamEvaluator:
    """Measures a policy by what a team of it alone earns, beside teams of other agents in the same games."""

    measure: ClassVar[Measure] = "return"

    game: Game
    others: Mapping[str, Policy]
    """The other agents, by spec."""
    games: int
    """Number of games of each team."""
    seed: int

    def evaluate(self, policy: BasePolicy) -> Evaluation:
        """Return the mean return of a team of the policy, and of the other agents' teams."""
        returns = return_scores(team_returns(self.game, policy, self.games, self.seed))
        return Evaluation(returns=returns | self._compared)

    @cached_property
    def _compared(self) -> dict[str, float]:
        teams = {spec: team_returns(self.game, agent, self.games, self.seed) for spec, agent in self.others.items()}
        return {f"{OTHER}{spec}": float(returns.mean()) for spec, returns in teams.items()}


@dataclass(frozen=True)
class ReturnEvaluator:
    """Measures a policy by its mean return in episodes of a Gymnasium environment."""

    measure: ClassVar[Measure] = "return"

    task: GymTask
    episodes: int
    seed: int

    def evaluate(self, policy: BasePolicy) -> Evaluation:
        """Return the mean return of a policy."""
        return Evaluation(returns=return_scores(episode_returns(self.task, policy, self.episodes, self.seed)))


def evaluator_of(
    game: Game, specs: tuple[str, ...], games: int, seed: int, references: Iterable[str] = ()
) -> GameEvaluator | TeamEvaluator:
    """Return the evaluator of snapshots of a game: against the agents of these specs, or beside teams of them.

    `references` are further agents.
    """
    usable = dict.fromkeys([*usable_agents(game, specs), *references])
    agents = {spec: make_agent(spec, game) for spec in usable}
    return (GameEvaluator if game.competitive else TeamEvaluator)(game, agents, games, seed)


def usable_agents(game: Game, specs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the specs of the agents of an evaluation; of the default ones only those that tell something in `game`.

    Where nobody wins, that is `random`: a search for the best move of its own says little about a team.
    """
    if specs != EVALUATION:
        return specs
    return tuple(spec for spec in (specs if game.competitive else ("random",)) if _can_play(spec, game))


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


def team_returns(game: Game, policy: Policy, games: int, seed: int) -> NDArray[np.float64]:
    """Return what a team of `policy` alone earns, [games]; a fault costs it what the offender loses."""
    alone = (0,) * game.num_players
    pairings = [Pairing(alone, deal) for deal in spawn_seeds(seed, count=games)]
    with testing(policy), torch_threads(1):
        records = play_matches(game, [("agent", policy)], pairings, seed)
    return np.array([min(record.verdict.returns) for record in records])


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


def episode_returns(task: GymTask, policy: BasePolicy, episodes: int, seed: int) -> NDArray[np.float64]:
    """Return the returns of `policy` in episodes of a Gymnasium environment, [episodes]."""
    collector = collector_of(task.make, min(episodes, TOGETHER), policy)
    try:
        with testing(policy), torch_threads(1):
            stats = collector.collect(
                n_episode=episodes, reset_before_collect=True, gym_reset_kwargs={"seed": seed % 2**31}
            )
    finally:
        collector.close()
    return np.asarray(stats.returns, np.float64).reshape(-1)
