"""A learner at work: its policy, who sits in its games, what it collects and how it is trained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena.collector.collector import Collector
from arena.data.batch import Batch
from arena.data.stats import CollectStats
from arena.league.payoff import Counts, Payoff
from arena.league.records import League, Learner
from arena.league.roles import Shares
from arena.league.seating import LEARNER, LeagueSeating, Load
from arena.league.workers.collector import WorkersCollector
from arena.policy.base import BasePolicy
from arena.policy.optimizer import optimizers_of
from arena.ratings.games import outcomes
from arena.runs.evaluation import score_of
from arena.runs.run import learner_arrays, restore_learner
from arena.trainer.base import BaseTrainer


@dataclass
class Student:
    """One who learns from its games; those it meets are its teachers, and learn from games of their own."""

    record: Learner
    """What the league knows of it."""
    policy: BasePolicy
    seating: LeagueSeating
    fixed: Sequence[str]
    """Names of those whose places never change: references and rivals, with the labels -1, -2, ..."""
    collector: Collector | WorkersCollector
    trainer: BaseTrainer
    steps: int
    """Moves it is to play in all."""
    initial_seed: int
    """Of its initial weights."""
    full_rates: list[list[float]] = field(init=False)
    """Step sizes of its optimizers at the beginning, by optimizer and group of parameters."""
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    """Draws who is invited; begun anew with every turn."""
    pool: Counts = field(default_factory=Counts)
    """Its games against members in the turn that goes on, or went last."""
    results: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Games that its newest snapshot won, drew and lost against each agent that all are measured by."""

    def __post_init__(self) -> None:
        self.full_rates = [[group["lr"] for group in optim.param_groups] for optim in optimizers_of(self.policy)]

    @property
    def evaluation(self) -> dict[str, float]:
        """Scores of its newest snapshot against the agents that all are measured by."""
        return {spec: score_of(counts) for spec, counts in self.results.items()}

    def slow_down(self, step: int) -> None:
        """After so many moves: a main agent's step sizes fall linearly to a twentieth over the run."""
        if self.record.role != "main":
            return
        part = max(0.05, 1.0 - step / self.steps)
        for optimizer, rates in zip(optimizers_of(self.policy), self.full_rates, strict=True):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * part

    def meet(self, league: League, shares: Shares, load: Load) -> None:
        """From now on, new games are against these; nobody new is invited while the shares stay as they were.

        Unless none of the members could be invited then, all places being held by games under way.
        """
        if league.next_opponents.get(self.record.name) == shares and self.seating.plan.opponents:
            return
        league.next_opponents[self.record.name] = shares
        self.seating.invite(by_label(shares, self.record.name, self.fixed, league), self.rng, load)

    def name_of(self, label: int, league: League) -> str:
        """Who has a label in its games."""
        if label == LEARNER:
            return self.record.name
        return league.members[label - 1].name if label > LEARNER else self.fixed[-1 - label]

    def count(self, stats: CollectStats, league: League) -> None:
        """Take note of how its games against others ended."""
        for label, counts in results_by_opponent(stats.players, stats.returns).items():
            league.training.add(self.record.name, self.name_of(label, league), *counts)
            if label > LEARNER:
                self.pool.add(*counts)

    def begin_anew(self, build: Callable[[int], BasePolicy], training: Payoff, seed: int) -> None:
        """Go back to initial weights, which `build` makes of a seed; new games begin, their chances from `seed`."""
        fresh = build(self.initial_seed)
        self.policy.load_state_dict(fresh.state_dict())
        for own, new in zip(optimizers_of(self.policy), optimizers_of(fresh), strict=True):
            own.load_state_dict(new.state_dict())
        self.policy.recall(fresh.memory())
        self.collector.reset(reset_stats=False, gym_reset_kwargs={"seed": seed})
        training.begin_anew(self.record.name)
        self.record.resets += 1
        self.record.parent = None

    def arrays(self) -> Batch:
        """All that is needed to go on, but for what the league and the trainer's counters say."""
        arrays = learner_arrays(self.policy)
        arrays.collector, arrays.buffer = self.collector.arrays(), self.collector.buffer.arrays()
        return arrays

    def restore(self, arrays: Batch) -> None:
        """Take over what `arrays` gave."""
        restore_learner(self.policy, arrays)
        self.collector.restore(arrays.get("collector", Batch()))  # files hold no empty ones: no game has begun
        self.collector.buffer.restore(arrays.buffer)


def by_label(shares: Shares, own: str, fixed: Sequence[str], league: League) -> dict[int, float]:
    """Shares by label for shares by name: `LEARNER` for one's `own`, -1, -2, ... for those that are `fixed`."""
    labels = {member.name: number for number, member in enumerate(league.members, 1)}
    labels |= {name: -1 - place for place, name in enumerate(fixed)}
    return {(LEARNER if name == own else labels[name]): share for name, share in shares.items()}


def results_by_opponent(
    players: NDArray[np.int64] | None, returns: NDArray[np.float64]
) -> dict[int, tuple[int, int, int]]:
    """Games won, drawn and lost by the learner, by label of the opponent.

    Of finished games, `players` [E, P] are the labels of who sat where, and `returns` [E, P] what they earned. Games
    of the learner against itself say nothing; in all others it holds one seat and one opponent the rest.
    """
    if players is None or not len(players):
        return {}
    own = players == LEARNER
    mixed = own.any(axis=1) & ~own.all(axis=1)
    own, players, returns = own[mixed], players[mixed], returns[mixed]
    seats = players.shape[1]
    opponents = players[~own].reshape(-1, seats - 1)[:, 0]
    ends = outcomes(returns[own], returns[~own].reshape(-1, seats - 1))
    found = {}
    for label in np.unique(opponents).tolist():
        won, drawn, lost = np.bincount(ends[opponents == label], minlength=3).tolist()
        found[label] = (won, drawn, lost)
    return found
