"""Tuning: the parameters of an agent are moved by the results of games of it against itself (`arena.tournament.spsa`).

An iteration is some pairs of games between two settings of the agent, which any number of workers play. Every finished
game is in a store at once, and all that is drawn follows from the seed and the number of the iteration: a tuning that
was killed reads its games again, and goes on to the bit.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from arena.base.checks import numbers_in, require_above, require_at_least
from arena.base.errors import UsageError
from arena.base.ranges import read_number, read_range
from arena.base.seeding import make_rng, spawn_seeds
from arena.base.surroundings import surroundings
from arena.match.adjudication import Adjudication
from arena.match.limits import Limits
from arena.match.verdict import MatchRecord
from arena.policy.agent_spec import AgentSpec
from arena.policy.parameters import Parameter, split_settings, unknown_parameter, with_settings
from arena.policy.registry import agent_kind
from arena.processes.make import make_workers
from arena.store import Store
from arena.tournament.entrants import Entrant, identity
from arena.tournament.jobs import JobPlayer, TournamentSetup
from arena.tournament.ledger import Ledger
from arena.tournament.openings import check_openings, openings_of
from arena.tournament.pairing import JobScheduler, TournamentJob, openings_needed
from arena.tournament.spsa import Floats, Gains, Probe, TunedParameter, follow, probe, settled
from games.engine.game import Game

JOB_PAIRS = 4
"""Pairs of games of a job; changing it changes the games."""
USUAL_RATE = 100.0
"""Default rate, times the number of iterations: the estimate can cross its bounds several times, whatever that is."""
USUAL_STEP = 0.05
"""Default step, as a share of the bounds."""
SCHEDULE = 1
"""Version of the schedule; increased whenever the same configuration leads to other games."""
EXAMPLE = "exploration=0.2..3 or exploration=0.2..3:start=1:step=0.1"


@dataclass(frozen=True)
class TuningConfig:
    """Configuration of a tuning; the same configuration and agent give the same games."""

    iterations: int = 200
    """Iterations, each of which moves all parameters once."""
    games: int = 16
    """Games of an iteration, half of them from each side."""
    rate: float | None = None
    """How far the estimate follows a result in the last iteration: a pair of games won moves each parameter by twice
    this share of its step (r_end); by default 100 / iterations."""
    openings: str = "random:4"
    """Opening moves: random:N plays N random legal moves (none in games of chance), file:PATH reads lines of moves.
    Each is played once from every side."""
    seed: int = 0
    """Seed of the openings, the probes and the agents, 0 or more."""
    threads: int = 1
    """Threads of torch; more than one is faster for large networks only."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "iterations", "threads"))
        require_at_least(0, **numbers_in(self, "seed"))
        require_above(0, **numbers_in(self, "rate"))
        openings_needed(self.games, 2)
        check_openings(self.openings)

    @property
    def gains(self) -> Gains:
        """The gains of all iterations."""
        return Gains(self.iterations, USUAL_RATE / self.iterations if self.rate is None else self.rate)


def read_tuned(game: Game, spec: str, texts: Sequence[str]) -> tuple[TunedParameter, ...]:
    """Return the parameters of an agent that texts name, as `exploration=0.2..3:start=1:step=0.1`.

    The start is by default what the spec says, or else the agent's usual value; the step is a twentieth of the bounds.
    Raises `UsageError` for a name that the agent does not know, and for bounds that it does not take.
    """
    agent = AgentSpec.parse(spec)
    known = agent_kind(agent.name).parameters(game, agent.argument)
    if not known:
        raise UsageError(f"{spec} has no parameters that can be tuned in {game.name}")
    if not texts:
        raise UsageError(
            f"name what is tuned, as --parameter {known[0].name}=LOW..HIGH; {spec} has {', '.join(map(str, known))}"
        )
    settings = split_settings(agent.argument)[1]
    tuned = tuple(_tuned(agent, text, known, settings) for text in texts)
    names = [parameter.name for parameter in tuned]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"the parameter {twice} is given twice")
    return tuned


def _tuned(agent: AgentSpec, text: str, known: Sequence[Parameter], settings: Mapping[str, str]) -> TunedParameter:
    bounds = read_range(text, ("start", "step"), EXAMPLE)
    one = next((parameter for parameter in known if parameter.name == bounds.name), None)
    if one is None:
        raise unknown_parameter(agent.name, bounds.name, known)
    if not one.low <= bounds.low or not bounds.high <= one.high:
        raise UsageError(f"{text!r}: {one.name} of {agent.name} is from {one.low:g} to {one.high:g}")
    if one.whole and not (bounds.low.is_integer() and bounds.high.is_integer()):
        raise UsageError(f"{text!r}: {one.name} of {agent.name} is a whole number")
    own = read_number(one.name, settings[one.name]) if one.name in settings else one.usual
    usual_start = own if bounds.low <= own <= bounds.high else (bounds.low + bounds.high) / 2
    usual_step = max(USUAL_STEP * (bounds.high - bounds.low), 0.5 if one.whole else 0.0)
    start, step = bounds.number("start", usual_start), bounds.number("step", usual_step)
    return TunedParameter(one.name, start, bounds.low, bounds.high, step, one.whole)


@dataclass(frozen=True)
class TuningJob:
    """Games of two settings of the agent."""

    specs: tuple[str, str]
    games: TournamentJob


@dataclass(frozen=True)
class TuningSetup:
    """Everything that a worker needs besides its jobs."""

    tournament: TournamentSetup
    """With the agent before it was tuned as its only entrant."""

    def runner(self) -> "TuningPlayer":
        """Return the player of jobs, in the process of a worker."""
        return TuningPlayer(self)

    def lost(self, job: TuningJob, tries: int, how: str) -> UsageError:
        """Return the error for a job that ended every worker that tried it."""
        return _setup_of(self, job.specs).lost(job.games, tries, how)


class TuningPlayer:
    """Plays jobs in this process; the agents of an iteration are kept until the next one."""

    def __init__(self, setup: TuningSetup):
        self._setup = setup
        self._specs: tuple[str, str] | None = None
        self._player: JobPlayer | None = None

    def do(self, job: TuningJob, common: None) -> list[MatchRecord]:
        """Play a job; return the records of its games."""
        if self._player is None or self._specs != job.specs:
            self.close()
            self._specs, self._player = job.specs, JobPlayer(_setup_of(self._setup, job.specs))
        return self._player.do(job.games, None)

    def close(self) -> None:
        """Close the agents."""
        if self._player is not None:
            self._player.close()
        self._player = None


def _setup_of(setup: TuningSetup, specs: tuple[str, str]) -> TournamentSetup:
    return replace(setup.tournament, entrants=tuple(Entrant(spec, spec) for spec in specs))


@dataclass(frozen=True)
class Iteration:
    """A finished iteration."""

    number: int
    probe: Probe
    wins: int
    """Games that the point `probe.plus` won."""
    draws: int
    losses: int
    theta: Floats
    """The estimate after it, [d]."""


Progress = Callable[[Sequence[Iteration]], None]
"""Called with all iterations so far, after each."""


class Tuning:
    """A tuning ready to be played; close it after use.

    `spec` is the agent, `workers` a number of local processes (1: this process), or a Ray cluster: "ray",
    "ray://HOST:PORT". The games do not depend on it. Raises `UsageError` for what cannot be tuned, before any game.
    """

    def __init__(
        self,
        game: Game,
        spec: str,
        parameters: Sequence[TunedParameter],
        config: TuningConfig | None = None,
        workers: int | str = 1,
    ):
        if game.num_players != 2 or not game.competitive:
            raise UsageError(f"a tuning is by games of two settings against each other, which {game.name} has none of")
        self.game, self.spec, self.parameters = game, spec, tuple(parameters)
        self.config = config or TuningConfig()
        self._pairs = self.config.games // 2
        self._openings = openings_of(game, self.config.openings, self._pairs * self.config.iterations, self.config.seed)
        start = self.spec_of(np.array([parameter.start for parameter in self.parameters]))
        options = tuple(game.options.items())
        setup = TuningSetup(
            TournamentSetup(
                game.name, options, (Entrant(spec, start),), self.config.limits, self.config.threads, Adjudication()
            )
        )
        with closing(setup.tournament.runner()) as player:  # refused here, where it cannot be made
            alone = player.seat(0).one_at_a_time
        self._scheduler = JobScheduler(2, (alone, alone), JOB_PAIRS)
        with ExitStack() as stack:
            here = stack.enter_context(closing(setup.runner()))
            self._workers = stack.enter_context(closing(make_workers(workers, setup, here)))
            self._open = stack.pop_all()

    def close(self) -> None:
        """End all worker processes and close the agents."""
        self._open.close()

    @property
    def key(self) -> str:
        """Hash of everything that determines the games."""
        agent = identity(Entrant(self.spec, self.spec))
        everything = [SCHEDULE, self.game.label, agent, self.settings, self._openings]
        return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration as JSON values."""
        return asdict(self.config) | {"parameters": [asdict(parameter) for parameter in self.parameters]}

    def spec_of(self, values: Floats) -> str:
        """Return the spec of the agent with these values of its parameters, [d]."""
        agent = AgentSpec.parse(self.spec)
        texts = {one.name: one.text(value) for one, value in zip(self.parameters, values.tolist(), strict=True)}
        return str(replace(agent, argument=with_settings(agent.argument, texts)))

    def run(self, store: Store, progress: Progress | None = None) -> "TuningResult":
        """Play all iterations that the store lacks, and return the result."""
        config = self.settings | {"agents": {self.spec: identity(Entrant(self.spec, self.spec))}, **surroundings()}
        run = store.open_run("tuning", self.key, self.game.label, config, (self.spec,))
        ledger, done = Ledger(store, run), list[Iteration]()
        theta = np.array([parameter.start for parameter in self.parameters])
        for number in range(1, self.config.iterations + 1):
            done.append(self._iterate(number, theta, ledger))
            theta = done[-1].theta
            if progress is not None:
                progress(done)
        store.finish_run(run.id)
        return TuningResult(self, done)

    def _iterate(self, number: int, theta: Floats, ledger: Ledger) -> Iteration:
        """Play an iteration, or what the ledger lacks of it, and return the next estimate."""
        draws, seed = spawn_seeds(self.config.seed, number, count=2)
        gains = self.config.gains
        points = probe(self.parameters, theta, gains, number, make_rng(draws))
        wins, draws_, losses = self._play(points, number, seed, ledger) if points.differ else (0, 0, 0)
        result = (wins - losses) / self._pairs
        after = follow(self.parameters, theta, gains, number, points.signs, result)
        return Iteration(number, points, wins, draws_, losses, after)

    def _play(self, points: Probe, number: int, seed: int, ledger: Ledger) -> tuple[int, int, int]:
        """Play the games of an iteration; return wins, draws and losses of the point `plus`."""
        specs = self.spec_of(points.plus), self.spec_of(points.minus)
        if specs[0] == specs[1]:
            return 0, 0, 0
        first = (number - 1) * self._pairs
        openings = self._openings[first : first + self._pairs]
        jobs = list(self._scheduler.jobs([(0, 1)], openings, seed, 2 * first))
        missing = (TuningJob(specs, job) for job in jobs if not ledger.holds(job))
        with closing(self._workers.do(missing)) as results:
            for job, records in results:
                ledger.add(job.games, records)
        scores = [_score(record, specs[0]) for job in jobs for record in ledger.of(job)]
        return scores.count(1), scores.count(0), scores.count(-1)


def _score(record: MatchRecord, player: str) -> int:
    """Return 1, 0 or -1 for a game that the player won, drew or lost."""
    seat = record.players.index(player)
    mine, theirs = record.verdict.returns[seat], record.verdict.returns[1 - seat]
    return int(mine > theirs) - int(mine < theirs)


@dataclass(frozen=True)
class TunedValue:
    """Knowledge of a parameter so far."""

    parameter: TunedParameter
    now: float
    """The estimate after the last iteration."""
    estimate: float
    """Mean of the estimates of the later half of the iterations."""
    spread: float
    """Standard deviation of those."""


def tuned_values(parameters: Sequence[TunedParameter], iterations: Sequence[Iteration]) -> tuple[TunedValue, ...]:
    """Return what is known of the parameters after these iterations, at least one."""
    path = np.array([iteration.theta for iteration in iterations])
    columns = zip(parameters, path[-1].tolist(), *(part.tolist() for part in settled(path)), strict=True)
    return tuple(TunedValue(*column) for column in columns)


@dataclass(frozen=True)
class TuningResult:
    """All results of a tuning."""

    tuning: Tuning
    iterations: Sequence[Iteration]

    @property
    def values(self) -> tuple[TunedValue, ...]:
        """Estimate and spread of every parameter."""
        return tuned_values(self.tuning.parameters, self.iterations)

    @property
    def spec(self) -> str:
        """Spec of the agent with the estimates."""
        return self.tuning.spec_of(np.array([value.estimate for value in self.values]))
