"""`arena tournament`: rate agents against each other."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TextIO

import tyro

from arena.base.errors import UsageError
from arena.base.terminal import make_console
from arena.base.text import file_name
from arena.cli.again import command_line
from arena.match.containment import switch_on_sandbox
from arena.match.verdict import MatchRecord
from arena.policy.registry import make_game
from arena.store import DEFAULT_URL, Store, StoredRun
from arena.tournament.config import TournamentConfig
from arena.tournament.entrants import read_agents, read_entrants
from arena.tournament.files import claim_directory, json_figures, numbered, to_json, write_results
from arena.tournament.game_file import GameFile, require_format
from arena.tournament.progress import LiveTable
from arena.tournament.report import print_report
from arena.tournament.sequential import in_words
from arena.tournament.tournament import Tournament, TournamentResult
from games.engine.game import Game
from games.engine.identity import GameId
from games.engine.source_files import short_name

RESUMES = "If this ends early, resume it with"


@dataclass(frozen=True)
class Options:
    """Play a tournament between agents, and rate them.

    Prints a table of Elo ratings; writes ratings and games as CSV and JSON, and pictures of both. Every game is saved
    in a store: the same command resumes a tournament that was interrupted or killed.

    With a limit of time or memory each agent runs in a separate process. One that hangs, crashes or exceeds a limit
    loses its game, and the tournament goes on. External programs (cmd, gtp, uci) always have limits: half of the
    machine's memory, 256 processes, 10 minutes for a move; processes that they started end with them. This protects
    from accidents, --sandbox also from malicious programs.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """Game, with options after its name: tic_tac_toe:m=6,n=6,k=4."""
    entrants: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="[AGENT ...]", help_behavior_hint=""),
    ] = ()
    """Agents: random, one-ply, alphabeta:4, ppo:runs/c4; NAME=AGENT gives one another name. A trained agent is
    stored as its current snapshot, ppo:runs/c4@1a2b3c4d."""
    agents: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """TOML file of further agents, one line each, deep = "alphabeta:8", or a table with options: [fish] with
    spec = "uci:stockfish" and nodes = 1000."""
    tournament: TournamentConfig = field(default_factory=TournamentConfig)
    workers: Annotated[str, tyro.conf.arg(metavar="N|ray[://HOST:PORT]")] = "1"
    """Number of worker processes, or a Ray cluster; the games do not depend on it."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Store of the games: path of an SQLite file, or URL of another database. Keep a PostgreSQL password in PGPASSWORD,
    ~/.pgpass or a service file (postgresql:///?service=NAME) rather than in the URL."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for the results: new, empty, or with results of this tournament; by default runs/tournament-GAME with the
    first free number."""
    pgnout: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """File of games, to which each is added as soon as it is stored, with how it ended: .pgn, .sgf or .jsonl. A resumed
    tournament goes on with its file."""
    sandbox: bool = False
    """Run external programs (cmd, gtp, uci) by bubblewrap: without network, with nothing to write to but a small /tmp,
    and nothing to read but the system and the folders of the files that they are started with. 'arena sandbox check'
    tries what this machine contains."""
    json: bool = False
    """Print the results as JSON instead of tables, and everything else to standard error."""


def run(options: Options) -> int:
    """Play the tournament, or the rest of it, and report the results; return the exit status."""
    remarks = sys.stderr if options.json else sys.stdout
    if options.sandbox:
        switch_on_sandbox(options.workers)
    game = make_game(options.game)
    players = _players(options)
    if options.pgnout is not None:
        require_format(options.pgnout, game)
    usual = Options(options.game, options.entrants)
    again = command_line("tournament", [options.game, *options.entrants], options, usual)
    with (
        closing(Tournament(game, players, options.tournament, options.workers)) as tournament,
        _claimed(options.out, tournament.key),
        Store(options.store) as store,
    ):
        run = tournament.begin(store)
        if options.tournament.new_only:
            count = sum(len(job.pairings) for job in tournament.missing(store))
            print(f"{count:,} games are missing in {store.name}. {RESUMES}\n  {again}", file=remarks, flush=True)
        elif run.finished:
            print(f"All games of this tournament are in {store.name} already.", file=remarks)
        else:
            print(f"Games are kept in {store.name}. {RESUMES}\n  {again}", file=remarks, flush=True)
        file = _game_file(options, game, store, run)
        try:
            console, test = make_console(stderr=True), options.tournament.test
            with LiveTable(game, tournament.names, console, test, tournament.config.anchor) as live:

                def progress(records: Sequence[MatchRecord], total: int) -> None:
                    live(records, total)
                    if file is not None:
                        file.catch_up()

                result = tournament.run(progress, store)
        except KeyboardInterrupt:
            print(f"\nThe games so far are kept; resume with\n  {again}", file=sys.stderr)
            raise
        _report(result, tournament.key, options, remarks)
    return 0


def _game_file(options: Options, game: Game, store: Store, run: StoredRun) -> GameFile | None:
    return None if options.pgnout is None else GameFile(options.pgnout, game, store, run, options.tournament.limits)


def _players(options: Options) -> dict[str, str]:
    """Return the specs of all agents by name; `UsageError` if there are none, or two of one name."""
    listed = {} if options.agents is None else read_agents(options.agents)
    named = read_entrants(options.entrants)
    if not (listed or named):
        raise UsageError("name two agents or more, or a file of them with --agents")
    if twice := sorted(listed.keys() & named.keys()):
        raise UsageError(f"two agents of one name, {twice[0]!r}: one of them is in {options.agents}")
    return named | listed


@contextmanager
def _claimed(directory: Path | None, key: str) -> Iterator[None]:
    """Claim the folder for results, if one is given; remove it again if the tournament fails before any results."""
    if directory is not None:
        claim_directory(directory, key)
    try:
        yield
    except BaseException:
        if directory is not None:
            with suppress(OSError):  # something has been written
                directory.rmdir()
        raise


def _report(result: TournamentResult, key: str, options: Options, remarks: TextIO) -> None:
    """Write the results into a folder, then print them (the reader of the output may be gone by then)."""
    name = short_name(GameId.parse(options.game).name)
    directory = options.out or numbered(Path("runs", file_name(f"tournament-{name}")))
    write_results(result, claim_directory(directory, key), key)
    if options.json:
        print(to_json(result.table, result.game, key, result.played, json_figures(result)))
    else:
        console = make_console()
        print_report(result, console if console.is_terminal else make_console(width=160))
    if result.sprt is not None:
        print(f"\n{in_words(result.sprt, options.tournament.sprt, result.names[0])}", file=remarks)
    print(f"Results are in {directory}.", file=remarks)
