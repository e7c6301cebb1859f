"""A tournament: games among agents, played in jobs by any number of workers, summed up in a rating table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from arena.base.errors import UsageError
from arena.base.surroundings import as_date, surroundings
from arena.match.verdict import MatchRecord
from arena.policy.protocol import Policy
from arena.processes.make import make_workers
from arena.store import Store, StoredRun
from arena.tournament.answers import PlayerAnswers, answers_of
from arena.tournament.config import TournamentConfig
from arena.tournament.endings import adjudications
from arena.tournament.entrants import Entrant, identity, named, require_same, run_key, specs_of
from arena.tournament.fill import StoredGames
from arena.tournament.jobs import JobPlayer, TournamentSetup
from arena.tournament.knockout import in_words
from arena.tournament.ledger import Ledger
from arena.tournament.pairing import BLOCK, COSTLY_BLOCK, JobScheduler, TournamentJob, openings_needed
from arena.tournament.plan import TournamentPlan
from arena.tournament.sequential import SequentialTest, SprtResult, in_order
from arena.tournament.standings import Standings, require_anchor
from arena.tournament.tables import table_for, table_from
from arena.tournament.tally import Played
from arena.tournament.teams import Teams
from games.engine.game import Game

Progress = Callable[[Sequence[MatchRecord], int], None]
"""Called with the new games since the last call (first those of the store), and the total number of games."""


@dataclass(frozen=True)
class TournamentResult:
    """All results of a tournament."""

    game: str
    """Label of the game with its options."""
    config: TournamentConfig
    names: tuple[str, ...]
    """Names of the players in order of entry."""
    records: tuple[MatchRecord, ...]
    table: Standings | Teams
    """Ratings of the players, or what their teams earn where nobody wins."""
    sprt: SprtResult | None = None
    """Result of the test, for the format `sprt`."""
    knockout: str = ""
    """Rounds and winner in words, for the format `knockout`."""
    played: Mapping[str, Any] = field(default_factory=dict)
    """With a store, what was played: agents with specs, configuration, versions, machine and dates."""

    @cached_property
    def answers(self) -> tuple[PlayerAnswers, ...]:
        """Counts of the answers of players that think in words; empty if none does."""
        return answers_of(self.records)

    @cached_property
    def adjudications(self) -> dict[str, int]:
        """Number of adjudicated games by what decided them."""
        return adjudications(self.records)

    @property
    def standings(self) -> Standings:
        """The ratings; `UsageError` for a game that nobody wins, which has none."""
        if isinstance(self.table, Teams):
            raise UsageError(f"nobody wins {self.game}, so that it has no ratings")
        return self.table


def check_entry(game: Game, names: Sequence[str], config: TournamentConfig) -> None:
    """Raise `UsageError` for a tournament that cannot be played; makes no agents."""
    if not game.competitive and config.format in ("swiss", "knockout", "sprt"):
        raise UsageError(f"a {config.format} pairs by who wins, and nobody wins {game.name}: play a round-robin")
    if len(names) < (game.num_players if game.competitive else 1):
        raise UsageError(f"a {config.format} of {game.name} needs at least {game.num_players} agents, not {len(names)}")
    if config.format == "knockout" and game.num_players != 2:
        raise UsageError(f"a knockout is of games of 2 players, not of {game.num_players} as {game.name}")
    if config.format == "sprt" and (len(names), game.num_players) != (2, 2):
        raise UsageError(f"an sprt is between 2 agents in a game of 2 players, not {len(names)} in {game.name}")
    require_anchor(config.anchor, names)
    openings_needed(config.num_games, game.num_players)


class Tournament:
    """A tournament ready to be played; close it after use.

    `players` are specs or policies of this process, by name. `workers` is a number of local processes (1: this
    process), or a Ray cluster: "ray", "ray://HOST:PORT". The games do not depend on it. Raises `UsageError` for a
    tournament that cannot be played, before any game.
    """

    def __init__(
        self,
        game: Game,
        players: Mapping[str, str | Policy],
        config: TournamentConfig | None = None,
        workers: int | str = 1,
    ):
        self._entrants = tuple(
            named(name, agent) if isinstance(agent, str) else Entrant(name, agent) for name, agent in players.items()
        )
        self.game, self.names = game, tuple(entrant.name for entrant in self._entrants)
        self.config = _with_anchor(config or TournamentConfig(), self.names)
        check_entry(game, self.names, self.config)
        setup = TournamentSetup(
            game.name,
            tuple(game.options.items()),
            self._entrants,
            self.config.limits,
            self.config.threads,
            self.config.adjudication,
        )
        if str(workers) != "1":
            setup.require_portable()
        with ExitStack() as stack:
            player = stack.enter_context(closing(JobPlayer(setup)))
            alone = tuple(player.seat(i).one_at_a_time for i in range(len(players)))
            costly = any(player.seat(i).costly for i in range(len(players)))
            self._scheduler = JobScheduler(game.num_players, alone, COSTLY_BLOCK if costly else BLOCK)
            self._plan = TournamentPlan(game, self._scheduler, self.config)
            self._workers = stack.enter_context(closing(make_workers(workers, setup, player)))
            self._open = stack.pop_all()

    @property
    def key(self) -> str:
        """Hash of everything that determines the games; `UsageError` if policies of this process play."""
        return run_key(self.game, self._entrants, self.config, self._plan.openings)

    def begin(self, store: Store) -> StoredRun:
        """Return the run of a store that holds this tournament's games; begin it if it is new.

        Raises `UsageError` if the name of an agent is that of another one in earlier runs of the game.
        """
        for run in store.runs(self.game.label):
            for entrant in self._entrants:
                require_same(entrant, specs_of(run.config), f"run {run.id} of {store.name}")
        settings = asdict(self.config) | {"agents": self.agents, **surroundings()}
        return store.open_run("tournament", self.key, self.game.label, settings, self.names)

    @property
    def agents(self) -> dict[str, Any]:
        """The agents by name: spec and hashes of its files; `UsageError` for policies of this process."""
        return {entrant.name: identity(entrant) for entrant in self._entrants}

    def missing(self, store: Store, first: int = 0) -> list[TournamentJob]:
        """Return the games that a store lacks, numbered from `first`, for a tournament of `new_only`."""
        stored = StoredGames(store, self.game, self.names, self.config)
        return list(stored.missing(self._plan.tables(), self._plan.openings, self._scheduler, first))

    def run(self, progress: Progress | None = None, store: Store | None = None) -> TournamentResult:
        """Play all games, and rate the players.

        With a `store`, games are written there in whole pairs as soon as they are played, and stored games are not
        played again: an interrupted tournament resumes.
        """
        if store is None and self.config.new_only:
            raise UsageError("new_only plays the games that a store lacks: it needs a store")
        run = None if store is None else self.begin(store)
        ledger = Ledger(store, run)
        test = SequentialTest(self.config.sprt, self.names[0]) if self.config.format == "sprt" else None
        if test is not None:
            test.counted(ledger.records)
        tell = progress or (lambda records, total: None)
        if store is not None and self.config.new_only:
            jobs = self.missing(store, ledger.next)
            self._play([iter(jobs)], sum(len(job.pairings) for job in jobs), ledger, None, tell)
            table = table_for(self.game, self._stored(store), self.config.anchor)
        else:
            if run is None or not run.finished:
                tell(ledger.records, self._plan.total)
                self._play(self._plan.parts(ledger), self._plan.total, ledger, test, tell)
            table = table_from(self.game, self.names, ledger.records, self.config.anchor)
        if store is not None and run is not None:
            store.finish_run(run.id)
        sprt = None if test is None else test.result
        records = tuple(ledger.records)
        knockout = self._knockout(ledger)
        return TournamentResult(
            self.game.label, self.config, self.names, records, table, sprt, knockout, self._played(store)
        )

    def _knockout(self, ledger: Ledger) -> str:
        return in_words(self._plan.knockout(ledger), self.names) if self.config.format == "knockout" else ""

    def close(self) -> None:
        """End all worker processes and close the agents."""
        self._open.close()

    def _stored(self, store: Store) -> Played:
        return StoredGames(store, self.game, self.names, self.config).played()

    def _played(self, store: Store | None) -> dict[str, Any]:
        """Return what was played, when and with what, as JSON values; {} without a store."""
        if store is None:
            return {}
        run = self.begin(store)
        ended = None if run.finished_at is None else as_date(run.finished_at)
        return {"run": run.id, "kind": run.kind, "begun": as_date(run.started), "ended": ended, **run.config}

    def _play(
        self,
        parts: Iterable[Iterator[TournamentJob]],
        total: int,
        ledger: Ledger,
        test: SequentialTest | None,
        progress: Progress,
    ) -> None:
        """Play the jobs that the ledger lacks."""
        for part in parts:
            jobs: Iterator[TournamentJob] = (job for job in part if not ledger.holds(job))
            if test is None:
                results = self._workers.do(jobs)
            else:
                results = in_order(takewhile(lambda _: test.decision is None, jobs), self._workers.do)
            with closing(results):
                for job, records in results:
                    counted = records if test is None else test.counted(records)
                    ledger.add(job, counted)
                    progress(counted, total)
                    if test is not None and test.decision is not None:
                        break


def _with_anchor(config: TournamentConfig, names: Sequence[str]) -> TournamentConfig:
    """Return the configuration with the whole name of an anchor that was given without its snapshot's hash."""
    whole = [name for name in names if config.anchor is not None and name.rpartition("@")[0] == config.anchor]
    return replace(config, anchor=whole[0]) if whole and config.anchor not in names else config


def run_tournament(
    game: Game,
    players: Mapping[str, str | Policy],
    config: TournamentConfig | None = None,
    progress: Progress | None = None,
    *,
    workers: int | str = 1,
    store: Store | None = None,
) -> TournamentResult:
    """Play a `Tournament` to its end; games in the store are not played again."""
    with closing(Tournament(game, players, config, workers)) as tournament:
        return tournament.run(progress, store)
