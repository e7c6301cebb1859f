"""`LearnerInTraining`: a learner's policy with its seating, collector and trainer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena.collector.collector import Collector
from arena.collector.rollout_collector import RolloutCollector
from arena.data.batch import Batch
from arena.data.stats import CollectStats
from arena.match.batch import outcomes
from arena.policy.base import BasePolicy
from arena.policy.optimizer import optimizers_of
from arena.trainer.base import BaseTrainer
from arena.training.checkpointer import learner_state_dict, load_learner_state_dict
from arena.training.evaluation import Evaluation, GameCounts
from arena.training.league.payoff import Counts
from arena.training.league.records import League, Learner
from arena.training.league.roles import Shares
from arena.training.league.seating import LEARNER, LeagueSeating, Load
from arena.training.league.turns import after_games
from arena.training.league.workers.collector import WorkersCollector
from arena.training.recorded import GameRecorder


@dataclass
class LearnerInTraining:
    """A learner with everything that it needs to play and to learn."""

    record: Learner
    """Its record in the league."""
    policy: BasePolicy
    seating: LeagueSeating
    fixed: Sequence[str]
    """Names of the opponents that stay seated, references and rivals; their labels are -1, -2, ..."""
    collector: Collector | RolloutCollector | WorkersCollector
    recorder: GameRecorder
    """Follows the games of one board, unless workers play them."""
    trainer: BaseTrainer
    steps: int
    """Total number of moves that it is to play."""
    initial_seed: int
    """Seed of its initial weights."""
    full_rates: list[list[float]] = field(init=False)
    """Initial learning rates, by optimizer and parameter group."""
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    """Draws the members that are invited; reseeded at every turn."""
    pool: Counts = field(default_factory=Counts)
    """Results of its games against members in the current or last turn."""
    results: Evaluation = field(default_factory=Evaluation)
    """Result of its newest snapshot in the evaluation."""

    def __post_init__(self) -> None:
        self.full_rates = [[group["lr"] for group in optim.param_groups] for optim in optimizers_of(self.policy)]

    @property
    def evaluation(self) -> dict[str, float]:
        """Scores of its newest snapshot in the evaluation, by name."""
        return self.results.scores

    def slow_down(self, step: int) -> None:
        """Set a main agent's learning rates after `step` moves: they fall linearly to 5 % over the run."""
        if self.record.role != "main":
            return
        part = max(0.05, 1.0 - step / self.steps)
        for optimizer, rates in zip(optimizers_of(self.policy), self.full_rates, strict=True):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * part

    def meet(self, league: League, shares: Shares, load: Load) -> None:
        """Set the opponents of new games.

        If the shares have not changed, nobody is invited again, unless the last invitation found no free place.
        """
        if league.next_opponents.get(self.record.name) == shares and self.seating.plan.opponents:
            return
        league.next_opponents[self.record.name] = shares
        self.seating.invite(by_label(shares, self.record.name, self.fixed, league), self.rng, load)

    def name_of(self, label: int, league: League) -> str:
        """Return the name of the player with a label in this learner's games."""
        if label == LEARNER:
            return self.record.name
        return league.members[label - 1].name if label > LEARNER else self.fixed[-1 - label]

    def names_at(self, board: int, league: League) -> tuple[str, ...]:
        """Return the names of the players on a board of this learner, by seat."""
        seated = self.seating.manager.seated(np.array([board]))[0]
        return tuple(self.name_of(label, league) for label in self.seating.manager.labels[seated].tolist())

    def count(self, stats: CollectStats, league: League) -> None:
        """Add the results of a collection's games against others to the league's payoffs and to `pool`."""
        results = results_by_opponent(stats.players, stats.returns)
        after_games(league, self.record, {self.name_of(label, league): counts for label, counts in results.items()})
        for label, counts in results.items():
            if label > LEARNER:
                self.pool.add(*counts)

    def restart(self, build: Callable[[int], BasePolicy], seed: int) -> None:
        """Reset the learner to its initial weights, which `build` makes from a seed, and start new games.

        `seed` seeds the chance events of the new games.
        """
        fresh = build(self.initial_seed)
        self.policy.load_state_dict(fresh.state_dict())
        for optimizer, initial in zip(optimizers_of(self.policy), optimizers_of(fresh), strict=True):
            optimizer.load_state_dict(initial.state_dict())
        self.policy.load_extra_state_dict(fresh.extra_state_dict())
        self.collector.reset(reset_stats=False, gym_reset_kwargs={"seed": seed})

    def state_dict(self) -> Batch:
        """Return the training state, without what the league's records and the trainer's counters hold."""
        arrays = learner_state_dict(self.policy)
        arrays.collector, arrays.buffer = self.collector.state_dict(), self.collector.buffer.filled_state_dict()
        return arrays

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned."""
        load_learner_state_dict(self.policy, arrays)
        self.collector.load_state_dict(arrays.get("collector", Batch()))  # missing if empty: no game has started
        self.collector.buffer.load_state_dict(arrays.buffer)


def by_label(shares: Shares, learner: str, fixed: Sequence[str], league: League) -> dict[int, float]:
    """Return shares by label: `LEARNER` for the learner, -1, -2, ... for `fixed`, 1, 2, ... for members."""
    labels = {member.name: number for number, member in enumerate(league.members, 1)}
    labels |= {name: -1 - place for place, name in enumerate(fixed)}
    return {(LEARNER if name == learner else labels[name]): share for name, share in shares.items()}


def results_by_opponent(players: NDArray[np.int64] | None, returns: NDArray[np.float64]) -> dict[int, GameCounts]:
    """Return the games won, drawn and lost by the learner, by label of the opponent.

    For E finished games, `players` [E, P] are the labels by seat, and `returns` [E, P] the returns. Games of the
    learner against itself do not count, nor do those of one seat; in all others it has one seat and one opponent has
    the rest.
    """
    if players is None or not len(players) or players.shape[1] == 1:
        return {}
    is_learner = players == LEARNER
    mixed = is_learner.any(axis=1) & ~is_learner.all(axis=1)
    is_learner, players, returns = is_learner[mixed], players[mixed], returns[mixed]
    seats = players.shape[1]
    opponents = players[~is_learner].reshape(-1, seats - 1)[:, 0]
    ends = outcomes(returns[is_learner], returns[~is_learner].reshape(-1, seats - 1))
    results = {}
    for label in np.unique(opponents).tolist():
        won, drawn, lost = np.bincount(ends[opponents == label], minlength=3).tolist()
        results[label] = (won, drawn, lost)
    return results
